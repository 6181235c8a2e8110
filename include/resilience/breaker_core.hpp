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
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include <resilience/breaker_config.hpp>
#include <resilience/breaker_snapshot.hpp>
#include <resilience/breaker_state.hpp>
#include <resilience/rolling_window.hpp>
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

}  // namespace resilience

#include <resilience/impl/breaker_core.hpp>
