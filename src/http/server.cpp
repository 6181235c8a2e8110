#include "http/server.hpp"

#include <new>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/connection.hpp"

namespace quote_lab::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// How long to wait for a descriptor to become free. The client waits in the kernel's backlog meanwhile.
constexpr std::chrono::milliseconds accept_pause{100};

}  // namespace

struct server::listener {
  using acceptor_type = asio::basic_socket_acceptor<tcp, asio::io_context::executor_type>;

  listener(asio::io_context& context, std::shared_ptr<connection_group> its_group, server_config its_config)
      : acceptor(context), pause(context), group(std::move(its_group)), config(std::move(its_config)) {}

  error_code open();
  void close();
  void take(tcp_socket socket);
  static asio::awaitable<void> accept_loop(std::shared_ptr<listener> self);

  acceptor_type acceptor;
  asio::steady_timer pause;
  std::shared_ptr<connection_group> group;
  server_config config;
};

error_code server::listener::open() {
  error_code ec;
  const auto address = asio::ip::make_address(config.address, ec);
  if (ec) return ec;
  const tcp::endpoint endpoint(address, config.port);
  acceptor.open(endpoint.protocol(), ec);
  // A restart must not wait for the connections of the last run to be forgotten by the kernel.
  if (!ec) acceptor.set_option(asio::socket_base::reuse_address(true), ec);
  if (!ec) acceptor.bind(endpoint, ec);
  if (!ec) acceptor.listen(asio::socket_base::max_listen_connections, ec);
  if (ec) close();
  return ec;
}

void server::listener::close() {
  error_code ignored;
  acceptor.close(ignored);
  pause.cancel();
}

/// Each error but a closed acceptor's is taken as a lack of descriptors or memory, which passes: the loop
/// never ends by itself and never spins.
asio::awaitable<void> server::listener::accept_loop(std::shared_ptr<listener> self) {
  while (self->acceptor.is_open()) {
    if (!self->group->has_all_sockets()) {
      auto [ec, socket] = co_await self->acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
      if (!self->acceptor.is_open()) co_return;
      try {
        if (!ec) {
          self->take(std::move(socket));
          continue;
        }
      } catch (const std::bad_alloc&) {
        // No memory for one connection more is a lack that passes, too.
      }
    }
    ++self->group->counters.accept_pauses;
    self->pause.expires_after(accept_pause);
    co_await self->pause.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

void server::listener::take(tcp_socket socket) {
  ++group->counters.connections_accepted;
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  const bool is_full = group->is_full();
  if (is_full && !group->may_turn_away()) return;
  connection::start(std::move(socket), group,
                    is_full ? connection::purpose::turn_away : connection::purpose::serve);
}

server::server(asio::io_context& context, service& program, server_config config)
    : group_(std::make_shared<connection_group>(context, program, config.bounds)),
      listener_(std::make_shared<listener>(context, group_, std::move(config))) {}

server::~server() {
  listener_->close();
  group_->abandon();
}

error_code server::listen() {
  const auto ec = listener_->open();
  if (!ec)
    asio::co_spawn(listener_->acceptor.get_executor(), listener::accept_loop(listener_), asio::detached);
  return ec;
}

std::uint16_t server::local_port() const {
  error_code ec;
  return listener_->acceptor.local_endpoint(ec).port();
}

void server::begin_drain() {
  listener_->close();
  group_->begin_drain();
}

void server::cancel_all() {
  listener_->close();
  group_->cancel_all();
}

asio::awaitable<void> server::drained() {
  return group_->wait_until_empty();
}

server_stats server::stats() const {
  return group_->stats();
}

void server::reset_stats() {
  group_->reset_stats();
}

void server::check_deadlines(connection_group::clock::time_point now) {
  group_->check_deadlines(now);
}

}  // namespace quote_lab::http
