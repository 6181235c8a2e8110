// The fixed set of reasons for which a request does not reach a route: status and label of each, in one
// table. The labels name counters, so they never hold a word of what the client sent. Called by: http/
// itself; a program above that counts refusals may walk `all_refusal_labels()` to show each of them from the
// start.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace quote_lab::http {

enum class refusal_reason : unsigned char {
  bad_request_line,
  method_not_implemented,
  version_not_supported,
  bad_target,
  target_too_large,
  bad_header,
  head_too_large,
  bad_host,
  bad_content_length,
  ambiguous_length,
  bad_transfer_encoding,
  transfer_encoding_not_implemented,
  expectation_not_supported,
  bad_chunk,
  body_too_large,
  head_timeout,
  body_timeout,
  too_many_connections,
  fault,
};

inline constexpr std::size_t refusal_reason_count = static_cast<std::size_t>(refusal_reason::fault) + 1;

std::string_view label_of(refusal_reason reason);
status status_of(refusal_reason reason);
std::array<std::string_view, refusal_reason_count> all_refusal_labels();
/// The place of a label in all_refusal_labels().
std::size_t index_of_label(std::string_view label);

/// `message` is one sentence for the person who sent the request.
refusal make_refusal(refusal_reason reason, std::string message);

}  // namespace quote_lab::http
