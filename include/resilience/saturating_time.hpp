// Times that stop at the end of the clock's range instead of wrapping round, so that "open for ever" can be
// written as nanoseconds::max(). Who calls it: breaker_core and manual_clock.
#pragma once

#include <chrono>

namespace resilience::detail {

using steady_time = std::chrono::steady_clock::time_point;

/// `from` + `wait`, at most time_point::max(). `wait` must not be negative.
constexpr steady_time add_saturated(steady_time from, std::chrono::nanoseconds wait) {
  return from > steady_time::max() - wait ? steady_time::max() : from + wait;
}

/// How long from `now` to `until`, which must not lie before it; at most nanoseconds::max().
constexpr std::chrono::nanoseconds time_between(steady_time now, steady_time until) {
  const bool too_far = now < steady_time{} && until > steady_time::max() + now.time_since_epoch();
  return too_far ? std::chrono::nanoseconds::max() : until - now;
}

}  // namespace resilience::detail
