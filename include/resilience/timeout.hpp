// A time limit that cancels the work instead of merely ceasing to wait for it.
// Who calls it: whoever awaits something that may take too long.
//
// When with_timeout returns, the work has ended, whichever way: a timer of its own or a socket below it is
// closed or idle, and nothing of it touches its caller's data any more. The price: work that ignores
// cancellation (terminal) is waited for, and defeats the limit. Limits: the coroutine's executor must run one
// thing at a time (a single-threaded io_context, or a strand): Asio's parallel_group races on a bare thread
// pool. Why not `work || timer`: when the work throws, that operator swallows the error and waits the timer
// out.
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace resilience {
namespace detail {

// A group of operations hands down one cancellation and no more. A caller's gentler one (total, partial)
// would end the timer, be ignored by the work, and leave it without a limit: so the work hears each as
// terminal.
struct any_as_terminal {
  boost::asio::cancellation_type_t operator()(boost::asio::cancellation_type_t came) const noexcept {
    using boost::asio::cancellation_type;
    return came == cancellation_type::none ? cancellation_type::none : cancellation_type::terminal;
  }
};

inline boost::asio::awaitable<void> heed_any(boost::asio::awaitable<void> work) {
  co_await boost::asio::this_coro::reset_cancellation_state(any_as_terminal());
  co_await std::move(work);
}

template <class T>
boost::asio::awaitable<void> keep_value(boost::asio::awaitable<T> work, std::optional<T>& value) {
  value.emplace(co_await std::move(work));
}

}  // namespace detail

/// Awaits `work` for at most `limit`. True: it ended in time. False: the limit struck first; the work was
/// cancelled and has ended, and what it ended with is dropped. An exception of work that ended in time is
/// carried on. A cancellation from outside is handed down to the work (which hears it as terminal), and the
/// work's own end, with or without an exception, is what comes out. A limit of 0 or less has struck already,
/// yet the work is started, and wins if it ends without waiting.
template <class Clock = std::chrono::steady_clock>
boost::asio::awaitable<bool> with_timeout(boost::asio::awaitable<void> work, typename Clock::duration limit) {
  namespace asio = boost::asio;
  const auto executor = co_await asio::this_coro::executor;
  asio::basic_waitable_timer<Clock> timer(executor, limit);
  auto working = asio::co_spawn(executor, detail::heed_any(std::move(work)), asio::deferred);
  auto waiting = timer.async_wait(asio::deferred);
  auto race = asio::experimental::make_parallel_group(std::move(working), std::move(waiting));
  const auto first_ends_both = asio::experimental::wait_for_one(asio::cancellation_type::terminal);
  const auto [order, thrown, timer_error] = co_await race.async_wait(first_ends_both, asio::use_awaitable);
  // A timer that came first but with an error was cancelled from outside: that is no timeout.
  const bool limit_struck = order[0] == 1 && !timer_error;
  if (limit_struck) co_return false;
  if (thrown) std::rethrow_exception(thrown);
  co_return true;
}

/// The same for work with a value, or nothing when the limit struck first. T needs only be movable: no
/// default constructor, unlike with co_spawn itself.
template <class Clock = std::chrono::steady_clock, class T>
requires(!std::is_void_v<T>) boost::asio::awaitable<std::optional<T>> with_timeout(
    boost::asio::awaitable<T> work, typename Clock::duration limit) {
  std::optional<T> value;
  auto keeping = detail::keep_value(std::move(work), value);
  const bool in_time = co_await with_timeout<Clock>(std::move(keeping), limit);
  if (!in_time) value.reset();
  co_return value;
}

}  // namespace resilience
