// What the server counts, as plain data. Called by: server's owner, which turns it into metrics.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "http/refusals.hpp"

namespace quote_lab::http {

/// Only ever grow, until all are set to 0 at once.
struct server_counters {
  std::uint64_t connections_accepted = 0;
  std::uint64_t requests = 0;        ///< handed to the service
  std::uint64_t clients_left = 0;    ///< work cancelled since its client had left
  std::uint64_t not_http = 0;        ///< closed without a word: another protocol
  std::uint64_t idle_timeouts = 0;   ///< closed without a word: nothing asked for long
  std::uint64_t write_timeouts = 0;  ///< cut off: the client does not read
  std::uint64_t accept_pauses = 0;   ///< no descriptor or memory was left for a connection
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_sent = 0;
  std::array<std::uint64_t, refusal_reason_count> refused{};  ///< in the order of all_refusal_labels()
};

struct server_stats {
  server_counters counted;
  std::size_t connections_open = 0;
  std::size_t requests_running = 0;  ///< work in flight
};

}  // namespace quote_lab::http
