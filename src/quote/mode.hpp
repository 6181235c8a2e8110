// The two ways of asking the provider, and a small array with one place for each.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace quote_lab::quote {

enum class mode { legacy, resilient };

inline constexpr std::array all_modes{mode::legacy, mode::resilient};

constexpr std::string_view to_string(mode value) {
  return value == mode::legacy ? "legacy" : "resilient";
}

/// One T for each mode.
template <class T>
struct by_mode {
  std::array<T, all_modes.size()> values{};

  T& operator[](mode which) { return values[static_cast<std::size_t>(which)]; }
  const T& operator[](mode which) const { return values[static_cast<std::size_t>(which)]; }
  bool operator==(const by_mode&) const = default;
};

}  // namespace quote_lab::quote
