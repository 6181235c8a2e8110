#include "quote/dependency.hpp"

#include <algorithm>
#include <utility>

#include <resilience/manual_clock.hpp>

namespace quote_lab::quote {

using namespace std::chrono_literals;
using resilience::breaker_state;

template <class Clock>
dependency<Clock>::dependency(resilience::breaker_config breaker, wall_clock now)
    : open_for_(breaker.open_for), breaker_(std::move(breaker)), wall_now_(std::move(now)) {
  record_.cached = seed_quote(wall_now_());
  breaker_.on_transition([this](const resilience::transition& change) { transitioned(change); });
}

template <class Clock>
void dependency<Clock>::listen(on_change change, on_transition transition) {
  on_change_ = std::move(change);
  on_transition_ = std::move(transition);
}

template <class Clock>
void dependency<Clock>::transitioned(const resilience::transition& change) {
  record_.opened_until.reset();
  if (change.to == breaker_state::open) {
    ++record_.open_events;
    record_.opened_until = wall_now_() + std::chrono::duration_cast<wall_time::duration>(open_for_);
  }
  on_transition_(change);
  on_change_();
}

template <class Clock>
std::optional<resilience::permit> dependency<Clock>::try_acquire() {
  auto permit = breaker_.try_acquire();
  if (!permit) {
    ++record_.short_circuit_count;
    on_change_();
  }
  return permit;
}

template <class Clock>
resilience::record_result dependency<Clock>::report(std::optional<resilience::permit> permit,
                                                    resilience::outcome how, milliseconds latency) {
  record_.last_outcome = how == resilience::outcome::success ? last_outcome::success : last_outcome::failure;
  record_.last_latency = latency;
  record_.last_updated = wall_now_();
  resilience::record_result result{};
  if (permit) {
    result = breaker_.record(std::move(*permit), how);
  } else {
    breaker_.observe(how);
  }
  on_change_();
  return result;
}

template <class Clock>
void dependency<Clock>::remember(known_quote live) {
  record_.cached = std::move(live);
  on_change_();
}

/// The end of the open period is fixed when the breaker opens. Only a wall clock that was set meanwhile moves
/// it: then what is left by the steady clock counts.
template <class Clock>
std::optional<wall_time> dependency<Clock>::opened_until() {
  const auto remaining = breaker_.open_remaining();
  if (!remaining) return std::nullopt;
  const auto by_steady_clock = wall_now_() + std::chrono::duration_cast<wall_time::duration>(*remaining);
  if (!record_.opened_until || std::chrono::abs(by_steady_clock - *record_.opened_until) > 1s) {
    record_.opened_until = by_steady_clock;
  }
  return record_.opened_until;
}

template <class Clock>
provider_record dependency<Clock>::record() {
  auto result = record_;
  result.circuit = breaker_.state();
  result.opened_until = opened_until();
  result.open_events = record_.open_events;  // state() may just have let time pass
  result.consecutive_failures = breaker_.snapshot().consecutive_failures;
  return result;
}

template <class Clock>
void dependency<Clock>::reset() {
  breaker_.reset();
  record_ = provider_record{};
  record_.cached = seed_quote(wall_now_());
  on_change_();
}

template <class Clock>
void dependency<Clock>::restore(const provider_record& saved) {
  auto left = std::chrono::nanoseconds{0};
  auto state = saved.circuit;
  if (state == breaker_state::open) {
    if (saved.opened_until) left = *saved.opened_until - wall_now_();
    left = std::min(left, open_for_);
    if (left <= 0ns) state = breaker_state::half_open;
  }
  breaker_.restore(state, std::max(left, 0ns), saved.consecutive_failures);
  record_ = saved;
  record_.opened_until.reset();
  if (state == breaker_state::open) {
    record_.opened_until = wall_now_() + std::chrono::duration_cast<wall_time::duration>(left);
  }
}

template class dependency<std::chrono::steady_clock>;
template class dependency<resilience::manual_clock>;

}  // namespace quote_lab::quote
