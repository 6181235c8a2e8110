#include "http/connection.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "http/refusals.hpp"
#include "http/response_head.hpp"

namespace quote_lab::http {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

refusal fault() {
  return make_refusal(refusal_reason::fault, "The request could not be answered; the fault is ours.");
}

}  // namespace

void connection::start(tcp_socket socket, std::shared_ptr<connection_group> group, purpose what) {
  const auto self = std::make_shared<connection>(std::move(socket), std::move(group), what);
  asio::co_spawn(self->socket_.get_executor(), self->run(),
                 asio::bind_cancellation_slot(self->cancel_.slot(), [self](std::exception_ptr) {}));
}

connection::connection(tcp_socket socket, std::shared_ptr<connection_group> group, purpose what)
    : group_(std::move(group)),
      socket_(std::move(socket)),
      reader_(group_->bounds()),
      read_ended_(socket_.get_executor()),
      place_(group_->add(*this, what == purpose::serve)),
      purpose_(what) {
  read_ended_.expires_at(connection_group::clock::time_point::max());
}

connection::~connection() {
  group_->remove(place_, purpose_ == purpose::serve);
}

asio::awaitable<void> connection::run() {
  if (purpose_ == purpose::serve) {
    co_await serve();
  } else {
    co_await turn_away();
  }
  disarm_deadline();
  error_code ignored;
  socket_.close(ignored);
}

asio::awaitable<void> connection::serve() {
  for (;;) {
    const auto outcome = co_await read_request();
    if (outcome == read_outcome::gone) co_return;
    answer given;
    if (outcome == read_outcome::refused) {
      given = group_->refuse(reader_.why());
    } else {
      given = ask();
    }
    if (auto* work = std::get_if<asio::awaitable<response>>(&given)) {
      response result = co_await run_beside_look_ahead(std::move(*work));
      given = std::move(result);
    }
    auto& reply = std::get<response>(given);
    const bool keep = may_keep(reply);
    const bool written = co_await write(std::move(reply), keep);
    if (!written) co_return;
    if (keep) continue;
    if (outcome == read_outcome::refused || has_unread_bytes()) co_await linger();
    co_return;
  }
}

asio::awaitable<void> connection::turn_away() {
  response reply =
      group_->refuse(make_refusal(refusal_reason::too_many_connections,
                                  "More connections are open than this server takes; try again later."));
  const bool written = co_await write(std::move(reply), false);
  if (written) co_await linger();
}

/// Does not throw: what a service must not do is answered all the same.
answer connection::ask() {
  ++requests_;
  try {
    return group_->handle(std::move(reader_.taken()));
  } catch (...) {
    return group_->refuse(fault());
  }
}

asio::awaitable<response> connection::run_beside_look_ahead(asio::awaitable<response> work) {
  phase_ = phase::running;
  disarm_deadline();
  ++group_->requests_running;
  // Not before the work has to wait: most of what is refused never does, and needs no read.
  asio::post(socket_.get_executor(), [self = shared_from_this(), mine = requests_] {
    if (self->phase_ == phase::running && self->requests_ == mine && !self->is_reading_) self->look_ahead();
  });
  std::optional<response> reply;
  try {
    reply = co_await std::move(work);
  } catch (...) {
    reply.reset();
  }
  phase_ = phase::writing;
  --group_->requests_running;
  // The work ran in this coroutine: whatever it was told by cancel_work(), or set itself, ends with it.
  co_await asio::this_coro::reset_cancellation_state();
  co_await asio::this_coro::throw_if_cancelled(true);
  if (!reply) reply = group_->refuse(fault());
  co_return std::move(*reply);
}

bool connection::may_keep(const response& reply) const {
  const auto most = group_->bounds().max_requests_per_connection;
  return !reply.close && reader_.keep_alive() && !read_failed_ && !is_leaving_ &&
         (most == 0 || requests_ < most) && group_->now_at() == connection_group::stage::serving;
}

