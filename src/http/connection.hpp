// One connection, from accept to close: read a request, ask the service, write its answer, again. A coroutine
// that owns the socket and one buffer; what the bytes mean is request_reader's. Called by: server, which
// starts it, and connection_group, which tells it of deadlines and of the shutdown.
//
// While work runs, a look-ahead read is out, since nothing else tells that a client has left: waiting for an
// error misses a FIN, and waiting for readability goes blind once pipelined bytes lie there. What it reads
// are the next requests, kept in the buffer. The work is awaited in the connection's own coroutine and
// cancelled through its slot: no group, no second coroutine; an answer that is ready, or work that never has
// to wait, pays for neither.
//
// Its limits: one request at a time, the others wait in the buffer. A client that closes only its half while
// its request runs is taken as gone. Lifetime: kept by its coroutine and by a read that is out; it is in the
// group's list for as long as it lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "http/connection_group.hpp"
#include "http/message.hpp"
#include "http/receive_buffer.hpp"
#include "http/request_reader.hpp"

namespace quote_lab::http {

using tcp_socket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

class connection : public std::enable_shared_from_this<connection> {
 public:
  /// What to do with it: serve it, or say that there are too many.
  enum class purpose { serve, turn_away };

  static void start(tcp_socket socket, std::shared_ptr<connection_group> group, purpose what);

  connection(tcp_socket socket, std::shared_ptr<connection_group> group, purpose what);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;

  void check_deadline(connection_group::clock::time_point now);
  void begin_drain();
  void cancel();
  void abandon();

 private:
  enum class phase { waiting, reading, running, writing, lingering };
  enum class read_outcome { request, refused, gone };

  boost::asio::awaitable<void> run();
  boost::asio::awaitable<void> serve();
  boost::asio::awaitable<void> turn_away();

  // connection_reading.cpp
  boost::asio::awaitable<read_outcome> read_request();
  boost::asio::awaitable<bool> receive();
  void follow(request_reader::phase now_at);
  read_outcome after_failed_read();
  void note_read(boost::system::error_code ec, std::size_t count);
  void look_ahead();
  void on_look_ahead(boost::system::error_code ec, std::size_t count);
  bool peer_has_left();

  // connection.cpp
  answer ask();
  boost::asio::awaitable<response> run_beside_look_ahead(boost::asio::awaitable<response> work);
  boost::asio::awaitable<bool> write(response reply, bool keep);
  boost::asio::awaitable<bool> write_continue();
  boost::asio::awaitable<void> linger();
  bool may_keep(const response& reply) const;
  bool has_unread_bytes();
  bool is_drained();
  void cancel_work();
  void leave();
  void arm_deadline(std::chrono::milliseconds from_now);
  void arm_read_deadline(std::chrono::milliseconds from_now);
  void disarm_deadline();

  std::shared_ptr<connection_group> group_;
  tcp_socket socket_;
  receive_buffer buffer_;
  request_reader reader_;
  boost::asio::cancellation_signal cancel_;
  boost::asio::steady_timer read_ended_;  ///< never expires; cancelled to say that the look-ahead has ended
  connection_group::clock::time_point deadline_ = connection_group::clock::time_point::max();
  connection_group::place place_;
  std::uint64_t requests_ = 0;
  purpose purpose_;
  phase phase_ = phase::waiting;
  request_reader::phase followed_ = request_reader::phase::waiting;
  boost::system::error_code last_read_;
  bool is_reading_ = false;   ///< a look-ahead read is out
  bool read_failed_ = false;  ///< the client closed its half or the connection broke
  bool is_overdue_ = false;   ///< the last deadline has passed
  bool is_leaving_ = false;   ///< close as soon as possible
  bool work_is_cancelled_ = false;
};

}  // namespace quote_lab::http
