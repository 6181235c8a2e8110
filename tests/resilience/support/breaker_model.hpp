// A breaker that is slow and obvious: it keeps everything that ever happened in a log, and answers each
// question by reading the log. It shares no code and no bookkeeping with the real one. Who calls it: the
// property test, which asks both the same and compares.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <resilience/breaker_config.hpp>
#include <resilience/breaker_snapshot.hpp>
#include <resilience/breaker_state.hpp>
#include <resilience/circuit_breaker.hpp>
#include <resilience/transition.hpp>

namespace resilience::testing {

class breaker_model {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  using time_point = std::chrono::steady_clock::time_point;

  explicit breaker_model(breaker_config config) : config_(std::move(config)) {
    log_.push_back({.what = kind::began, .state = breaker_state::closed});
  }

  std::vector<transition> told;  ///< every transition a listener should have heard

  /// The number of the permit, or nothing.
  std::optional<std::size_t> try_acquire(time_point now) {
    pass(now);
    const bool room = state() == breaker_state::closed ||
                      (state() == breaker_state::half_open && probes_out() < config_.half_open_probes);
    if (!room) {
      note({.what = kind::rejected});
      return std::nullopt;
    }
    note({.what = kind::permitted});
    permits_.push_back({.generation = generation(), .out = true});
    return permits_.size() - 1;
  }

  record_result record(std::size_t number, outcome how, time_point now) {
    pass(now);
    permits_[number].out = false;
    const bool used = permits_[number].generation == generation();
    note({.what = kind::result, .how = how, .used = used});
    record_result answer{.used = used};
    answer.consecutive_failures = run();
    if (!used) return answer;
    if (state() == breaker_state::closed && how == outcome::failure && rule_is_met()) {
      answer.change = change(breaker_state::open, transition_cause::threshold_reached);
    } else if (state() == breaker_state::half_open && how == outcome::failure) {
      answer.change = change(breaker_state::open, transition_cause::probe_failed);
    } else if (state() == breaker_state::half_open && successes_now() >= config_.successes_to_close) {
      answer.change = change(breaker_state::closed, transition_cause::probes_succeeded);
    }
    return answer;
  }

  void drop(std::size_t number) {
    permits_[number].out = false;
    note({.what = kind::dropped});
  }

  void observe(outcome how, time_point now) {
    clock_ = std::max(clock_, now);
    note({.what = kind::observed, .how = how});
  }

  bool trip(time_point now) {
    pass(now);
    if (state() == breaker_state::open) return false;
    change(breaker_state::open, transition_cause::tripped);
    return true;
  }

  void reset(time_point now) {
    clock_ = std::max(clock_, now);
    const auto before = state();
    note({.what = kind::wiped, .state = breaker_state::closed});
    if (before != breaker_state::closed) {
      told.push_back({.from = before,
                      .to = breaker_state::closed,
                      .generation = generation(),
                      .at = clock_,
                      .consecutive_failures = 0,
                      .cause = transition_cause::reset});
    }
  }

  void restore(breaker_state state, nanoseconds remaining, std::uint32_t run, time_point now) {
    clock_ = std::max(clock_, now);
    note({.what = kind::restored, .state = state, .open_until = clock_ + remaining, .run = run});
  }

  std::optional<transition> advance(time_point now) { return pass(now); }

  std::optional<nanoseconds> open_remaining(time_point now) {
    pass(now);
    if (state() != breaker_state::open) return std::nullopt;
    return era().open_until - clock_;
  }

  breaker_snapshot snapshot(time_point now) {
    breaker_snapshot seen;
    seen.open_remaining = open_remaining(now);
    seen.state = state();
    seen.generation = generation();
    seen.consecutive_failures = run();
    if (std::holds_alternative<failure_rate>(config_.rule)) {
      seen.window_calls = window(false);
      seen.window_failures = window(true);
      if (seen.window_calls >= std::get<failure_rate>(config_.rule).minimum_calls) seen.failure_rate = rate();
    }
    for (const auto& each : permits_) seen.permits_out += each.out;
    seen.probes_out = probes_out();
    seen.totals = totals();
    return seen;
  }

 private:
  enum class kind { began, permitted, rejected, result, dropped, observed, changed, wiped, restored };

  struct entry {
    kind what;
    outcome how = outcome::success;
    bool used = false;
    breaker_state state = breaker_state::closed;  // that began with it, for those kinds that begin an era
    time_point open_until{};
    std::uint32_t run = 0;  // restored
    time_point at{};
    breaker_state from = breaker_state::closed;
  };

