// A provider whose every answer the test decides: latency and outcome of each call come from a plan. It keeps
// what it was asked. Called by: tests of the flows. One thread; time is the Clock's.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "provider/provider.hpp"

namespace quote_lab::test {

template <class Clock>
class scripted_provider final : public provider::provider {
 public:
  using call_type = quote_lab::provider::provider_call;
  using reply = quote_lab::provider::provider_reply;

  struct step {
    typename Clock::duration latency;
    bool success;
  };
  struct seen_call {
    call_type what;
    typename Clock::time_point at;
  };

  std::function<step(const call_type&)> plan;
  std::vector<seen_call> calls;
  std::uint32_t cancelled = 0;
  std::uint32_t most_in_flight = 0;

  boost::asio::awaitable<reply> call(call_type what) override {
    namespace asio = boost::asio;
    const auto executor = co_await asio::this_coro::executor;
    const mark mark_of_this(*this, what.mode);
    calls.push_back(seen_call{what, Clock::now()});
    const step todo = plan(what);
    asio::basic_waitable_timer<Clock> due(executor, todo.latency);
    const auto [error] = co_await due.async_wait(asio::as_tuple(asio::use_awaitable));
    if (error) {
      ++cancelled;
      co_return reply::cancelled;
    }
    co_return todo.success ? reply::success : reply::failure;
  }

  std::uint32_t in_flight(quote::mode mode) const override { return in_flight_[mode]; }

 private:
  class mark {
   public:
    mark(scripted_provider& owner, quote::mode mode) : count_(owner.in_flight_[mode]) {
      owner.most_in_flight = std::max(owner.most_in_flight, ++count_);
    }
    ~mark() { --count_; }
    mark(const mark&) = delete;
    mark& operator=(const mark&) = delete;

   private:
    std::uint32_t& count_;
  };

  quote::by_mode<std::uint32_t> in_flight_;
};

}  // namespace quote_lab::test
