// A client that sends bytes as they are and reads what comes back. Its calls look blocking, but each runs the
// io_context that the server under test runs in too, until what they wait for has happened: one thread, no
// sleeps. Called by: tests of the server.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/string.hpp>

namespace quote_lab::test {

/// Runs handlers until `happened`. A test that would hang fails instead.
inline void run_until(boost::asio::io_context& context, const std::function<bool()>& happened) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  context.restart();
  while (!happened())
    if (context.run_one_until(patience) == 0)
      throw std::runtime_error("what the test waits for did not happen");
}

/// Runs what can run now.
inline void run_ready(boost::asio::io_context& context) {
  context.restart();
  context.poll();
}

struct raw_reply {
  int status = 0;
  std::string head;  ///< with the empty line
  std::string body;
  std::vector<std::pair<std::string, std::string>> fields;

  std::optional<std::string> field(std::string_view name) const {
    for (const auto& [key, value] : fields)
      if (boost::beast::iequals(key, name)) return value;
    return std::nullopt;
  }
};

class raw_client {
 public:
  raw_client(boost::asio::io_context& context, std::uint16_t port) : context_(&context), socket_(context) {
    socket_.connect({boost::asio::ip::address_v4::loopback(), port});
  }

  /// May end early, when the server closes first.
  void send(std::string_view bytes) {
    bool ended = false;
    boost::asio::async_write(socket_, boost::asio::buffer(bytes), [&](auto, std::size_t) { ended = true; });
    run_until(*context_, [&] { return ended; });
  }

  /// Puts the bytes into the server's kernel and lets nothing run.
  void send_only(std::string_view bytes) { boost::asio::write(socket_, boost::asio::buffer(bytes)); }

  void get(std::string_view target, std::string_view more_fields = "") {
    send("GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n" + std::string(more_fields) + "\r\n");
  }

  /// The next answer; its body is as long as Content-Length says, or missing after a HEAD.
  raw_reply receive(bool with_body = true) {
    raw_reply reply;
    while (received_.find("\r\n\r\n") == std::string::npos) receive_some("an answer's head");
    const auto head_size = received_.find("\r\n\r\n") + 4;
    reply.head = received_.substr(0, head_size);
    received_.erase(0, head_size);
    reply.status = std::stoi(reply.head.substr(9, 3));
    for (auto line = reply.head.find("\r\n") + 2; line + 2 < head_size;
         line = reply.head.find("\r\n", line) + 2) {
      const auto colon = reply.head.find(": ", line);
      reply.fields.emplace_back(reply.head.substr(line, colon - line),
                                reply.head.substr(colon + 2, reply.head.find("\r\n", line) - colon - 2));
    }
    const auto length = with_body ? std::stoul(reply.field("Content-Length").value_or("0")) : 0;
    while (received_.size() < length) receive_some("an answer's body");
    reply.body = received_.substr(0, length);
    received_.erase(0, length);
    return reply;
  }

  /// Waits for the server to close and gives back what came before that. False in `clean` tells a reset.
  std::string receive_until_closed(bool* clean = nullptr) {
    while (read()) {
    }
    if (clean != nullptr) *clean = last_error_ == boost::asio::error::eof;
    return std::exchange(received_, {});
  }

  void close_half() { socket_.shutdown(boost::asio::socket_base::shutdown_send); }
  void close() { socket_.close(); }
  /// Leaves with a RST.
  void reset() {
    socket_.set_option(boost::asio::socket_base::linger(true, 0));
    socket_.close();
  }

 private:
  void receive_some(const char* what) {
    if (!read())
      throw std::runtime_error(std::string("the connection ended before ") + what + ": " +
                               last_error_.message());
  }

  bool read() {
    bool ended = false;
    std::array<char, 4096> piece{};
    socket_.async_read_some(boost::asio::buffer(piece), [&](boost::system::error_code ec, std::size_t count) {
      last_error_ = ec;
      received_.append(piece.data(), count);
      ended = true;
    });
    run_until(*context_, [&] { return ended; });
    return !last_error_;
  }

  boost::asio::io_context* context_;
  boost::asio::ip::tcp::socket socket_;
  boost::system::error_code last_error_;
  std::string received_;
};

}  // namespace quote_lab::test
