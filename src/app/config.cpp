#include "app/config.hpp"

#include <resilience/backoff.hpp>

#include "api/routes.hpp"

namespace quote_lab::app {

resilience::breaker_config config::breaker() const {
  resilience::breaker_config breaker;
  if (breaker_rule == trip_rule_choice::consecutive_failures) {
    breaker.rule = breaker_run;
  } else {
    breaker.rule = breaker_rate;
  }
  breaker.open_for = breaker_open;
  breaker.half_open_probes = breaker_probes;
  breaker.successes_to_close = breaker_successes_to_close;
  return breaker;
}

std::optional<std::string> problem_with(const config& settings) {
  if (auto problem = resilience::problem_with(settings.breaker())) return "The breaker: " + *problem;
  if (api::find_route(settings.prefix) != nullptr) {
    return "The prefix '" + settings.prefix + "' is a route of the lab's; it must be another path.";
  }
  for (const auto mode : quote::all_modes) {
    const resilience::backoff waits{settings.policies[mode].backoff_base, settings.jitter.least,
                                    settings.jitter.most};
    if (auto problem = resilience::problem_with(waits)) {
      return "The back-off of " + std::string(to_string(mode)) + ": " + *problem;
    }
  }
  return std::nullopt;
}

}  // namespace quote_lab::app
