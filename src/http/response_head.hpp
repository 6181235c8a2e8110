// The bytes of a response in front of its body. Pure. Called by: connection.
// Its limits: HTTP/1.1 is told to every client, as the RFC asks; a field that could end a line early is left
// out.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace quote_lab::http {

struct head_options {
  bool keep_alive = true;
  bool to_http_1_0 = false;
  std::string_view date;  ///< of the Date field
};

/// `reply.headers` must not hold the fields that are written here: Connection, Content-Length, Content-Type,
/// Date.
std::string make_head(const response& reply, const head_options& options);

/// The time as the Date field has it.
std::string http_date(std::time_t now);

}  // namespace quote_lab::http
