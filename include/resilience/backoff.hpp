// How long to wait before a retry: exponential, with jitter, bounded.
// Who calls it: whoever retries. Pure: the random engine is an argument; nothing here waits. Thread-safe as
// far as the engine is. Formula: base x 2^(n-1) + U[jitter_min, jitter_max] before retry n, at most cap.
// Truncated binary exponential backoff is Ethernet's (Metcalfe and Boggs, 1976); the jitter keeps clients
// that failed together from coming back together.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>

namespace resilience {

/// No delay may be configured longer than this.
inline constexpr std::chrono::milliseconds longest_backoff = std::chrono::hours(24);

struct backoff {
  std::chrono::milliseconds base{80};  ///< 0: no wait at all, jitter neither
  std::chrono::milliseconds jitter_min{15};
  std::chrono::milliseconds jitter_max{45};
  std::chrono::milliseconds cap{10'000};  ///< no delay is longer, jitter included

  /// The wait before retry `n`, counted from 1 (the second attempt). 0 <= delay <= cap for every n; to the
  /// nanosecond, so that the jitter is not a handful of whole milliseconds. Wants a configuration that
  /// problem_with() finds sound.
  template <class Engine>
  std::chrono::nanoseconds delay_before(std::uint32_t n, Engine& engine) const {
    using fractional_ms = std::chrono::duration<double, std::milli>;
    if (base <= std::chrono::milliseconds::zero() || n == 0) return std::chrono::nanoseconds::zero();
    // Beyond 2^1000 nothing changes, since the cap has long been reached; the double stays finite until
    // there.
    const int doublings = static_cast<int>(std::min<std::uint32_t>(n - 1, 900));
    const double exponential = std::ldexp(static_cast<double>(base.count()), doublings);
    const double spread = static_cast<double>((jitter_max - jitter_min).count());
    const double share = std::generate_canonical<double, 53>(engine);
    const double jitter = static_cast<double>(jitter_min.count()) + spread * share;
    const fractional_ms wanted(std::min(exponential + jitter, static_cast<double>(cap.count())));
    return std::chrono::round<std::chrono::nanoseconds>(wanted);
  }
};

/// The first thing that cannot work, as a sentence; nothing if the configuration is sound.
inline std::optional<std::string> problem_with(const backoff& config) {
  const auto refusal = [](std::string_view name, std::chrono::milliseconds value, std::string_view allowed) {
    std::ostringstream sentence;
    sentence << name << " is " << value.count() << " ms, but it must be " << allowed << '.';
    return sentence.str();
  };
  const auto ms = [](std::chrono::milliseconds value) { return std::to_string(value.count()) + " ms"; };
  constexpr std::chrono::milliseconds zero{0};
  if (config.cap < zero || config.cap > longest_backoff) {
    return refusal("cap", config.cap, "from 0 ms to " + ms(longest_backoff));
  }
  if (config.base < zero || config.base > config.cap) {
    return refusal("base", config.base, "from 0 ms to the cap, " + ms(config.cap));
  }
  if (config.jitter_min < zero || config.jitter_min > config.jitter_max) {
    return refusal("jitter_min", config.jitter_min, "from 0 ms to jitter_max, " + ms(config.jitter_max));
  }
  if (config.jitter_max > config.cap) {
    return refusal("jitter_max", config.jitter_max, "at most the cap, " + ms(config.cap));
  }
  return std::nullopt;
}

}  // namespace resilience
