#include "app/healthcheck.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace asio = boost::asio;

namespace quote_lab::app {
namespace {

constexpr std::chrono::seconds time_limit{3};
constexpr std::size_t longest_status_line = 4096;

/// The first line of the answer, or what went wrong.
struct answer_line {
  std::string text;
  std::string problem = "no answer within 3 s";
};

/// Only the status line is read: no HTTP library is needed to tell 200 from the rest.
asio::awaitable<void> ask(asio::ip::tcp::endpoint where, answer_line& line) {
  const auto executor = co_await asio::this_coro::executor;
  const auto token = asio::as_tuple(asio::use_awaitable);
  asio::ip::tcp::socket socket(executor);
  const auto [not_connected] = co_await socket.async_connect(where, token);
  if (not_connected) {
    line.problem = not_connected.message();
    co_return;
  }
  const std::string request = "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  // A write that fails shows in the read.
  co_await asio::async_write(socket, asio::buffer(request), token);
  const auto buffer = asio::dynamic_buffer(line.text, longest_status_line);
  const auto result = co_await asio::async_read_until(socket, buffer, "\r\n", token);
  const auto not_read = std::get<0>(result);
  line.problem = not_read ? not_read.message() : std::string();
}

}  // namespace

std::optional<std::string> check_health(const config& settings) {
  // A lab that listens everywhere or on loopback is asked on loopback; one on a single address, there.
  auto address = asio::ip::make_address(settings.address);
  if (address.is_unspecified()) address = asio::ip::address_v4::loopback();
  answer_line line;
  asio::io_context loop(1);
  asio::co_spawn(loop, ask({address, settings.port}, line), asio::detached);
  loop.run_for(time_limit);

  if (line.problem.empty() && line.text.starts_with("HTTP/1.1 200 ")) return std::nullopt;
  const auto place = address.to_string() + " port " + std::to_string(settings.port);
  if (!line.problem.empty()) return "No health from " + place + ": " + line.problem + ".";
  return "No health from " + place + ": it answered " + line.text.substr(0, line.text.find('\r')) + ".";
}

}  // namespace quote_lab::app
