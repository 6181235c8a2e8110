// How the provider behaves: the scenario that a client asks for.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace quote_lab::quote {

enum class scenario { ok, slow_provider, flaky_provider, provider_down, burst_then_recover };

inline constexpr std::array all_scenarios{scenario::ok, scenario::slow_provider, scenario::flaky_provider,
                                          scenario::provider_down, scenario::burst_then_recover};

constexpr std::string_view to_string(scenario value) {
  constexpr std::array<std::string_view, all_scenarios.size()> names{"ok", "slow_provider", "flaky_provider",
                                                                     "provider_down", "burst_then_recover"};
  return names[static_cast<std::size_t>(value)];
}

/// The scenario of that name, or nothing.
constexpr std::optional<scenario> scenario_named(std::string_view name) {
  for (const auto value : all_scenarios) {
    if (to_string(value) == name) return value;
  }
  return std::nullopt;
}

}  // namespace quote_lab::quote
