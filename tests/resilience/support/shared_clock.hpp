// A manual clock that all threads see alike, for tests of one breaker under many threads.
#pragma once

#include <atomic>
#include <chrono>

namespace resilience::testing {

struct shared_clock {
  using duration = std::chrono::steady_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr bool is_steady = true;

  static time_point now() { return time_point(duration(ticks_.load())); }
  static void advance(duration step) { ticks_ += step.count(); }

 private:
  static inline std::atomic<rep> ticks_{0};
};

}  // namespace resilience::testing
