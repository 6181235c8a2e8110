// A clock that moves only when told to, and the way to step Asio's timers and coroutines by it.
// Who calls it: tests and simulations, in place of steady_clock: circuit_breaker<manual_clock>,
// with_timeout<manual_clock>, boost::asio::basic_waitable_timer<manual_clock>. An hour passes in a
// millisecond. The time is thread_local, so that tests and sweeps on several threads do not meet; each starts
// at the epoch. Limits: knows timers and posted work, not sockets or other threads, which take real time.
// io_context::run() with a pending manual timer would spin; use the functions below.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/system/error_code.hpp>

#include <resilience/saturating_time.hpp>

namespace resilience {

struct manual_clock {
  using duration = std::chrono::steady_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr bool is_steady = false;  // set() may put it back

  static time_point now() noexcept { return time_; }
  static void set(time_point time) noexcept { time_ = time; }
  static void advance(duration step) noexcept { time_ += step; }

 private:
  static inline thread_local time_point time_{};
};

namespace detail {

/// When the earliest timer is due, as far as Asio has asked how long to wait for it.
inline thread_local std::optional<manual_clock::time_point> next_timer;

}  // namespace detail
}  // namespace resilience

/// Never blocks. Asio asks here how long it may sleep until its earliest timer, which tells us when that is.
template <>
struct boost::asio::wait_traits<resilience::manual_clock> {
  using clock = resilience::manual_clock;

  static clock::duration to_wait_duration(const clock::duration& wait) {
    const auto from_now = wait < clock::duration::zero() ? clock::duration::zero() : wait;
    resilience::detail::next_timer = resilience::detail::add_saturated(clock::now(), from_now);
    return clock::duration::zero();
  }

  static clock::duration to_wait_duration(const clock::time_point& due) {
    return to_wait_duration(due - clock::now());
  }
};

namespace resilience {
namespace detail {

/// Runs handlers until a timer that is due at this moment has run too: by then every other timer that is due
/// has been found. Needed since the kernel wakes Asio a little after the timer is set. Returns the number of
/// handlers run, or nothing if somebody stopped the context.
inline std::optional<std::size_t> run_round(boost::asio::io_context& context) {
  const auto reached = std::make_shared<bool>(false);
  boost::asio::basic_waitable_timer<manual_clock> marker(context, manual_clock::now());
  marker.async_wait([reached](const boost::system::error_code&) { *reached = true; });
  next_timer.reset();
  context.restart();
  std::size_t handlers = 0;
  while (!*reached) {
    if (context.stopped()) return std::nullopt;
    handlers += context.poll();
  }
  return handlers - 1;
}

}  // namespace detail

/// Runs all that is ready at the present manual time, and what becomes ready by it; time stands still.
/// Returns when the next timer is due, or nothing if none is pending (or the context was stopped).
inline std::optional<manual_clock::time_point> run_ready(boost::asio::io_context& context) {
  for (;;) {
    const auto handlers = detail::run_round(context);
    if (!handlers) return std::nullopt;
    if (*handlers == 0) return detail::next_timer;
  }
}

/// Moves time by `span`, stopping at each timer on the way and running what it wakes. Time then stands
/// exactly `span` later, unless a handler moved it further.
inline void run_for(boost::asio::io_context& context, manual_clock::duration span) {
  const auto end = manual_clock::now() + span;
  for (;;) {
    const auto next = run_ready(context);
    if (!next || *next > end) break;
    manual_clock::set(*next);
  }
  if (manual_clock::now() >= end) return;
  manual_clock::set(end);
  run_ready(context);
}

/// Moves time from timer to timer until none is pending, but by no more than `limit`: work that goes round
/// for ever would never be idle. True if nothing is left to wait for; time stands at the last timer.
inline bool run_until_idle(boost::asio::io_context& context,
                           manual_clock::duration limit = std::chrono::hours(1)) {
  const auto end = manual_clock::now() + limit;
  for (;;) {
    const auto next = run_ready(context);
    if (!next) return true;
    if (*next > end) return false;
    manual_clock::set(*next);
  }
}

}  // namespace resilience
