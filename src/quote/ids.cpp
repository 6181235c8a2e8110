#include "quote/ids.hpp"

namespace quote_lab::quote {

std::string hex_digits(std::mt19937_64& engine, int digits) {
  constexpr std::string_view alphabet = "0123456789abcdef";
  std::string result;
  result.reserve(static_cast<std::size_t>(digits));
  for (std::uint64_t bits = 0, left = 0; digits > 0; --digits, --left, bits >>= 4) {
    if (left == 0) {
      bits = engine();
      left = 16;
    }
    result += alphabet[bits & 15U];
  }
  return result;
}

}  // namespace quote_lab::quote
