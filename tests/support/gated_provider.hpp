// A provider that does what the test tells it, without a clock: it answers at once, throws, or holds its
// calls until they are let go or cancelled. Called by: tests of what stands above the flows. One thread.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "provider/provider.hpp"

namespace quote_lab::test {

class gated_provider final : public provider::provider {
 public:
  using call_type = quote_lab::provider::provider_call;
  using reply = quote_lab::provider::provider_reply;
  enum class manner { succeed, fail, hold, throw_fault };

  manner does = manner::succeed;
  std::vector<call_type> calls;

  boost::asio::awaitable<reply> call(call_type what) override {
    namespace asio = boost::asio;
    calls.push_back(what);
    if (does == manner::throw_fault) throw std::runtime_error("a fault of the provider's");
    if (does != manner::hold) co_return does == manner::succeed ? reply::success : reply::failure;
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer gate(executor, asio::steady_timer::time_point::max());
    held_.push_back(&gate);
    co_await gate.async_wait(asio::as_tuple(asio::use_awaitable));
    held_.erase(std::remove(held_.begin(), held_.end(), &gate), held_.end());
    co_return letting_go_ ? reply::success : reply::cancelled;
  }

  /// What is held succeeds, and so does what comes.
  void let_go() {
    does = manner::succeed;
    letting_go_ = true;
    for (auto* gate : held_) gate->cancel();
  }

  std::uint32_t in_flight(quote::mode) const override { return static_cast<std::uint32_t>(held_.size()); }

 private:
  std::vector<boost::asio::steady_timer*> held_;
  bool letting_go_ = false;
};

}  // namespace quote_lab::test
