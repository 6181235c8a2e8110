// The method bodies of breaker_core; included by resilience/breaker_core.hpp alone, which says what each one
// promises. State changes at one place, change_to(), and a generation begins at one, begin_generation().
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>

#include <resilience/breaker_core.hpp>
#include <resilience/saturating_time.hpp>

namespace resilience {

inline breaker_core::breaker_core(breaker_config config) : config_(std::move(config)) {
  if (const auto problem = problem_with(config_)) throw std::invalid_argument(*problem);
  if (const auto* rate = std::get_if<failure_rate>(&config_.rule))
    window_.emplace(rate->bucket, rate->buckets);
}

inline acquire_step breaker_core::acquire(time_point now) {
  acquire_step step;
  step.by_time = update_state(now);
  if (!has_room()) {
    ++totals_.rejected;
    return step;
  }
  if (state_ == breaker_state::half_open) ++probes_out_;
  ++permits_out_;
  ++totals_.permitted;
  step.generation = generation_;
  return step;
}

inline record_step breaker_core::record(std::uint64_t generation, outcome how, time_point now) {
  record_step step;
  step.by_time = update_state(now);
  --permits_out_;
  move_run(how);
  step.consecutive_failures = run_;
  step.used = generation == generation_;
  if (!step.used) {
    ++totals_.stale;
    return step;
  }
  ++(how == outcome::success ? totals_.successes : totals_.failures);
  step.by_call = judge(how, latest_);
  return step;
}

inline void breaker_core::give_back(std::uint64_t generation) {
  --permits_out_;
  ++totals_.neutral;
  if (generation == generation_ && state_ == breaker_state::half_open) --probes_out_;
}

inline void breaker_core::observe(outcome how, time_point now) {
  now = never_back(now);
  ++totals_.observed;
  move_run(how);
  if (state_ == breaker_state::closed && window_) window_->add(how, now);
}

inline core_step breaker_core::trip(time_point now) {
  core_step step;
  step.by_time = update_state(now);
  if (state_ != breaker_state::open) {
    step.by_call = change_to(breaker_state::open, transition_cause::tripped, latest_);
  }
  return step;
}

inline core_step breaker_core::reset(time_point now) {
  core_step step;
  now = never_back(now);
  run_ = 0;
  if (state_ != breaker_state::closed) {
    step.by_call = change_to(breaker_state::closed, transition_cause::reset, now);
  } else {
    begin_generation();
  }
  totals_ = breaker_totals{};
  return step;
}

inline void breaker_core::restore(breaker_state state, std::chrono::nanoseconds open_remaining,
                                  std::uint32_t failures_in_a_row, time_point now) {
  begin_generation();
  state_ = state;
  run_ = failures_in_a_row;
  open_until_ =
      detail::add_saturated(never_back(now), std::max(open_remaining, std::chrono::nanoseconds::zero()));
}

inline breaker_snapshot breaker_core::snapshot(time_point now) {
  now = never_back(now);
  breaker_snapshot seen;
  seen.state = state_;
  seen.open_remaining = open_remaining(now);
  seen.generation = generation_;
  seen.consecutive_failures = run_;
  if (window_) {
    const auto [calls, failures] = window_->seen(now);
    seen.window_calls = calls;
    seen.window_failures = failures;
    if (calls >= std::get<failure_rate>(config_.rule).minimum_calls) {
      seen.failure_rate = static_cast<double>(failures) / static_cast<double>(calls);
    }
  }
  seen.permits_out = permits_out_;
  seen.probes_out = probes_out_;
  seen.totals = totals_;
  return seen;
}

inline std::optional<std::chrono::nanoseconds> breaker_core::open_remaining(time_point now) const {
  if (state_ != breaker_state::open) return std::nullopt;
  now = std::max(latest_, now);
  return now >= open_until_ ? std::chrono::nanoseconds::zero() : detail::time_between(now, open_until_);
}

inline void breaker_core::move_run(outcome how) {
  if (how == outcome::success) {
    run_ = 0;
  } else if (run_ < std::numeric_limits<std::uint32_t>::max()) {
    ++run_;
  }
}

inline bool breaker_core::has_room() const {
  return state_ == breaker_state::closed ||
         (state_ == breaker_state::half_open && probes_out_ < config_.half_open_probes);
}

inline bool breaker_core::check_threshold(time_point now) {
  if (const auto* in_a_row = std::get_if<consecutive_failures>(&config_.rule)) return run_ >= in_a_row->limit;
  const auto& rule = std::get<failure_rate>(config_.rule);
  const auto [calls, failures] = window_->seen(now);
  // Divided, not multiplied out: 3 of 10 is then exactly the double that a threshold of 0.3 is.
  return calls >= rule.minimum_calls &&
         static_cast<double>(failures) / static_cast<double>(calls) >= rule.threshold;
}

inline std::optional<transition> breaker_core::update_state(time_point now) {
  now = never_back(now);
  if (state_ != breaker_state::open || now < open_until_) return std::nullopt;
  return change_to(breaker_state::half_open, transition_cause::open_period_over, now);
}

/// What a result of the present generation does to the state. None comes while open: no permit is given then.
inline std::optional<transition> breaker_core::judge(outcome how, time_point now) {
  const bool failed = how == outcome::failure;
  if (state_ == breaker_state::closed) {
    if (window_) window_->add(how, now);
    if (!failed || !check_threshold(now)) return std::nullopt;
    return change_to(breaker_state::open, transition_cause::threshold_reached, now);
  }
  --probes_out_;
  if (failed) return change_to(breaker_state::open, transition_cause::probe_failed, now);
  if (++probe_successes_ < config_.successes_to_close) return std::nullopt;
  return change_to(breaker_state::closed, transition_cause::probes_succeeded, now);
}

inline transition breaker_core::change_to(breaker_state to, transition_cause cause, time_point now) {
  begin_generation();
  const transition change{.from = state_,
                          .to = to,
                          .generation = generation_,
                          .at = now,
                          .consecutive_failures = run_,
                          .cause = cause};
  ++totals_.transitions[static_cast<std::size_t>(state_)][static_cast<std::size_t>(to)];
  if (to == breaker_state::open) {
    ++totals_.trips;
    open_until_ = detail::add_saturated(now, config_.open_for);
  }
  state_ = to;
  return change;
}

inline void breaker_core::begin_generation() {
  ++generation_;
  probes_out_ = 0;
  probe_successes_ = 0;
  if (window_) window_->clear();
}

}  // namespace resilience
