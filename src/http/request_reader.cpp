#include "http/request_reader.hpp"

#include <limits>
#include <string>
#include <utility>
#include <variant>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>

#include "http/refusals.hpp"
#include "http/target.hpp"

namespace quote_lab::http {
namespace {

using beast_error = boost::beast::http::error;
using reason = refusal_reason;

/// The end of a chunked body, `0 CR LF CR LF`. Beast 1.81 asserts that as much is there when it comes back to
/// a last chunk that it saw in part, so it is not asked before; a body that has not ended always has as much
/// to come.
constexpr std::size_t least_chunked_rest = 5;

std::string bytes_text(std::size_t count) {
  return std::to_string(count) + " bytes";
}

}  // namespace

void request_reader::restart() {
  check_ = head_check(*bounds_);
  parser_.reset();
  request_ = request();
  why_.reset();
  phase_ = phase::waiting;
  http_1_0_ = keep_alive_ = continue_wanted_ = false;
}

std::size_t request_reader::max_buffered_bytes() const {
  constexpr std::size_t rest_of_request_line = 64;
  return bounds_->max_target_bytes + bounds_->max_head_bytes + rest_of_request_line;
}

request_reader::step request_reader::resume(receive_buffer& in) {
  if (phase_ == phase::waiting) {
    // Some clients end a body with one line end too many. It begins no request, so it starts no deadline
    // either.
    while (in.bytes().substr(0, 2) == "\r\n") in.consume(2);
    if (in.empty() || in.bytes() == "\r") return step::need_more;
    phase_ = phase::head;
  }
  return phase_ == phase::head ? read_head(in) : read_body(in);
}

request_reader::step request_reader::read_head(receive_buffer& in) {
  switch (check_.resume(in.bytes())) {
    case head_check::state::incomplete:
      return step::need_more;
    case head_check::state::not_http:
      return step::not_http;
    case head_check::state::complete:
      return take_head(in);
    case head_check::state::refused:
      break;
  }
  refusal why = check_.why();
  const auto parsed = parse_target(check_.method(), check_.target_in(in.bytes()));
  if (const auto* known = std::get_if<target>(&parsed)) why.path = known->path;
  return refuse(std::move(why));
}

request_reader::step request_reader::take_head(receive_buffer& in) {
  auto parsed = parse_target(check_.method(), check_.target_in(in.bytes()));
  if (const auto* problem = std::get_if<target_problem>(&parsed))
    return refuse(make_refusal(reason::bad_target, problem->message));
  auto& known = std::get<target>(parsed);
  request_.path = std::move(known.path);
  request_.query = std::move(known.query);
  parser_.emplace(*this);
  parser_->eager(true);
  parser_->header_limit(std::numeric_limits<std::uint32_t>::max());  // head_check has its own
  parser_->body_limit(bounds_->max_body_bytes);
  boost::beast::error_code ec;
  parser_->put(boost::asio::buffer(in.bytes().data(), check_.size()), ec);
  if (ec) return refuse_unparsed(ec);
  in.consume(check_.size());
  keep_alive_ = parser_->keep_alive();
  if (auto why = check_expectation()) return refuse(std::move(*why));
  if (parser_->is_done()) return step::complete;
  phase_ = phase::body;
  if (continue_wanted_ && in.empty()) return step::send_continue;
  return read_body(in);
}

request_reader::step request_reader::read_body(receive_buffer& in) {
  if (in.size() < (parser_->chunked() ? least_chunked_rest : 1)) return step::need_more;
  boost::beast::error_code ec;
  const auto used = parser_->put(boost::asio::buffer(in.bytes().data(), in.size()), ec);
  in.consume(used);
  if (ec && ec != beast_error::need_more) return refuse_unparsed(ec);
  if (parser_->is_done()) return step::complete;
  if (in.size() < max_buffered_bytes()) return step::need_more;
  return refuse(
      make_refusal(reason::bad_chunk, "A chunk's header or the trailers of the body are too long."));
}

request_reader::step request_reader::refuse(refusal why) {
  if (why.path.empty()) why.path = request_.path;
  why_ = std::move(why);
  return step::refused;
}

void request_reader::give_up(refusal_reason why) {
  refuse(make_refusal(why, why == reason::head_timeout
                               ? "The request's header did not come to its end in time."
                               : "The request's body did not come to its end in time."));
}

/// What Beast found wrong, in words about the request.
request_reader::step request_reader::refuse_unparsed(boost::beast::error_code ec) {
  if (ec == beast_error::body_limit)
    return refuse(make_refusal(reason::body_too_large, "The request's body is longer than " +
                                                           bytes_text(bounds_->max_body_bytes) + "."));
  if (ec == beast_error::bad_content_length || ec == beast_error::multiple_content_length)
    return refuse(make_refusal(reason::bad_content_length,
                               "Content-Length must be one number of bytes, in decimal digits."));
  if (phase_ == phase::body)
    return refuse(make_refusal(reason::bad_chunk, "A chunk of the request's body is not well formed."));
  return refuse(make_refusal(reason::bad_header, "A field of the request's header is not well formed."));
}

std::optional<refusal> request_reader::check_expectation() {
  if (http_1_0_) return std::nullopt;  // it has none, so the field means nothing
  for (const header& field : request_.headers) {
    if (!boost::beast::iequals(field.name, "Expect")) continue;
    if (!boost::beast::iequals(field.value, "100-continue"))
      return make_refusal(reason::expectation_not_supported,
                          "The only expectation known here is '100-continue'.");
    continue_wanted_ = true;
  }
  return std::nullopt;
}

void request_reader::parser::on_request_impl(verb method, text, text, int version, error&) {
  owner_->http_1_0_ = version < 11;
  owner_->request_.method = method;
}

void request_reader::parser::on_field_impl(boost::beast::http::field, text name, text value, error&) {
  // A trailer that counted as a header could change what was decided when the head was read.
  if (in_trailers_) return;
  owner_->request_.headers.push_back({std::string(name), std::string(value)});
}

void request_reader::parser::on_header_impl(error&) {
  in_trailers_ = true;
}

std::size_t request_reader::parser::on_body_impl(text piece, error&) {
  owner_->request_.body.append(piece.data(), piece.size());
  return piece.size();
}

std::size_t request_reader::parser::on_chunk_body_impl(std::uint64_t, text piece, error& ec) {
  return on_body_impl(piece, ec);
}

}  // namespace quote_lab::http
