// The numbers of a circuit breaker, and the check that they can work.
// Who calls it: whoever makes a breaker, with designated initialisers:
//   circuit_breaker breaker(breaker_config{.rule = consecutive_failures{2}, .open_for = 30s});
// A configuration that cannot work is refused with a sentence that says what came and what is allowed. It is
// never clamped: a breaker that quietly runs with other numbers than asked for is found out about in an
// outage.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>

namespace resilience {

/// Opens at this many failures in a row. Simple, and quick at low load; under heavy load one success among
/// many failures hides them.
struct consecutive_failures {
  std::uint32_t limit = 5;  ///< at least 1
};

/// Opens when failures / calls over the rolling window reaches the threshold, provided the window holds
/// enough calls. The window is the bucket of the present moment and the `buckets - 1` before it, so between
/// (buckets - 1) x bucket and buckets x bucket long.
struct failure_rate {
  std::chrono::nanoseconds bucket = std::chrono::seconds(1);  ///< width of one bucket, above 0
  std::uint32_t buckets = 30;                                 ///< 1 to max_buckets
  double threshold = 0.5;                                     ///< above 0, up to 1; a rate equal to it opens
  std::uint32_t minimum_calls = 10;  ///< at least 1; below it no rate is told and none opens
};

/// When a failure opens a closed breaker.
using trip_rule = std::variant<consecutive_failures, failure_rate>;

/// The window's memory is fixed when the breaker is made: 16 bytes a bucket.
inline constexpr std::uint32_t max_buckets = 10'000;

struct breaker_config {
  trip_rule rule = failure_rate{};
  std::chrono::nanoseconds open_for = std::chrono::seconds(30);  ///< how long it stays open, above 0
  std::uint32_t half_open_probes = 1;                            ///< probes out at the same time, at least 1
  /// Successful probes that close it, at least 1. May be above half_open_probes: they then come one after the
  /// other.
  std::uint32_t successes_to_close = 1;
};

namespace detail {

template <class Value>
std::string refusal(std::string_view name, Value value, std::string_view allowed) {
  std::ostringstream sentence;
  sentence << name << " is " << value << ", but it must be " << allowed << '.';
  return sentence.str();
}

inline std::string refusal(std::string_view name, std::chrono::nanoseconds value, std::string_view allowed) {
  return refusal(name, std::to_string(value.count()) + " ns", allowed);
}

inline std::optional<std::string> problem_with_rule(const consecutive_failures& rule) {
  if (rule.limit == 0) return refusal("consecutive_failures.limit", rule.limit, "at least 1");
  return std::nullopt;
}

inline std::optional<std::string> problem_with_rule(const failure_rate& rule) {
  if (rule.bucket <= std::chrono::nanoseconds::zero()) {
    return refusal("failure_rate.bucket", rule.bucket, "above 0");
  }
  if (rule.buckets == 0 || rule.buckets > max_buckets) {
    return refusal("failure_rate.buckets", rule.buckets, "from 1 to " + std::to_string(max_buckets));
  }
  // Written so that NaN is refused too.
  if (!(rule.threshold > 0.0 && rule.threshold <= 1.0)) {
    return refusal("failure_rate.threshold", rule.threshold, "above 0 and at most 1");
  }
  if (rule.minimum_calls == 0) {
    return refusal("failure_rate.minimum_calls", rule.minimum_calls, "at least 1");
  }
  return std::nullopt;
}

}  // namespace detail

/// The first thing that cannot work, as a sentence for the person who wrote the configuration; nothing if it
/// is sound.
inline std::optional<std::string> problem_with(const breaker_config& config) {
  auto problem = std::visit([](const auto& rule) { return detail::problem_with_rule(rule); }, config.rule);
  if (problem) return problem;
  if (config.open_for <= std::chrono::nanoseconds::zero()) {
    return detail::refusal("open_for", config.open_for, "above 0");
  }
  if (config.half_open_probes == 0) {
    return detail::refusal("half_open_probes", config.half_open_probes, "at least 1");
  }
  if (config.successes_to_close == 0) {
    return detail::refusal("successes_to_close", config.successes_to_close, "at least 1");
  }
  return std::nullopt;
}

}  // namespace resilience
