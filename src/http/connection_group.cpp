#include "http/connection_group.hpp"

#include <algorithm>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/string.hpp>

#include "http/connection.hpp"
#include "http/response_head.hpp"

namespace quote_lab::http {

namespace asio = boost::asio;

namespace {
constexpr std::chrono::milliseconds tick_interval{100};

bool has_retry_after(const response& reply) {
  return std::any_of(reply.headers.begin(), reply.headers.end(),
                     [](const header& field) { return boost::beast::iequals(field.name, "Retry-After"); });
}

}  // namespace

connection_group::connection_group(asio::io_context& context, service& program, const limits& bounds)
    : program_(&program), bounds_(bounds), sweep_(context), emptied_(context) {
  emptied_.expires_at(clock::time_point::max());
}

connection_group::place connection_group::add(connection& one, bool is_served) {
  if (is_served) ++served_;
  const auto where = connections_.insert(connections_.end(), &one);
  if (!is_ticking_) tick();
  return where;
}

void connection_group::remove(place where, bool is_served) {
  if (is_served) --served_;
  connections_.erase(where);
  if (connections_.empty()) emptied_.cancel();
}

void connection_group::tick() {
  is_ticking_ = true;
  sweep_.expires_after(tick_interval);
  sweep_.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
    const auto self = weak.lock();
    if (!self || ec) return;
    self->is_ticking_ = false;
    self->check_deadlines(clock::now());
    if (!self->connections_.empty()) self->tick();
  });
}

void connection_group::check_deadlines(clock::time_point now) {
  for (auto it = connections_.begin(); it != connections_.end();) (*it++)->check_deadline(now);
}

void connection_group::begin_drain() {
  if (stage_ != stage::serving) return;
  stage_ = stage::draining;
  for (auto it = connections_.begin(); it != connections_.end();) (*it++)->begin_drain();
}

void connection_group::cancel_all() {
  begin_drain();
  if (stage_ != stage::draining) return;
  stage_ = stage::cancelled;
  for (auto it = connections_.begin(); it != connections_.end();) (*it++)->cancel();
}

void connection_group::abandon() {
  cancel_all();
  stage_ = stage::abandoned;
  program_ = nullptr;
  sweep_.cancel();
  for (auto it = connections_.begin(); it != connections_.end();) (*it++)->abandon();
}

asio::awaitable<void> connection_group::wait_until_empty() {
  const auto self = shared_from_this();
  while (!connections_.empty()) co_await emptied_.async_wait(asio::as_tuple(asio::use_awaitable));
}

server_stats connection_group::stats() const {
  return {counters, connections_.size(), requests_running};
}

answer connection_group::handle(request req) {
  ++counters.requests;
  return program_->handle(std::move(req));
}

response connection_group::refuse(const refusal& why) {
  ++counters.refused[index_of_label(why.reason)];
  response reply;
  if (program_ != nullptr) reply = program_->refuse(why);
  reply.close = true;
  if (reply.code == status::service_unavailable && !has_retry_after(reply))
    reply.headers.push_back({"Retry-After", "1"});
  return reply;
}

std::string_view connection_group::date() {
  const std::time_t now = std::time(nullptr);
  if (now != date_of_) {
    date_of_ = now;
    date_ = http_date(now);
  }
  return date_;
}

}  // namespace quote_lab::http
