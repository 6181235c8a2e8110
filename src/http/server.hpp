// The listening socket and the accept loop. Called by: the program's owner of everything, which starts it,
// drains it on a signal and reads its counters.
//
// A shutdown is begin_drain(), then `co_await drained()` for as long as one likes to wait, then cancel_all()
// and drained() once more. The server may be destroyed after drained(); before that only if the io_context
// never runs again or the service outlives it. Its limits: one address, one thread: every call must come from
// the thread that runs the io_context.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/error_code.hpp>

#include "http/connection_group.hpp"
#include "http/limits.hpp"
#include "http/message.hpp"
#include "http/stats.hpp"

namespace quote_lab::http {

struct server_config {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0 = any free one; local_port() tells which
  limits bounds;
};

class server {
 public:
  server(boost::asio::io_context& context, service& program, server_config config);
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  /// Binds and begins to accept. The error is for the caller to tell: address in use, not ours, no
  /// permission.
  boost::system::error_code listen();
  std::uint16_t local_port() const;

  /// Accepts no more, closes connections that only wait, and lets each other one end with its answer.
  void begin_drain();
  /// Cancels running work and drops half-read requests. Answers being written still have their deadline.
  void cancel_all();
  /// Ends when no connection is left.
  boost::asio::awaitable<void> drained();

  server_stats stats() const;
  void reset_stats();
  /// What the server does by itself every 100 ms; a test may call it with a later time.
  void check_deadlines(connection_group::clock::time_point now);

 private:
  struct listener;
  std::shared_ptr<connection_group> group_;
  std::shared_ptr<listener> listener_;  ///< shared with the accept loop, which may end after the server
};

}  // namespace quote_lab::http
