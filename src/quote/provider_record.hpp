// What the lab knows of its provider, as plain data: shown to clients and kept on disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <resilience/breaker_state.hpp>

#include "quote/outcome.hpp"

namespace quote_lab::quote {

enum class last_outcome { unknown, success, failure };

constexpr std::string_view to_string(last_outcome value) {
  switch (value) {
    case last_outcome::unknown:
      return "unknown";
    case last_outcome::success:
      return "success";
    case last_outcome::failure:
      return "failure";
  }
  return "";
}

struct provider_record {
  std::string name = "carrier-gateway";
  std::uint32_t consecutive_failures = 0;  ///< of both modes: they watch one provider
  std::optional<wall_time> opened_until;   ///< only while the breaker is open
  quote::last_outcome last_outcome = last_outcome::unknown;
  milliseconds last_latency{0};
  std::optional<wall_time> last_updated;
  std::uint64_t open_events = 0;
  std::uint64_t short_circuit_count = 0;
  known_quote cached;  ///< the last quote known

  resilience::breaker_state circuit = resilience::breaker_state::closed;
};

/// The quote that is given before a live one ever came.
inline known_quote seed_quote(wall_time now) {
  return {"cached-quote-seed", 47.8, "USD", now};
}

}  // namespace quote_lab::quote
