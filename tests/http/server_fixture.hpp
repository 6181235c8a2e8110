// A server with a scripted service, and clients in the same thread. Called by: the tests of the server.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include "http/server.hpp"
#include "support/raw_client.hpp"

namespace quote_lab::http {

/// Answers by the path: `/wait` is work that ends when the test releases it, or its canceller; `/soon` is
/// work that need not wait; `/throw`, `/throw-soon`, `/throw-later` break the contract of a service; `/big`
/// has a body of 32 MiB; all others are answered at once with what was asked.
class scripted_service final : public service {
 public:
  struct waiting {
    explicit waiting(const boost::asio::any_io_executor& executor) : gate(executor) {
      gate.expires_at(std::chrono::steady_clock::time_point::max());
    }
    void release() {
      released = true;
      gate.cancel();
    }
    boost::asio::steady_timer gate;
    bool released = false;
    bool cancelled = false;
    bool ended = false;
  };

  answer handle(request req) override {
    seen.push_back(req);
    if (req.path == "/wait") return wait();
    if (req.path == "/soon") return soon();
    if (req.path == "/throw") throw std::runtime_error("scripted");
    if (req.path == "/throw-soon") return throw_soon();
    if (req.path == "/throw-later") return throw_later();
    response reply = text(std::string(to_string(req.method)) + " " + req.path + " " + req.body);
    if (req.path == "/big") reply.body.assign(32U << 20U, 'x');
    if (req.path == "/no-content") reply.code = status::no_content;
    if (req.path == "/close") reply.close = true;
    return reply;
  }

  response refuse(const refusal& why) override {
    refused.push_back(why);
    response reply = text(why.message);
    reply.code = why.code;
    return reply;
  }

  std::size_t in_flight() const {
    std::size_t count = 0;
    for (const auto& one : works)
      if (!one->ended) ++count;
    return count;
  }

  std::vector<request> seen;
  std::vector<refusal> refused;
  std::vector<std::shared_ptr<waiting>> works;

 private:
  static response text(std::string body) {
    response reply;
    reply.content_type = "text/plain";
    reply.body = std::move(body);
    return reply;
  }

  std::shared_ptr<waiting> new_work(const boost::asio::any_io_executor& executor) {
    works.push_back(std::make_shared<waiting>(executor));
    return works.back();
  }

  boost::asio::awaitable<response> wait() {
    const auto executor = co_await boost::asio::this_coro::executor;
    const auto work = new_work(executor);
    co_await work->gate.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    work->cancelled = !work->released;
    work->ended = true;
    response reply = text(work->released ? "released" : "cancelled");
    if (work->cancelled) reply.code = status::service_unavailable;
    co_return reply;
  }

  boost::asio::awaitable<response> soon() { co_return text("soon"); }

  boost::asio::awaitable<response> throw_soon() {
    throw std::runtime_error("scripted");
    co_return text("never");
  }

  boost::asio::awaitable<response> throw_later() {
    const auto executor = co_await boost::asio::this_coro::executor;
    const auto work = new_work(executor);
    co_await work->gate.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    work->ended = true;
    throw std::runtime_error("scripted");
  }
};

class server_test : public testing::Test {
 protected:
  using clock = std::chrono::steady_clock;

  void TearDown() override {
    if (!under_test) return;
    under_test->cancel_all();
    test::run_until(context, [this] { return under_test->stats().connections_open == 0; });
    EXPECT_EQ(under_test->stats().requests_running, 0U);
    EXPECT_EQ(program.in_flight(), 0U);
  }

  /// Called by the first connect(), unless the test calls it before with other bounds.
  void start(const limits& bounds = {}) {
    server_config config;
    config.bounds = bounds;
    under_test = std::make_unique<server>(context, program, config);
    ASSERT_FALSE(under_test->listen());
    port = under_test->local_port();
  }

  test::raw_client connect() {
    if (!under_test) start();
    return test::raw_client(context, port);
  }

  void run_until(const std::function<bool()>& happened) { test::run_until(context, happened); }
  void run_until_in_flight(std::size_t count) {
    run_until([this, count] { return program.in_flight() == count; });
  }
  /// Lets a deadline strike that is at most this far away, without waiting for it.
  void skip(std::chrono::seconds ahead) { under_test->check_deadlines(clock::now() + ahead); }

  std::uint64_t refused_for(refusal_reason reason) const {
    return under_test->stats().counted.refused[static_cast<std::size_t>(reason)];
  }

  boost::asio::io_context context{1};
  scripted_service program;
  std::unique_ptr<server> under_test;
  std::uint16_t port = 0;
};

}  // namespace quote_lab::http
