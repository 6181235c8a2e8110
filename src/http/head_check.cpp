#include "http/head_check.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <boost/beast/core/string.hpp>

namespace quote_lab::http {
namespace {

using boost::beast::iequals;
using reason = refusal_reason;

constexpr std::size_t longest_method = 32;
constexpr std::size_t longest_version = 16;

bool is_token_char(char c) {
  if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_token_char);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The methods that a route may have. CONNECT asks for a tunnel and TRACE for an echo: neither is for a
/// server like this. Any other is either a slip or meant for another kind of server.
verb known_method(std::string_view text) {
  static constexpr std::array known{verb::get,   verb::head,    verb::post,   verb::put,
                                    verb::patch, verb::delete_, verb::options};
  const verb method = boost::beast::http::string_to_verb(text);
  return std::find(known.begin(), known.end(), method) != known.end() ? method : verb::unknown;
}

/// HTTP/2 and later begin with a line of this shape too, so that an old server can say what is wrong.
bool names_another_version(std::string_view version) {
  if (version.substr(0, 5) != "HTTP/") return false;
  version.remove_prefix(5);
  if (version.size() == 1) return is_digit(version[0]);
  return version.size() == 3 && is_digit(version[0]) && version[1] == '.' && is_digit(version[2]);
}

refusal bad_request_line() {
  return make_refusal(
      reason::bad_request_line,
      "The request line must be a method, a target and a version, with one blank between them.");
}

refusal unknown_method() {
  return make_refusal(reason::method_not_implemented,
                      "The method is not known here; GET, HEAD, POST, PUT, PATCH, DELETE and OPTIONS are.");
}

refusal target_too_large(const limits& bounds) {
  return make_refusal(reason::target_too_large, "The request target is longer than " +
                                                    std::to_string(bounds.max_target_bytes) + " bytes.");
}

refusal bad_header(std::string message) {
  return make_refusal(reason::bad_header, std::move(message));
}

}  // namespace

head_check::state head_check::resume(std::string_view bytes) {
  // The first byte of a TLS record. No method begins with it, and its sender waits for another.
  if (line_begin_ == 0 && !bytes.empty() && bytes.front() == '\x16') return state::not_http;
  for (;;) {
    const auto line_end = bytes.find('\n', searched_);
    if (line_end == std::string_view::npos) {
      searched_ = bytes.size();
      why_ = check_unfinished(bytes);
      return why_ ? state::refused : state::incomplete;
    }
    auto line = bytes.substr(line_begin_, line_end - line_begin_);
    searched_ = line_begin_ = line_end + 1;
    // Some parsers end a line at a bare LF, others do not: where two of them stand in a row they see
    // different requests.
    if (line.empty() || line.back() != '\r') {
      why_ = bad_header("A line of the request's head does not end with CR LF.");
      return state::refused;
    }
    line.remove_suffix(1);
    if (line.empty() && request_line_end_ != 0) {
      why_ = check_whole();
      return why_ ? state::refused : state::complete;
    }
    why_ = check_line(line);
    if (why_) return state::refused;
  }
}

/// A line that has not ended yet is held to its bounds all the same, or it would never have to end.
head_check::verdict head_check::check_unfinished(std::string_view bytes) const {
  if (request_line_end_ != 0) {
    if (bytes.size() - request_line_end_ <= bounds_->max_head_bytes) return std::nullopt;
    return make_refusal(reason::head_too_large, "The request's header block is longer than " +
                                                    std::to_string(bounds_->max_head_bytes) + " bytes.");
  }
  const auto method = bytes.substr(0, bytes.find(' '));
  if (!is_token(method)) return bad_request_line();
  if (method.size() > longest_method) return unknown_method();
  if (method.size() == bytes.size()) return std::nullopt;
  const auto rest = bytes.substr(method.size() + 1);
  const auto target_size = std::min(rest.find(' '), rest.size());
  if (target_size > bounds_->max_target_bytes) return target_too_large(*bounds_);
  if (rest.size() - target_size > longest_version) return bad_request_line();
  return std::nullopt;
}

head_check::verdict head_check::check_line(std::string_view line) {
  if (request_line_end_ == 0) {
    request_line_end_ = line_begin_;
    return check_request_line(line);
  }
  if (line_begin_ - request_line_end_ > bounds_->max_head_bytes || ++fields_ > bounds_->max_header_fields)
    return make_refusal(reason::head_too_large, "The request's header block holds more than " +
                                                    std::to_string(bounds_->max_head_bytes) + " bytes or " +
                                                    std::to_string(bounds_->max_header_fields) + " fields.");
  return check_field(line);
}

head_check::verdict head_check::check_request_line(std::string_view line) {
  const auto method = line.substr(0, line.find(' '));
  if (method.empty() || method.size() == line.size() || !is_token(method)) return bad_request_line();
  target_begin_ = method.size() + 1;
  target_size_ = std::min(line.find(' ', target_begin_), line.size()) - target_begin_;
  if (target_size_ > bounds_->max_target_bytes) return target_too_large(*bounds_);
  const auto version_begin = std::min(target_begin_ + target_size_ + 1, line.size());
  const auto version = line.substr(version_begin);
  // The version before the method: the HTTP/2 preface has an unknown method as well, and that is not what is
  // wrong.
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    if (!names_another_version(version)) return bad_request_line();
    return make_refusal(reason::version_not_supported, "This server speaks HTTP/1.1 and HTTP/1.0 only.");
  }
  http_1_0_ = version == "HTTP/1.0";
  method_ = known_method(method);
  if (method_ == verb::unknown) return unknown_method();
  return std::nullopt;
}

