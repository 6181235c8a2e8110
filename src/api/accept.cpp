#include "api/accept.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

namespace quote_lab::api {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

/// Cuts the text up to the next separator off, and gives it back trimmed.
std::string_view take_part(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const auto part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trimmed(part);
}

double weight_of(std::string_view parameters) {
  while (!parameters.empty()) {
    const auto part = take_part(parameters, ';');
    if (part.size() < 3 || (part[0] != 'q' && part[0] != 'Q') || part[1] != '=') continue;
    const std::string number(part.substr(2));
    char* end = nullptr;
    const double weight = std::strtod(number.c_str(), &end);
    return end == number.c_str() + number.size() && weight >= 0 && weight <= 1 ? weight : 0;
  }
  return 1;
}

/// 2 for type/subtype, 1 for type/*, 0 for */*, -1 for no match.
int specificity(std::string_view range, std::string_view type, std::string_view whole) {
  if (same(range, whole)) return 2;
  if (range.size() == type.size() + 2 && range.ends_with("/*") && same(range.substr(0, type.size()), type))
    return 1;
  return range == "*/*" ? 0 : -1;
}

double weight_in(std::string_view accept, std::string_view type, std::string_view whole) {
  int best = -1;
  double weight = 0;
  while (!accept.empty()) {
    auto parameters = take_part(accept, ',');
    const auto range = take_part(parameters, ';');
    const int match = specificity(range, type, whole);
    if (match <= best) continue;
    best = match;
    weight = weight_of(parameters);
  }
  return weight;
}

}  // namespace

bool prefers_html(std::string_view accept) {
  return weight_in(accept, "text", "text/html") > weight_in(accept, "application", "application/json");
}

}  // namespace quote_lab::api
