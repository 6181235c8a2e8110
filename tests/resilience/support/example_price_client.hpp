// The example that docs/resilience.md quotes, from the first marker to the second. It is compiled and run by
// docs_test.cpp, which also compares the quote with it.
#pragma once

// [quoted]
#include <chrono>
#include <functional>
#include <utility>

#include <boost/asio.hpp>

#include <resilience/resilience.hpp>

/// Asks a server for a price: for at most 220 ms, and not at all while it is known to be in trouble.
/// The clock is a parameter, so that a test can step through half a minute of outage in no time.
template <class Clock = std::chrono::steady_clock>
class price_client {
 public:
  using server = std::function<boost::asio::awaitable<double>()>;

  explicit price_client(server ask) : ask_(std::move(ask)) {}

  /// The price; errc::circuit_open if the server was not asked. Throws what asking it threw.
  boost::asio::awaitable<boost::system::result<double>> price() {
    auto ask = [this] { return ask_in_time(); };
    co_return co_await breaker_.execute(ask);
  }

  /// One breaker for one server, shared by all who call it.
  resilience::circuit_breaker<Clock>& breaker() { return breaker_; }

 private:
  boost::asio::awaitable<double> ask_in_time() {
    using namespace std::chrono_literals;
    const auto price = co_await resilience::with_timeout<Clock>(ask_(), 220ms);
    // A timeout is the server's failure and must look like one: operation_aborted would mean that our caller
    // left.
    if (!price) throw boost::system::system_error(make_error_code(resilience::errc::timeout));
    co_return *price;
  }

  server ask_;
  resilience::circuit_breaker<Clock> breaker_{{
      .rule = resilience::consecutive_failures{.limit = 2},
      .open_for = std::chrono::seconds(30),
  }};
};
// [/quoted]
