// The provider as the lab has come to know it: the breaker in front of it, the record that clients are shown,
// and the last quote known. Both modes report here. One thread. Called by: the flows, api/, app/.
#pragma once

#include <functional>

#include <resilience/circuit_breaker.hpp>

#include "quote/provider_record.hpp"

namespace quote_lab::quote {

template <class Clock>
class dependency {
 public:
  using wall_clock = std::function<wall_time()>;
  using on_change = std::function<void()>;
  using on_transition = std::function<void(const resilience::transition&)>;

  /// The wall clock is for display and for what is written on disk; durations come from Clock alone.
  dependency(resilience::breaker_config breaker, wall_clock now);

  /// Hears of each change of the record; a transition is told to both, to `transition` first.
  void listen(on_change change, on_transition transition);

  /// A permit for one attempt, or nothing: short circuit, counted.
  std::optional<resilience::permit> try_acquire();

  /// Reports how an attempt ended. Without a permit the breaker hears of it, but does not change its state.
  resilience::record_result report(std::optional<resilience::permit> permit, resilience::outcome how,
                                   milliseconds latency);

  /// A live quote becomes the one that a fallback gives.
  void remember(known_quote live);
  const known_quote& cached() const { return record_.cached; }

  /// Lets time pass for the breaker: open becomes half-open when its period is over.
  resilience::breaker_state circuit() { return breaker_.state(); }
  std::optional<typename Clock::duration> open_remaining() { return breaker_.open_remaining(); }
  resilience::breaker_snapshot breaker_snapshot() { return breaker_.snapshot(); }

  provider_record record();

  /// Afresh, as on the first day.
  void reset();

  /// Goes on from a record that was saved. An open breaker stays open for what is left of its period, and for
  /// one period at most whatever the file says; one whose period is over is half-open.
  void restore(const provider_record& saved);

 private:
  void transitioned(const resilience::transition& change);
  std::optional<wall_time> opened_until();

  std::chrono::nanoseconds open_for_;
  resilience::circuit_breaker<Clock> breaker_;
  wall_clock wall_now_;
  on_change on_change_ = [] {};
  on_transition on_transition_ = [](const resilience::transition&) {};
  provider_record record_;
};

}  // namespace quote_lab::quote
