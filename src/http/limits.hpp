// Every bound of the HTTP layer, with its unit and its default. Filled by the program above, read by http/
// alone. What goes over one of them is refused in clear words, or closed where nobody is there to read them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace quote_lab::http {

struct limits {
  std::size_t max_connections = 20'000;
  /// Over max_connections a client is still told so with a 503, but no more of them at a time than this.
  std::size_t max_turned_away_at_once = 256;
  /// At so many sockets no more are accepted, so that descriptors are left for the program's files; clients
  /// wait in the kernel's backlog. 0 = no limit.
  std::size_t max_sockets = 0;
  /// 0 = no limit.
  std::uint64_t max_requests_per_connection = 0;

  std::size_t max_target_bytes = 8192;
  /// The header block: all fields and the empty line, without the request line.
  std::size_t max_head_bytes = 8192;
  std::size_t max_header_fields = 100;
  std::size_t max_body_bytes = 65'536;
  /// What is read ahead while a request of the same connection runs. Beyond that, TCP holds the client back.
  std::size_t max_pipelined_bytes = 16'384;

  // Each of these holds for one operation and is off while a request runs.
  std::chrono::milliseconds idle_timeout{60'000};   ///< from the last answer to the first byte of a request
  std::chrono::milliseconds head_timeout{10'000};   ///< from the first byte of a request to its empty line
  std::chrono::milliseconds body_timeout{10'000};   ///< from the empty line to the last byte of the body
  std::chrono::milliseconds write_timeout{10'000};  ///< for one whole answer
  std::chrono::milliseconds linger_timeout{2'000};  ///< after the last answer, until the client has left
  /// Instead of what is longer above while the server drains: for the rest of a request or of a linger and,
  /// once the drain time is over, of an answer.
  std::chrono::milliseconds drain_read_timeout{500};
};

}  // namespace quote_lab::http
