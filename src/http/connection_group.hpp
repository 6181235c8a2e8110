// What the connections of one server have in common: the list of them, the service and the bounds, the
// counters, the sweep over their deadlines, the stages of a shutdown. Called by: server and connection.
//
// One timer looks at all deadlines every 100 ms, for as long as there is a connection, since a timer for each
// operation would cost more than many a request. So a deadline strikes up to 100 ms late. Shared by the
// connections, which may outlive the server.
#pragma once

#include <chrono>
#include <ctime>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "http/limits.hpp"
#include "http/message.hpp"
#include "http/stats.hpp"

namespace quote_lab::http {

class connection;

class connection_group : public std::enable_shared_from_this<connection_group> {
 public:
  using clock = std::chrono::steady_clock;
  using place = std::list<connection*>::iterator;
  enum class stage {
    serving,
    draining,   ///< no new request on a kept connection
    cancelled,  ///< no new request at all, no work goes on
    abandoned,  ///< the service must not be called any more
  };

  connection_group(boost::asio::io_context& context, service& program, const limits& bounds);

  // For the server.
  void begin_drain();
  void cancel_all();
  void abandon();
  boost::asio::awaitable<void> wait_until_empty();
  void check_deadlines(clock::time_point now);
  server_stats stats() const;
  void reset_stats() { counters = {}; }
  bool is_full() const { return served_ >= bounds_.max_connections; }
  bool has_all_sockets() const {
    return bounds_.max_sockets != 0 && connections_.size() >= bounds_.max_sockets;
  }
  bool may_turn_away() const { return connections_.size() - served_ < bounds_.max_turned_away_at_once; }

  // For a connection.
  place add(connection& one, bool is_served);
  void remove(place where, bool is_served);
  const limits& bounds() const { return bounds_; }
  stage now_at() const { return stage_; }
  answer handle(request req);
  response refuse(const refusal& why);
  std::string_view date();

  server_counters counters;
  std::size_t requests_running = 0;

 private:
  void tick();

  service* program_;
  limits bounds_;
  std::list<connection*> connections_;
  std::size_t served_ = 0;
  stage stage_ = stage::serving;
  boost::asio::steady_timer sweep_;
  bool is_ticking_ = false;
  boost::asio::steady_timer emptied_;  ///< never expires; cancelled to say that the last connection is gone
  std::time_t date_of_ = 0;
  std::string date_;
};

}  // namespace quote_lab::http
