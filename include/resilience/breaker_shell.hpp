// One mutex round the breaker's core, and the listeners told after it is released.
// Who calls it: circuit_breaker, which adds the clock, and permit, which gives its place back here. It is no
// template, so that a permit need not be one either. Thread-safe. Starts no thread and arms no timer.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include <resilience/breaker_core.hpp>
#include <resilience/transition_feed.hpp>

namespace resilience {

class breaker_shell {
 public:
  using time_point = breaker_core::time_point;

  explicit breaker_shell(breaker_config config) : core_(std::move(config)) {}
  breaker_shell(const breaker_shell&) = delete;
  breaker_shell& operator=(const breaker_shell&) = delete;

  std::optional<std::uint64_t> acquire(time_point now) {
    std::unique_lock lock(mutex_);
    return tell(std::move(lock), core_.acquire(now)).generation;
  }

  record_step record(std::uint64_t generation, outcome how, time_point now) {
    std::unique_lock lock(mutex_);
    return tell(std::move(lock), core_.record(generation, how, now));
  }

  void give_back(std::uint64_t generation) noexcept {
    const std::lock_guard lock(mutex_);
    core_.give_back(generation);
  }

  void observe(outcome how, time_point now) {
    const std::lock_guard lock(mutex_);
    core_.observe(how, now);
  }

  std::optional<transition> advance(time_point now) {
    std::unique_lock lock(mutex_);
    return tell(std::move(lock), core_step{.by_time = core_.advance(now)}).by_time;
  }

  core_step trip(time_point now) {
    std::unique_lock lock(mutex_);
    return tell(std::move(lock), core_.trip(now));
  }

  void reset(time_point now) {
    std::unique_lock lock(mutex_);
    tell(std::move(lock), core_.reset(now));
  }

  void restore(breaker_state state, std::chrono::nanoseconds open_remaining, std::uint32_t failures_in_a_row,
               time_point now) {
    const std::lock_guard lock(mutex_);
    core_.restore(state, open_remaining, failures_in_a_row, now);
  }

  breaker_state state(time_point now) {
    return read(now, [](breaker_core& core) { return core.state(); });
  }

  std::optional<std::chrono::nanoseconds> open_remaining(time_point now) {
    return read(now, [now](breaker_core& core) { return core.open_remaining(now); });
  }

  breaker_snapshot snapshot(time_point now) {
    return read(now, [now](breaker_core& core) { return core.snapshot(now); });
  }

  std::uint32_t failures_in_a_row() {
    const std::lock_guard lock(mutex_);
    return core_.failures_in_a_row();
  }

  void on_transition(transition_feed::listener heard) { feed_.add(std::move(heard)); }

 private:
  /// Lets time pass first, so that what is read is what holds at `now`.
  template <class Look>
  std::invoke_result_t<Look, breaker_core&> read(time_point now, Look look) {
    std::unique_lock lock(mutex_);
    const core_step step{.by_time = core_.advance(now)};
    auto seen = look(core_);
    tell(std::move(lock), step);
    return seen;
  }

  /// Posted under the lock, so that the order is the core's; delivered without it, so that a listener may
  /// call us.
  template <class Step>
  Step tell(std::unique_lock<std::mutex> lock, Step step) {
    const bool something = feed_.post(step.by_time, step.by_call);
    lock.unlock();
    if (something) feed_.deliver();
    return step;
  }

  std::mutex mutex_;
  breaker_core core_;
  transition_feed feed_;
};

}  // namespace resilience