/// Head and body in one write. False: the client did not take it.
asio::awaitable<bool> connection::write(response reply, bool keep) {
  phase_ = phase::writing;
  head_options options;
  options.keep_alive = keep;
  options.to_http_1_0 = reader_.is_http_1_0();
  options.date = group_->date();
  const std::string head = make_head(reply, options);
  const bool with_body = !reader_.is_head_request() && reply.code != status::no_content;
  const std::array<asio::const_buffer, 2> pieces{asio::buffer(head),
                                                 with_body ? asio::buffer(reply.body) : asio::const_buffer()};
  const limits& bounds = group_->bounds();
  const bool is_late = group_->now_at() == connection_group::stage::cancelled;
  arm_deadline(is_late ? std::min(bounds.write_timeout, bounds.drain_read_timeout) : bounds.write_timeout);
  auto [ec, count] = co_await asio::async_write(socket_, pieces, asio::as_tuple(asio::use_awaitable));
  group_->counters.bytes_sent += count;
  if (is_overdue_) {
    ++group_->counters.write_timeouts;
    // What it did not read in time is not kept for it by the kernel either.
    error_code ignored;
    socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  }
  co_return !ec && !is_overdue_ && !is_leaving_;
}

asio::awaitable<bool> connection::write_continue() {
  static constexpr std::string_view interim = "HTTP/1.1 100 Continue\r\n\r\n";
  auto [ec, count] =
      co_await asio::async_write(socket_, asio::buffer(interim), asio::as_tuple(asio::use_awaitable));
  group_->counters.bytes_sent += count;
  co_return !ec && !is_overdue_ && !is_leaving_;
}

bool connection::has_unread_bytes() {
  error_code ignored;
  return !buffer_.empty() || socket_.available(ignored) > 0;
}

/// Closing a socket with unread bytes makes the kernel send a reset, which can take the answer away from the
/// client before it was read. So what still comes is read and dropped, for a while.
asio::awaitable<void> connection::linger() {
  phase_ = phase::lingering;
  arm_read_deadline(group_->bounds().linger_timeout);
  error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_send, ignored);
  for (bool open = true; open;) {
    buffer_.consume(buffer_.size());
    open = co_await receive();
  }
}

void connection::check_deadline(connection_group::clock::time_point now) {
  if (deadline_ <= now) {
    disarm_deadline();
    is_overdue_ = true;
    error_code ignored;
    socket_.cancel(ignored);
  }
  if (phase_ == phase::running && !is_reading_ && !work_is_cancelled_ && peer_has_left()) {
    ++group_->counters.clients_left;
    read_failed_ = true;
    cancel_work();
  }
}

/// Ends the read of a connection that only waits. A request that lies in the kernel, or was read and not
/// looked at yet, is still answered: its client had no way to know.
void connection::begin_drain() {
  error_code ignored;
  if (is_drained()) socket_.cancel(ignored);
  if (phase_ == phase::waiting || phase_ == phase::reading || phase_ == phase::lingering)
    deadline_ = std::min(deadline_, connection_group::clock::now() + group_->bounds().drain_read_timeout);
}

bool connection::is_drained() {
  error_code ignored;
  return phase_ == phase::waiting && group_->now_at() != connection_group::stage::serving &&
         socket_.available(ignored) == 0;
}

/// The drain time is over. An answer being written may still go out, but a client that does not read it holds
/// nobody up any longer.
void connection::cancel() {
  if (phase_ == phase::running) {
    cancel_work();
  } else if (phase_ == phase::writing) {
    deadline_ = std::min(deadline_, connection_group::clock::now() + group_->bounds().drain_read_timeout);
  } else {
    leave();
  }
}

void connection::abandon() {
  is_leaving_ = true;
  error_code ignored;
  socket_.close(ignored);
  if (phase_ == phase::running) cancel_work();
}

/// Once only: the work may be waiting for its own clean-up. No other request follows it on this connection.
void connection::cancel_work() {
  if (std::exchange(work_is_cancelled_, true)) return;
  const auto self =
      shared_from_this();  // the work may end, and the connection with it, before emit() returns
  cancel_.emit(asio::cancellation_type::terminal);
}

void connection::leave() {
  is_leaving_ = true;
  error_code ignored;
  socket_.cancel(ignored);
}

void connection::arm_deadline(std::chrono::milliseconds from_now) {
  is_overdue_ = false;
  deadline_ = connection_group::clock::now() + from_now;
}

void connection::arm_read_deadline(std::chrono::milliseconds from_now) {
  const bool serving = group_->now_at() == connection_group::stage::serving;
  arm_deadline(serving ? from_now : std::min(from_now, group_->bounds().drain_read_timeout));
}

void connection::disarm_deadline() {
  deadline_ = connection_group::clock::time_point::max();
}

}  // namespace quote_lab::http
