#include "api/query_values.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace quote_lab::api {
namespace {

/// What ECMAScript counts as white space and line ends, in UTF-8 (ECMA-262, StrWhiteSpaceChar).
constexpr std::array<std::string_view, 25> js_blanks{
    "\t",     "\n",     "\v",     "\f",     "\r",     " ",      "\u00a0", "\u1680", "\u2000",
    "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009",
    "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff"};

std::string_view without_leading_blanks(std::string_view text) {
  for (bool found = true; found;) {
    found = false;
    for (const auto blank : js_blanks) {
      if (!text.starts_with(blank)) continue;
      text.remove_prefix(blank.size());
      found = true;
    }
  }
  return text;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A warning repeats what came, but not without end.
std::string quoted(std::string_view text) {
  constexpr std::size_t most = 64;
  std::string result = "'";
  result.append(text.substr(0, most)).append(text.size() > most ? "…'" : "'");
  return result;
}

std::string range_text(int least, int most) {
  return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

std::string scenario_names() {
  std::string names;
  for (const auto each : quote::all_scenarios)
    names.append(names.empty() ? "" : ", ").append(to_string(each));
  return names;
}

}  // namespace

std::optional<js_integer> parse_js_integer(std::string_view text) {
  text = without_leading_blanks(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  constexpr long long largest = std::numeric_limits<long long>::max() / 10 - 1;
  js_integer result;
  std::size_t i = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) {
    if (result.value < largest) result.value = result.value * 10 + (text[i] - '0');
  }
  result.whole_text = i == text.size();
  if (negative) result.value = -result.value;
  return result;
}

std::optional<std::string_view> query_values::first(std::string_view name) {
  read_.push_back(name);
  for (const auto& [key, value] : query_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

void query_values::warn(std::string_view name, std::string_view sent, std::string_view taken,
                        std::string_view allowed) {
  std::string sentence(name);
  sentence.append(" ").append(quoted(sent)).append(" was taken as ").append(taken);
  sentence.append("; allowed is ").append(allowed).append(".");
  warnings_.push_back(std::move(sentence));
}

int query_values::integer(std::string_view name, int least, int most, int otherwise) {
  const auto sent = first(name);
  if (!sent) return otherwise;
  if (sent->empty()) {
    warn(name, *sent, std::to_string(otherwise), range_text(least, most));
    return otherwise;
  }
  const auto parsed = parse_js_integer(*sent);
  const int taken = parsed ? static_cast<int>(std::clamp<long long>(parsed->value, least, most)) : least;
  if (!parsed || !parsed->whole_text || parsed->value != taken) {
    warn(name, *sent, std::to_string(taken), range_text(least, most));
  }
  return taken;
}

quote::scenario query_values::scenario(std::string_view name) {
  const auto sent = first(name);
  if (!sent) return quote::scenario::ok;
  const auto known = quote::scenario_named(*sent);
  if (!known) warn(name, *sent, "ok", "one of " + scenario_names());
  return known.value_or(quote::scenario::ok);
}

bool query_values::strict() {
  const auto sent = first("strict");
  if (!sent) return false;
  if (*sent != "0" && *sent != "1") warn("strict", *sent, "0", "0 or 1");
  return *sent == "1";
}

std::vector<std::string> query_values::warnings() && {
  std::vector<std::string_view> seen;
  for (const auto& [key, value] : query_) {
    const bool known = std::find(read_.begin(), read_.end(), key) != read_.end();
    const bool again = std::find(seen.begin(), seen.end(), key) != seen.end();
    seen.push_back(key);
    if (known && again) {
      warnings_.push_back(key + " " + quoted(value) + " was ignored; the first " + key + " counts.");
    } else if (!known && !again) {
      std::string names;
      for (const auto each : read_) names.append(names.empty() ? "" : ", ").append(each);
      warnings_.push_back("parameter " + quoted(key) + " was ignored; allowed are " + names + ".");
    }
  }
  return std::move(warnings_);
}

}  // namespace quote_lab::api