  struct permit_given {
    std::uint64_t generation;
    bool out;
  };

  static bool begins_an_era(const entry& each) {
    return each.what == kind::began || each.what == kind::changed || each.what == kind::wiped ||
           each.what == kind::restored;
  }

  void note(entry each) {
    each.at = clock_;
    log_.push_back(each);
  }

  std::size_t era_begin() const {
    std::size_t i = log_.size() - 1;
    while (!begins_an_era(log_[i])) --i;
    return i;
  }
  const entry& era() const { return log_[era_begin()]; }
  breaker_state state() const { return era().state; }

  std::uint64_t generation() const {
    return static_cast<std::uint64_t>(std::count_if(log_.begin(), log_.end(), begins_an_era));
  }

  std::uint32_t run() const {
    std::uint32_t failures = 0;
    for (auto i = log_.rbegin(); i != log_.rend(); ++i) {
      if (i->what == kind::wiped) break;
      if (i->what == kind::restored) return failures + i->run;
      if (i->what != kind::result && i->what != kind::observed) continue;
      if (i->how == outcome::success) break;
      ++failures;
    }
    return failures;
  }

  std::uint64_t window(bool failures_only) const {
    const auto& rule = std::get<failure_rate>(config_.rule);
    if (state() != breaker_state::closed) return 0;
    const auto bucket = [&](time_point time) {
      return std::floor(static_cast<long double>(time.time_since_epoch().count()) /
                        static_cast<long double>(rule.bucket.count()));
    };
    std::uint64_t count = 0;
    for (std::size_t i = era_begin(); i < log_.size(); ++i) {
      const auto& each = log_[i];
      const bool enters = each.what == kind::observed || (each.what == kind::result && each.used);
      if (!enters || bucket(each.at) <= bucket(clock_) - static_cast<long double>(rule.buckets)) continue;
      if (!failures_only || each.how == outcome::failure) ++count;
    }
    return count;
  }

  double rate() const { return static_cast<double>(window(true)) / static_cast<double>(window(false)); }

  bool rule_is_met() const {
    if (const auto* in_a_row = std::get_if<consecutive_failures>(&config_.rule))
      return run() >= in_a_row->limit;
    const auto& rule = std::get<failure_rate>(config_.rule);
    return window(false) >= rule.minimum_calls && rate() >= rule.threshold;
  }

  std::uint32_t successes_now() const {
    std::uint32_t count = 0;
    for (std::size_t i = era_begin(); i < log_.size(); ++i) {
      count += log_[i].what == kind::result && log_[i].used && log_[i].how == outcome::success;
    }
    return count;
  }

  std::uint32_t probes_out() const {
    if (state() != breaker_state::half_open) return 0;
    std::uint32_t count = 0;
    for (const auto& each : permits_) count += each.out && each.generation == generation();
    return count;
  }

  std::optional<transition> pass(time_point now) {
    clock_ = std::max(clock_, now);
    if (state() != breaker_state::open || clock_ < era().open_until) return std::nullopt;
    return change(breaker_state::half_open, transition_cause::open_period_over);
  }

  transition change(breaker_state to, transition_cause cause) {
    const transition made{.from = state(),
                          .to = to,
                          .generation = generation() + 1,
                          .at = clock_,
                          .consecutive_failures = run(),
                          .cause = cause};
    note({.what = kind::changed, .state = to, .open_until = clock_ + config_.open_for, .from = made.from});
    told.push_back(made);
    return made;
  }

  breaker_totals totals() const {
    breaker_totals sum;
    auto i = log_.end();
    while (i != log_.begin() && std::prev(i)->what != kind::wiped) --i;
    for (; i != log_.end(); ++i) {
      const bool used_result = i->what == kind::result && i->used;
      sum.permitted += i->what == kind::permitted;
      sum.rejected += i->what == kind::rejected;
      sum.successes += used_result && i->how == outcome::success;
      sum.failures += used_result && i->how == outcome::failure;
      sum.stale += i->what == kind::result && !i->used;
      sum.neutral += i->what == kind::dropped;
      sum.observed += i->what == kind::observed;
      if (i->what != kind::changed) continue;
      sum.trips += i->state == breaker_state::open;
      ++sum.transitions[static_cast<std::size_t>(i->from)][static_cast<std::size_t>(i->state)];
    }
    return sum;
  }

  breaker_config config_;
  std::vector<entry> log_;
  std::vector<permit_given> permits_;
  time_point clock_ = time_point::min();
};

}  // namespace resilience::testing
