// The identifiers of the lab: a short prefix and hex digits drawn from the lab's one random engine.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace quote_lab::quote {

/// `digits` hex digits, lower case.
std::string hex_digits(std::mt19937_64& engine, int digits);

inline std::string quote_id(std::mt19937_64& engine) {
  return "quote-" + hex_digits(engine, 10);
}

}  // namespace quote_lab::quote
