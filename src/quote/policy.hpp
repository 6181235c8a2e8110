// The numbers behind a mode. The defaults are the two policies that the lab exists to compare.
#pragma once

#include <chrono>
#include <cstdint>

#include "quote/mode.hpp"

namespace quote_lab::quote {

struct policy {
  std::chrono::milliseconds timeout{360};     ///< an attempt that outlasts it is cancelled
  std::uint32_t max_attempts = 4;             ///< attempts for one quote, the first included
  std::chrono::milliseconds backoff_base{0};  ///< doubled for each retry, jitter added; 0 = no wait at all
  bool use_circuit_breaker = false;           ///< ask the breaker for a permit before each attempt
  bool allow_fallback = false;                ///< give the last quote known when there is no live one

  bool operator==(const policy&) const = default;
};

/// How a retry storm is made.
inline constexpr policy legacy_policy{};

/// How to survive one.
inline constexpr policy resilient_policy{.timeout = std::chrono::milliseconds{220},
                                         .max_attempts = 2,
                                         .backoff_base = std::chrono::milliseconds{80},
                                         .use_circuit_breaker = true,
                                         .allow_fallback = true};

using policies = by_mode<policy>;

inline constexpr policies default_policies{{legacy_policy, resilient_policy}};

}  // namespace quote_lab::quote
