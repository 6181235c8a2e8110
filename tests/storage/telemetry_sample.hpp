// A telemetry with something in each of its places, and a file as the Node.js case writes it. Called by: the
// tests of the codecs.
#pragma once

#include <string_view>

#include "telemetry/recorder.hpp"

namespace quote_lab::test {

/// The paths that the samples know as routes.
inline bool is_sample_route(std::string_view path) {
  return path == "/health" || path == "/quote-legacy" || path == telemetry::unmatched_route;
}

inline telemetry::state sample_telemetry() {
  using quote::milliseconds;
  const auto at = quote::from_iso8601("2026-11-30T15:44:01.930Z").value();
  telemetry::recorder recorder({}, [at] { return at; });
  recorder.count_request("/health", "/health", 200, milliseconds{0.25});
  recorder.count_request("/quote-legacy", "/quote-legacy", 503, milliseconds{1440.5});
  recorder.count_request(telemetry::unmatched_route, "/wp-login.php", 404, milliseconds{0.1});

  quote::outcome outcome;
  outcome.status = quote::quote_status::degraded;
  outcome.events = {quote::attempt_failed{1, quote::failure_reason::timeout, milliseconds{220}},
                    quote::backed_off{2, milliseconds{101.25}},
                    quote::attempt_failed{2, quote::failure_reason::provider_error, milliseconds{90}},
                    quote::circuit_opened{2, 2},
                    quote::fallback_used{},
                    quote::attempt_success{3, milliseconds{120}},
                    quote::attempt_cancelled{4, milliseconds{5}, true},
                    quote::attempt_cancelled{5, milliseconds{0}, false},
                    quote::short_circuited{0}};
  telemetry::incident record;
  record.mode = quote::mode::resilient;
  record.scenario = quote::scenario::slow_provider;
  record.status = outcome.status;
  record.http_status = 200;
  record.attempts = 2;
  record.retries = 1;
  record.timeout_count = 2;
  record.fallback_used = true;
  record.elapsed_ms = 542.25;
  record.request_id = "req-0a1b2c3d";
  record.trace_id = "trace-0a1b2c3d";
  record.customer_id = 7;
  record.items = 5;
  record.events = outcome.events;
  recorder.count_quote(outcome, record);
  quote::outcome gone;
  gone.status = quote::quote_status::cancelled;
  telemetry::incident of_gone;
  of_gone.status = gone.status;
  of_gone.http_status = 499;
  recorder.count_quote(gone, of_gone);
  return recorder.now();
}

inline constexpr std::string_view node_telemetry = R"({
  "requests": 4,
  "samples_ms": [0.31, 1442.07, 125, 0.2],
  "routes": {"/health": [0.31], "/quote-legacy": [1442.07, 125], "/wp-login.php": [0.2], "/favicon.ico": [0.3]},
  "last_path": "/wp-login.php",
  "last_status": 404,
  "last_updated": "2026-11-30T15:44:01.930Z",
  "status_counts": {"2xx": 2, "4xx": 1, "5xx": 1},
  "modes": {
    "legacy": {"successes": 1, "failures": 1, "attempts_total": 5, "retries_total": 3, "timeouts_total": 4,
               "fallbacks_used": 0, "circuit_opens": 0, "short_circuits": 0,
               "by_scenario": {"slow_provider": {"successes": 0, "failures": 1}, "ok": {"successes": 1, "failures": 0}}},
    "resilient": {"successes": 0, "failures": 0, "attempts_total": 0, "retries_total": 0, "timeouts_total": 0,
                  "fallbacks_used": 0, "circuit_opens": 0, "short_circuits": 0, "by_scenario": {}}
  },
  "recent_incidents": [
    {"mode": "legacy", "scenario": "slow_provider", "status": "failed", "http_status": 503, "attempts": 4,
     "retries": 3, "timeout_count": 4, "fallback_used": false, "short_circuited": false, "elapsed_ms": 1442.07,
     "timestamp_utc": "2026-11-30T15:44:01.000Z"}
  ]
})";

}  // namespace quote_lab::test
