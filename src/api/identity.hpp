// Who a request is: its id and its place in a trace. Taken from the client where well formed, else made here;
// answered in the headers, shown in a quote, logged. Pure but for the random engine.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace quote_lab::api {

/// W3C Trace Context, level 1: https://www.w3.org/TR/trace-context/#traceparent-header
struct trace_context {
  std::string trace_id;   ///< 32 hex digits
  std::string parent_id;  ///< 16 hex digits
  std::string flags;      ///< 2 hex digits
};

/// Nothing when it is not well formed, is of version ff, or has an id of zeros.
std::optional<trace_context> parse_traceparent(std::string_view text);

/// 1 to 64 of letters, digits, `.`, `_` and `-`: what can be put in a log, a header and a shell unquoted.
bool is_request_id(std::string_view text);

struct identity {
  std::string request_id;   ///< `req-` + 8 hex digits, unless the client gave one
  std::string trace_id;     ///< `trace-` + 8 hex digits: the end of the W3C trace id
  std::string traceparent;  ///< the trace that came or a new one, with a span of our own
};

identity identify(const http::request& request, std::mt19937_64& engine);
/// For what could not be read as a request.
identity identify_stranger(std::mt19937_64& engine);

}  // namespace quote_lab::api
