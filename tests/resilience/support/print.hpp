// How GoogleTest shows the library's values when they differ.
#pragma once

#include <ostream>

#include <resilience/breaker_state.hpp>
#include <resilience/transition.hpp>

namespace resilience {

inline void PrintTo(breaker_state state, std::ostream* out) {
  *out << to_string(state);
}

inline void PrintTo(const transition& change, std::ostream* out) {
  *out << to_string(change.from) << " to " << to_string(change.to) << " by " << to_string(change.cause)
       << " at " << change.at.time_since_epoch().count() << " ns, generation " << change.generation << ", "
       << change.consecutive_failures << " failures in a row";
}

}  // namespace resilience
