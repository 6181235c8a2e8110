// A change of a breaker's state, as data: what the listeners are told and what `record` hands back.
// Who calls it: breaker_core makes them; listeners, logs and tests read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include <resilience/breaker_state.hpp>

namespace resilience {

/// Why the state changed.
enum class transition_cause : std::uint8_t {
  threshold_reached,  ///< closed to open: a failure met the trip rule
  probe_failed,       ///< half_open to open
  probes_succeeded,   ///< half_open to closed: enough probes came back well
  open_period_over,   ///< open to half_open: noticed by the first call after it
  tripped,            ///< to open: by hand, with trip()
  reset,              ///< to closed: by hand, with reset()
};

/// The name as it stands in the enumeration.
constexpr std::string_view to_string(transition_cause cause) {
  switch (cause) {
    case transition_cause::threshold_reached:
      return "threshold_reached";
    case transition_cause::probe_failed:
      return "probe_failed";
    case transition_cause::probes_succeeded:
      return "probes_succeeded";
    case transition_cause::open_period_over:
      return "open_period_over";
    case transition_cause::tripped:
      return "tripped";
    case transition_cause::reset:
      return "reset";
  }
  return "unknown";
}

struct transition {
  breaker_state from = breaker_state::closed;
  breaker_state to = breaker_state::closed;  ///< never equal to `from`
  std::uint64_t generation = 0;              ///< the generation that began with it
  std::chrono::steady_clock::time_point
      at;  ///< when the breaker noticed; never before the transition ahead of it
  std::uint32_t consecutive_failures = 0;  ///< the run of failures at that moment
  transition_cause cause = transition_cause::threshold_reached;

  bool operator==(const transition&) const = default;
};

}  // namespace resilience