head_check::verdict head_check::check_field(std::string_view line) {
  // A folded line was one field to some and two to others; RFC 9112 lets a server refuse it.
  if (line.front() == ' ' || line.front() == '\t')
    return bad_header("A header line begins with a blank; folded lines are not taken.");
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return bad_header("A header line has no colon.");
  const auto name = line.substr(0, colon);
  // `Content-Length : 5` is a length to some and an unknown field to others.
  if (!name.empty() && (name.back() == ' ' || name.back() == '\t'))
    return bad_header("A header line has a blank before its colon.");
  if (name.empty() || !is_token(name))
    return bad_header("A header's name is empty or holds a character not allowed.");
  const auto value = line.substr(colon + 1);
  const auto is_control = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f';
  };
  if (std::any_of(value.begin(), value.end(), is_control))
    return bad_header("A header's value holds a control character.");

  if (iequals(name, "Host")) ++hosts_;
  if (iequals(name, "Content-Length")) has_length_ = true;
  if (iequals(name, "Transfer-Encoding")) note_codings(value);
  return std::nullopt;
}

void head_check::note_codings(std::string_view value) {
  has_codings_ = true;
  while (!value.empty()) {
    const auto item = value.substr(0, value.find(','));
    value.remove_prefix(std::min(item.size() + 1, value.size()));
    const auto coding = trim(item);
    if (coding.empty()) continue;
    if (has_chunked_) has_coding_after_chunked_ = true;
    if (iequals(coding, "chunked"))
      has_chunked_ = true;
    else
      has_other_coding_ = true;
  }
}

/// What only the whole head can tell.
head_check::verdict head_check::check_whole() const {
  if (line_begin_ - request_line_end_ > bounds_->max_head_bytes)
    return make_refusal(reason::head_too_large, "The request's header block is longer than " +
                                                    std::to_string(bounds_->max_head_bytes) + " bytes.");
  if (hosts_ > 1) return make_refusal(reason::bad_host, "The request has more than one Host field.");
  if (hosts_ == 0 && !http_1_0_)
    return make_refusal(reason::bad_host, "An HTTP/1.1 request must have a Host field.");
  if (!has_codings_) return std::nullopt;
  // Two ways to tell where the body ends: who believes the other one takes the rest for a request of its own.
  // It is refused in either order, and the connection with it.
  if (has_length_)
    return make_refusal(reason::ambiguous_length,
                        "The request has both Content-Length and Transfer-Encoding; one of them is allowed.");
  if (http_1_0_) return make_refusal(reason::bad_transfer_encoding, "HTTP/1.0 has no Transfer-Encoding.");
  // An unknown coding says as little about where the body ends.
  if (has_coding_after_chunked_ || (!has_chunked_ && !has_other_coding_))
    return make_refusal(reason::bad_transfer_encoding,
                        "'chunked' must stand in Transfer-Encoding once, and last.");
  if (has_other_coding_)
    return make_refusal(reason::transfer_encoding_not_implemented,
                        "The only transfer coding known here is 'chunked'.");
  return std::nullopt;
}

}  // namespace quote_lab::http
