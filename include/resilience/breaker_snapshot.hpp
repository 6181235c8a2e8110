// Everything a breaker knows about itself at one moment, as plain data.
// Who calls it: metrics, status pages, whoever saves the state, tests. All of it is read under one lock, so
// the numbers fit each other:
//   permitted + (permits out at the last reset) = successes + failures + stale + neutral + permits_out
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <resilience/breaker_state.hpp>

namespace resilience {

/// Counted since the breaker was made or last reset.
struct breaker_totals {
  std::uint64_t permitted = 0;  ///< calls let through, probes among them
  std::uint64_t rejected = 0;   ///< calls refused
  std::uint64_t successes = 0;  ///< results of permitted calls, of the generation they were permitted in
  std::uint64_t failures = 0;   ///< likewise
  std::uint64_t stale = 0;      ///< results that came in a later generation than the permit's
  std::uint64_t neutral = 0;    ///< permits dropped without a result, whatever their generation
  std::uint64_t observed = 0;   ///< results of calls that went round the breaker
  std::uint64_t trips = 0;      ///< transitions to open, from wherever
  /// [from][to]: see transitions_between. The transition that a reset makes itself belongs to what it wipes
  /// out.
  std::array<std::array<std::uint64_t, breaker_states>, breaker_states> transitions{};

  constexpr std::uint64_t transitions_between(breaker_state from, breaker_state to) const {
    return transitions[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }

  bool operator==(const breaker_totals&) const = default;
};

struct breaker_snapshot {
  breaker_state state = breaker_state::closed;
  std::optional<std::chrono::nanoseconds> open_remaining;  ///< only while open; above 0
  std::uint64_t generation = 0;
  std::uint32_t consecutive_failures = 0;  ///< the run; stays at its highest value rather than wrap round
  std::uint64_t window_calls = 0;          ///< 0 under the consecutive_failures rule, which keeps no window
  std::uint64_t window_failures = 0;
  std::optional<double>
      failure_rate;               ///< nothing below minimum_calls, and under the consecutive_failures rule
  std::uint64_t permits_out = 0;  ///< calls in flight, those of earlier generations too
  std::uint32_t probes_out = 0;   ///< of these, the probes of the present half-open period
  breaker_totals totals;

  bool operator==(const breaker_snapshot&) const = default;
};

}  // namespace resilience
