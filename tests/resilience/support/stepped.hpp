// Coroutines stepped by hand: start one on a context under the manual clock, move time, look at how it ended.
// Who calls it: the tests of execute(), with_timeout() and the manual clock.
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <resilience/manual_clock.hpp>

namespace resilience::testing {

/// How a coroutine ended, and a way to cancel it. It must stay alive until the coroutine has ended.
template <class T>
struct started {
  std::optional<T> value;
  std::exception_ptr thrown;
  bool ended = false;
  manual_clock::time_point ended_at;
  boost::asio::cancellation_signal cancel;

  /// The error it threw as a system_error; none when it threw nothing.
  boost::system::error_code error() const {
    if (!thrown) return {};
    try {
      std::rethrow_exception(thrown);
    } catch (const boost::system::system_error& e) {
      return e.code();
    }
  }
};

template <class T>
boost::asio::awaitable<void> keep_end(boost::asio::awaitable<T> work, started<T>& how) {
  how.value.emplace(co_await std::move(work));
}

template <class T>
void start(boost::asio::io_context& context, started<T>& how, boost::asio::awaitable<T> work) {
  const auto ended = [&how](std::exception_ptr thrown) {
    how.thrown = thrown;
    how.ended = true;
    how.ended_at = manual_clock::now();
  };
  auto token = boost::asio::bind_cancellation_slot(how.cancel.slot(), ended);
  boost::asio::co_spawn(context, keep_end(std::move(work), how), std::move(token));
}

inline boost::asio::awaitable<void> sleep_for(manual_clock::duration span) {
  const auto executor = co_await boost::asio::this_coro::executor;
  boost::asio::basic_waitable_timer<manual_clock> timer(executor, span);
  co_await timer.async_wait(boost::asio::use_awaitable);
}

/// Puts the manual time of this thread at the epoch, so that no test sees what another left.
struct from_the_epoch {
  from_the_epoch() { manual_clock::set({}); }
};

}  // namespace resilience::testing
