// The circuit breaker as a pure state machine: what may go through, and what each result changes.
// Who calls it: breaker_shell, which puts a lock round it and tells the listeners; simulations, which need
// neither.
//
// It reads no clock, sleeps on nothing and calls nobody: each method takes the time, and returns the
// transitions it made. So an hour is tested in a millisecond. Single-threaded. Time never goes back: an
// earlier `now` counts as the latest one seen.
//
// Two memories, kept apart on purpose:
//  - the RUN of failures is a fact about the server. Every result moves it, whoever made the call and
//  whenever it was
//    let through; a success sets it to 0. It survives the breaker's opening.
//  - the WINDOW belongs to a generation. Only results of calls permitted in it, and observed ones, enter, and
//  only while
//    closed. Refused calls never do: they would dilute the rate of a server that nobody asks.
// Every transition begins a generation. A result from an earlier one is stale: it can neither close a breaker
// that opened meanwhile, nor move the end of the open period.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include <resilience/breaker_config.hpp>
#include <resilience/breaker_snapshot.hpp>
#include <resilience/breaker_state.hpp>
#include <resilience/rolling_window.hpp>
#include <resilience/saturating_time.hpp>
#include <resilience/transition.hpp>

namespace resilience {

/// The transitions of one call, in order: the one that was due because time had passed, then the call's own.
struct core_step {
  std::optional<transition> by_time{};
  std::optional<transition> by_call{};
};

struct acquire_step : core_step {
  std::optional<std::uint64_t> generation{};  ///< the permit's, or nothing when refused
};

struct record_step : core_step {
  bool used = false;  ///< false: stale
  std::uint32_t consecutive_failures = 0;
};

class breaker_core {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Throws std::invalid_argument with the sentence of problem_with(config).
  explicit breaker_core(breaker_config config);

  /// Lets time pass: an open breaker whose period is over becomes half-open.
  std::optional<transition> advance(time_point now) { return update_state(now); }

  /// Asks leave for one call. Every generation handed out must come back through record or give_back, once.
  acquire_step acquire(time_point now);

  /// The result of a call that acquire() let through in `generation`.
  record_step record(std::uint64_t generation, outcome how, time_point now);

  /// A call that was let through ended without saying anything about the server. Counts for nothing; changes
  /// no state.
  void give_back(std::uint64_t generation);

  /// The result of a call that went round the breaker. Never changes the state, not even by letting time
  /// pass.
  void observe(outcome how, time_point now);

  /// Opens it for a whole period, whatever the state; no transition when it is open already.
  core_step trip(time_point now);

  /// Afresh: closed, run, window and totals 0, and a new generation even when it was closed.
  core_step reset(time_point now);

  /// Takes over what another breaker knew, from now on. Not a transition: what is restored happened
  /// elsewhere, and was told there. Begins a generation; totals stay. `open_remaining` counts only for open,
  /// is taken as it comes (open_for neither shortens nor lengthens it), and below 0 is 0: over at the next
  /// call.
  void restore(breaker_state state, std::chrono::nanoseconds open_remaining, std::uint32_t failures_in_a_row,
               time_point now);

  /// As of the last call and `now`; does not let time pass by itself.
  breaker_snapshot snapshot(time_point now);

  breaker_state state() const { return state_; }
  std::uint32_t failures_in_a_row() const { return run_; }

  /// How long it stays open; nothing unless it is open.
  std::optional<std::chrono::nanoseconds> open_remaining(time_point now) const;

 private:
  time_point never_back(time_point now) { return latest_ = std::max(latest_, now); }
  void move_run(outcome how);
  bool has_room() const;
  bool check_threshold(time_point now);
  std::optional<transition> update_state(time_point now);
  std::optional<transition> judge(outcome how, time_point now);
  transition change_to(breaker_state to, transition_cause cause, time_point now);
  void begin_generation();

  breaker_config config_;
  std::optional<rolling_window> window_;
  time_point latest_ = time_point::min();
  time_point open_until_{};
  breaker_state state_ = breaker_state::closed;
  std::uint64_t generation_ = 1;
  std::uint64_t permits_out_ = 0;
  std::uint32_t run_ = 0;
  std::uint32_t probes_out_ = 0;
  std::uint32_t probe_successes_ = 0;
  breaker_totals totals_;
};

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
  run_ = 0;
  if (state_ != breaker_state::closed) {
    step.by_call = change_to(breaker_state::closed, transition_cause::reset, never_back(now));
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
