// What the lab has seen, as plain data: the source of /metrics, of the Prometheus text and of telemetry.json
// alike.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "quote/outcome.hpp"
#include "telemetry/histogram.hpp"
#include "telemetry/samples.hpp"

namespace quote_lab::telemetry {

/// How much is kept. Everything here has a bound.
struct retention {
  std::size_t samples = 3000;       ///< latencies over all routes
  std::size_t route_samples = 500;  ///< latencies of one route
  std::size_t incidents = 50;       ///< newest kept
};

/// The route under which everything is counted that is no route of the lab's.
inline constexpr std::string_view unmatched_route = "(unmatched)";

/// Long enough for every path a person types, short enough that a scanner cannot fill the telemetry with one.
inline constexpr std::size_t longest_last_path = 128;

struct scenario_counters {
  std::uint64_t successes = 0;
  std::uint64_t failures = 0;
};

struct mode_counters {
  std::uint64_t successes = 0;  ///< completed quotes
  std::uint64_t failures = 0;   ///< failed and degraded ones: a fallback covers a failure
  std::uint64_t attempts_total = 0;
  std::uint64_t retries_total = 0;
  std::uint64_t timeouts_total = 0;  ///< failed attempts
  std::uint64_t fallbacks_used = 0;
  std::uint64_t circuit_opens = 0;
  std::uint64_t short_circuits = 0;
  std::uint64_t cancelled = 0;  ///< quotes whose client left: neither success nor failure
  std::map<quote::scenario, scenario_counters> by_scenario;

  histogram quote_duration;
  histogram attempt_success;
  histogram attempt_timeout;
  histogram attempt_provider_error;
  histogram attempt_cancelled;
};

/// The record of one quote: what a postmortem needs.
struct incident {
  quote::mode mode{};
  quote::scenario scenario{};
  quote::quote_status status{};
  int http_status = 0;
  std::uint32_t attempts = 0;
  std::uint32_t retries = 0;
  std::uint32_t timeout_count = 0;
  bool fallback_used = false;
  bool short_circuited = false;
  double elapsed_ms = 0;
  quote::wall_time at{};
  std::string request_id;
  std::string trace_id;
  int customer_id = 0;
  int items = 0;
  std::vector<quote::event> events;
};

struct state {
  explicit state(const retention& keep) : samples_ms(keep.samples) {}

  std::uint64_t requests = 0;
  samples samples_ms;
  std::map<std::string, samples, std::less<>> routes;
  std::array<std::uint64_t, 3> status_counts{};  ///< 2xx, 4xx, 5xx
  std::optional<std::string> last_path;
  int last_status = 200;
  std::optional<quote::wall_time> last_updated;
  quote::by_mode<mode_counters> modes;
  std::deque<incident> incidents;  ///< oldest first
};

}  // namespace quote_lab::telemetry
