// A breaker_core with its own time, so that a test reads as a story: acquire, wait, fail.
// Who calls it: the tests of breaker_core.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include <resilience/breaker_core.hpp>

namespace resilience::testing {

struct core_driver {
  breaker_core core;
  breaker_core::time_point now{};

  explicit core_driver(breaker_config config) : core(std::move(config)) {}

  void wait(std::chrono::nanoseconds span) { now += span; }

  /// The generation of the permit, or nothing when refused.
  std::optional<std::uint64_t> acquire() { return core.acquire(now).generation; }

  record_step succeed(std::uint64_t generation) { return core.record(generation, outcome::success, now); }
  record_step fail(std::uint64_t generation) { return core.record(generation, outcome::failure, now); }

  /// A whole call, let through or not; true if it was let through.
  bool call(outcome how) {
    const auto generation = acquire();
    if (generation) core.record(*generation, how, now);
    return generation.has_value();
  }

  /// So many calls that are let through and fail.
  void fail_times(int times) {
    for (int i = 0; i < times; ++i) call(outcome::failure);
  }

  breaker_state state() {
    core.advance(now);
    return core.state();
  }

  breaker_snapshot snapshot() { return core.snapshot(now); }
};

}  // namespace resilience::testing
