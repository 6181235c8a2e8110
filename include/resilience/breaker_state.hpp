// The three states of a circuit breaker, and how a call that it let through ended.
// Who calls it: every other header of the breaker, and whoever shows a state to a person or writes it down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace resilience {

/// closed: calls go through and are watched. open: calls are refused until the open period is over.
/// half_open: a few calls go through as probes, and what becomes of them decides. The three-state breaker is
/// Michael Nygard's
/// ("Release It!", Stability Patterns).
enum class breaker_state : std::uint8_t { closed, open, half_open };

inline constexpr std::size_t breaker_states = 3;

/// How a call ended, as far as it says something about the server. What says nothing (the caller left, a
/// refusal of our own) is no outcome: the permit is dropped instead.
enum class outcome : std::uint8_t { success, failure };

/// The name as it stands in the enumeration: `closed`, `open`, `half_open`.
constexpr std::string_view to_string(breaker_state state) {
  switch (state) {
    case breaker_state::closed:
      return "closed";
    case breaker_state::open:
      return "open";
    case breaker_state::half_open:
      return "half_open";
  }
  return "unknown";
}

/// The name as it stands in the enumeration: `success`, `failure`.
constexpr std::string_view to_string(outcome how) {
  switch (how) {
    case outcome::success:
      return "success";
    case outcome::failure:
      return "failure";
  }
  return "unknown";
}

}  // namespace resilience
