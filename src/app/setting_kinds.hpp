// How the kinds of values are read and shown: whole numbers, times, switches, choices, texts. Strict on
// purpose: no sign, no leading zero, no unit, nothing behind the number. Called by: settings.cpp.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "app/settings.hpp"

namespace quote_lab::app {

/// The whole text as a number without leading zeros, or nothing.
inline std::optional<std::uint64_t> parse_whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool padded = text.size() > 1 && text.front() == '0';
  if (error != std::errc{} || end != text.data() + text.size() || padded) return std::nullopt;
  return value;
}

/// A whole number in its range; `take` puts it into a config, `give` gets it back.
template <class Take, class Give>
setting ranged(std::string name, std::string purpose, std::uint64_t least, std::uint64_t most, Take take,
               Give give) {
  setting made;
  made.name = std::move(name);
  made.purpose = std::move(purpose);
  made.allowed = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  made.read = [=](config& into, std::string_view text) {
    const auto value = parse_whole(text);
    if (!value || *value < least || *value > most) return false;
    take(into, *value);
    return true;
  };
  made.show = [=](const config& from) {
    auto copy = from;
    return std::to_string(std::invoke(give, copy));
  };
  return made;
}

/// `at` is the place in a config, of an integer: a member, or what gives a reference.
template <class At>
setting whole_number(std::string name, std::string purpose, std::uint64_t least, std::uint64_t most, At at) {
  using value_type = std::remove_cvref_t<decltype(std::invoke(at, std::declval<config&>()))>;
  const auto take = [at](config& into, std::uint64_t value) {
    std::invoke(at, into) = static_cast<value_type>(value);
  };
  return ranged(std::move(name), std::move(purpose), least, most, take, at);
}

/// `at` is the place in a config, of a duration. The text is a number of milliseconds.
template <class At>
setting time_ms(std::string name, std::string purpose, std::uint64_t least, std::uint64_t most, At at) {
  using std::chrono::milliseconds;
  const auto take = [at](config& into, std::uint64_t value) { std::invoke(at, into) = milliseconds(value); };
  const auto give = [at](config& from) {
    return std::chrono::duration_cast<milliseconds>(std::invoke(at, from)).count();
  };
  return ranged(std::move(name), std::move(purpose), least, most, take, give);
}

template <class At>
setting on_or_off(std::string name, std::string purpose, At at) {
  setting made;
  made.name = std::move(name);
  made.purpose = std::move(purpose);
  made.allowed = "true or false";
  made.is_switch = true;
  made.read = [=](config& into, std::string_view text) {
    const bool yes = text == "true" || text == "1";
    if (!yes && text != "false" && text != "0") return false;
    std::invoke(at, into) = yes;
    return true;
  };
  made.show = [=](const config& from) {
    auto copy = from;
    return std::string(std::invoke(at, copy) ? "true" : "false");
  };
  return made;
}

template <class Value, class At>
setting one_of(std::string name, std::string purpose, std::vector<std::pair<std::string, Value>> choices,
               At at) {
  setting made;
  made.name = std::move(name);
  made.purpose = std::move(purpose);
  for (const auto& [word, value] : choices) made.allowed += (made.allowed.empty() ? "" : ", ") + word;
  made.allowed = "one of " + made.allowed;
  made.read = [=](config& into, std::string_view text) {
    for (const auto& [word, value] : choices) {
      if (word != text) continue;
      std::invoke(at, into) = value;
      return true;
    }
    return false;
  };
  made.show = [=](const config& from) {
    auto copy = from;
    for (const auto& [word, value] : choices) {
      if (value == std::invoke(at, copy)) return word;
    }
    return std::string();
  };
  return made;
}

}  // namespace quote_lab::app
