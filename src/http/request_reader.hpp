// From bytes to a request: empty lines, head_check, Beast's parser, the target, the expectation, the body. It
// has no socket and no clock: the connection gives it what came and does what it says. Called by: connection.
// Its limits: trailers of a chunked body are read and dropped; nothing is decompressed.
#pragma once

#include <cstdint>
#include <optional>

#include <boost/beast/http/basic_parser.hpp>

#include "http/head_check.hpp"
#include "http/limits.hpp"
#include "http/message.hpp"
#include "http/receive_buffer.hpp"

namespace quote_lab::http {

class request_reader {
 public:
  enum class step {
    need_more,
    send_continue,  ///< the client waits for a 100 before it sends the body; said once
    complete,
    refused,
    not_http,
  };
  enum class phase { waiting, head, body };

  explicit request_reader(const limits& bounds) : bounds_(&bounds), check_(bounds) {}

  /// Begins a new request.
  void restart();
  /// Takes from the front of `in` what belongs to the request.
  step resume(receive_buffer& in);

  /// The rest did not come in time.
  void give_up(refusal_reason why);

  phase now_at() const { return phase_; }
  /// The most bytes that `in` may have to hold for resume() to get on.
  std::size_t max_buffered_bytes() const;

  request& taken() { return request_; }
  const refusal& why() const { return *why_; }
  /// Whether the client will read an answer that has no body: it asked with HEAD, as far as is known.
  bool is_head_request() const { return check_.method() == verb::head; }
  bool is_http_1_0() const { return http_1_0_; }
  bool keep_alive() const { return keep_alive_; }

 private:
  /// Beast's parser, which writes straight into the request.
  class parser final : public boost::beast::http::basic_parser<true> {
   public:
    explicit parser(request_reader& owner) : owner_(&owner) {}

   private:
    using text = boost::beast::string_view;
    using error = boost::beast::error_code;
    void on_request_impl(verb method, text name, text target, int version, error& ec) override;
    void on_response_impl(int, text, int, error&) override {}
    void on_field_impl(boost::beast::http::field id, text name, text value, error& ec) override;
    void on_header_impl(error& ec) override;
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error&) override {}
    std::size_t on_body_impl(text piece, error& ec) override;
    void on_chunk_header_impl(std::uint64_t, text, error&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, text piece, error& ec) override;
    void on_finish_impl(error&) override {}

    request_reader* owner_;
    bool in_trailers_ = false;
  };

  step read_head(receive_buffer& in);
  step read_body(receive_buffer& in);
  step take_head(receive_buffer& in);
  step refuse(refusal why);
  step refuse_unparsed(boost::beast::error_code ec);
  std::optional<refusal> check_expectation();

  const limits* bounds_;
  head_check check_;
  std::optional<parser> parser_;
  request request_;
  std::optional<refusal> why_;
  phase phase_ = phase::waiting;
  bool http_1_0_ = false;
  bool keep_alive_ = false;
  bool continue_wanted_ = false;
};

}  // namespace quote_lab::http
