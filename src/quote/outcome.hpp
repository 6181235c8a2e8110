// What was asked for and what came of it, as plain data. A flow returns an outcome; the layers above turn it
// into JSON, counters, an incident and a status.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "quote/mode.hpp"
#include "quote/scenario.hpp"
#include "quote/wall_time.hpp"

namespace quote_lab::quote {

using milliseconds = std::chrono::duration<double, std::milli>;

struct quote_request {
  quote::mode mode = mode::legacy;
  quote::scenario scenario = scenario::ok;
  int customer_id = 42;
  int items = 3;
};

enum class quote_status { completed, degraded, failed, cancelled };

constexpr std::string_view to_string(quote_status value) {
  switch (value) {
    case quote_status::completed:
      return "completed";
    case quote_status::degraded:
      return "degraded";
    case quote_status::failed:
      return "failed";
    case quote_status::cancelled:
      return "cancelled";
  }
  return "";
}

/// A quote as it came from the provider, and when.
struct known_quote {
  std::string quote_id;
  double amount = 0;
  std::string currency;
  wall_time at{};
};

/// Live, or the last one known, given instead.
enum class quote_source { live, fallback };

struct given_quote {
  known_quote quote;
  quote_source source = quote_source::live;
};

/// How an attempt ended that did not succeed. A cancelled one says nothing about the provider.
enum class failure_reason { timeout, provider_error };

constexpr std::string_view to_string(failure_reason value) {
  return value == failure_reason::timeout ? "timeout" : "provider_error";
}

struct attempt_failed {
  std::uint32_t attempt;
  failure_reason reason;
  milliseconds elapsed;
};
struct attempt_success {
  std::uint32_t attempt;
  milliseconds elapsed;
};
/// The client left while this attempt, or the wait before it, was going on.
struct attempt_cancelled {
  std::uint32_t attempt;
  milliseconds elapsed;
  bool begun;  ///< false: it was still being waited for
};
struct backed_off {
  std::uint32_t attempt;  ///< the one to come
  milliseconds wait;
};
struct circuit_opened {
  std::uint32_t attempt;
  std::uint32_t consecutive_failures;
};
struct short_circuited {
  std::uint32_t attempt;  ///< 0: refused before the first; else the retry that was refused
};
struct fallback_used {};

using event = std::variant<attempt_failed, attempt_success, attempt_cancelled, backed_off, circuit_opened,
                           short_circuited, fallback_used>;

struct outcome {
  quote_status status = quote_status::failed;
  std::optional<given_quote> quote;
  std::uint32_t attempts = 0;         ///< calls of the provider that were begun
  std::uint32_t failed_attempts = 0;  ///< timeouts and provider errors
  std::vector<event> events;          ///< in the order they happened

  std::uint32_t retries() const { return attempts == 0 ? 0 : attempts - 1; }

  template <class Event>
  bool has() const {
    for (const auto& each : events) {
      if (std::holds_alternative<Event>(each)) return true;
    }
    return false;
  }
  /// A fallback answers a short circuit too, though only `fallback_used` stands among the events otherwise.
  bool fell_back() const { return quote && quote->source == quote_source::fallback; }
};

}  // namespace quote_lab::quote
