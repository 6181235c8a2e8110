// What Beast's parser lets through, or takes too late, and a server on the open net must not: two Host
// fields, a coding other than chunked, both lengths at once, folded lines, a head that grows without end.
// Each rule with its reason is in head_check.cpp. Pure, over the raw bytes of a head as they come in; it sits
// in front of any parser and needs nothing of the rest. Called by: request_reader. Its limits: it reads no
// more of a field than its rules ask for; names, values and lengths are still the parser's to check.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "http/limits.hpp"
#include "http/message.hpp"
#include "http/refusals.hpp"

namespace quote_lab::http {

class head_check {
 public:
  enum class state {
    incomplete,
    complete,  ///< size() bytes are the head
    refused,   ///< why() says why
    not_http,  ///< another protocol, whose speaker could not read an answer
  };

  explicit head_check(const limits& bounds) : bounds_(&bounds) {}

  /// `bytes` are all that came since the head began; each call may bring more of them. Work is proportional
  /// to what is new.
  state resume(std::string_view bytes);

  std::size_t size() const { return line_begin_; }
  const refusal& why() const { return *why_; }
  /// Unknown until the request line came whole and was sound.
  verb method() const { return method_; }
  /// The target as it was sent, within the bytes that were given to resume(); empty until the request line
  /// came whole.
  std::string_view target_in(std::string_view bytes) const {
    return bytes.substr(target_begin_, target_size_);
  }

 private:
  using verdict = std::optional<refusal>;

  verdict check_unfinished(std::string_view bytes) const;
  verdict check_line(std::string_view line);
  verdict check_request_line(std::string_view line);
  verdict check_field(std::string_view line);
  void note_codings(std::string_view value);
  verdict check_whole() const;

  const limits* bounds_;
  std::optional<refusal> why_;
  std::size_t line_begin_ = 0;
  std::size_t searched_ = 0;  ///< no line ends between line_begin_ and here
  std::size_t request_line_end_ = 0;
  std::size_t target_begin_ = 0;
  std::size_t target_size_ = 0;
  verb method_ = verb::unknown;
  bool http_1_0_ = false;
  bool has_length_ = false;
  bool has_codings_ = false;
  bool has_chunked_ = false;
  bool has_coding_after_chunked_ = false;
  bool has_other_coding_ = false;
  std::size_t hosts_ = 0;
  std::size_t fields_ = 0;
};

}  // namespace quote_lab::http
