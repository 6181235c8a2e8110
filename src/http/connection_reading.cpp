// The half of a connection that reads: the bytes of a request, and those that come while one runs.
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <poll.h>

#include "http/connection.hpp"
#include "http/refusals.hpp"

namespace quote_lab::http {

namespace asio = boost::asio;
using boost::system::error_code;

asio::awaitable<connection::read_outcome> connection::read_request() {
  reader_.restart();
  phase_ = phase::waiting;
  followed_ = request_reader::phase::waiting;
  arm_read_deadline(group_->bounds().idle_timeout);
  if (buffer_.empty() && !is_reading_) buffer_.shrink();
  for (;;) {
    const auto step = reader_.resume(buffer_);
    follow(reader_.now_at());
    switch (step) {
      case request_reader::step::complete:
        co_return read_outcome::request;
      case request_reader::step::refused:
        co_return read_outcome::refused;
      case request_reader::step::not_http:
        ++group_->counters.not_http;
        co_return read_outcome::gone;
      case request_reader::step::send_continue: {
        const bool written = co_await write_continue();
        if (!written) co_return after_failed_read();
        continue;
      }
      case request_reader::step::need_more:
        break;
    }
    const bool received = co_await receive();
    if (!received) co_return after_failed_read();
  }
}

/// Each part of a request has a deadline of its own.
void connection::follow(request_reader::phase now_at) {
  if (now_at == followed_) return;
  followed_ = now_at;
  phase_ = phase::reading;
  const limits& bounds = group_->bounds();
  arm_read_deadline(now_at == request_reader::phase::head ? bounds.head_timeout : bounds.body_timeout);
}

/// Half a request and then silence is answered; silence alone, or a client that has left, is not. While the
/// server drains nobody had the time that is due to a request, and a client that sees no answer knows that it
/// may ask again.
connection::read_outcome connection::after_failed_read() {
  if (is_leaving_ || !is_overdue_ || group_->now_at() != connection_group::stage::serving)
    return read_outcome::gone;
  if (followed_ == request_reader::phase::waiting) {
    ++group_->counters.idle_timeouts;
    return read_outcome::gone;
  }
  const bool in_head = followed_ == request_reader::phase::head;
  reader_.give_up(in_head ? refusal_reason::head_timeout : refusal_reason::body_timeout);
  return read_outcome::refused;
}

/// Waits until more bytes came. False: no more will come, or it is too late for them.
asio::awaitable<bool> connection::receive() {
  if (read_failed_ || is_leaving_) co_return false;
  if (is_drained()) {
    if (!is_reading_) co_return false;
    error_code ignored;
    socket_.cancel(ignored);  // or it has ended already, with bytes that are not to be lost
  }
  if (is_reading_) {
    // The look-ahead of an earlier request is still out: its bytes are the ones waited for.
    co_await read_ended_.async_wait(asio::as_tuple(asio::use_awaitable));
  } else {
    const auto room = buffer_.prepare(reader_.max_buffered_bytes());
    if (room.empty()) co_return false;  // cannot be: the reader refuses before its bound is reached
    auto [ec, count] = co_await socket_.async_read_some(asio::buffer(room.data(), room.size()),
                                                        asio::as_tuple(asio::use_awaitable));
    note_read(ec, count);
  }
  co_return !last_read_ && !is_overdue_ && !is_leaving_;
}

void connection::note_read(error_code ec, std::size_t count) {
  last_read_ = ec;
  buffer_.commit(count);
  group_->counters.bytes_received += count;
  // An aborted read is our own doing, a deadline or a shutdown: the client may still read an answer.
  if (ec && ec != asio::error::operation_aborted) read_failed_ = true;
}

void connection::look_ahead() {
  const auto room = buffer_.prepare(group_->bounds().max_pipelined_bytes);
  if (room.empty()) return;  // TCP holds the client back; check_deadline looks whether it has left
  is_reading_ = true;
  socket_.async_read_some(
      asio::buffer(room.data(), room.size()),
      [self = shared_from_this()](error_code ec, std::size_t count) { self->on_look_ahead(ec, count); });
}

void connection::on_look_ahead(error_code ec, std::size_t count) {
  is_reading_ = false;
  note_read(ec, count);
  read_ended_.cancel();
  if (phase_ != phase::running || is_leaving_) return;
  if (!read_failed_) return look_ahead();
  ++group_->counters.clients_left;
  cancel_work();
}

/// Asks the kernel for a FIN or a reset that lies behind bytes not read yet.
bool connection::peer_has_left() {
  pollfd asked{socket_.native_handle(), POLLRDHUP, 0};
  return ::poll(&asked, 1, 0) == 1 && (asked.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

}  // namespace quote_lab::http
