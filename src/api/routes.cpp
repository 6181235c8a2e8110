#include "api/routes.hpp"

#include <algorithm>
#include <array>

#include "api/endpoints.hpp"

namespace quote_lab::api {
namespace {

constexpr std::array table{
    route_entry{"/", "", "What this is: JSON, or a page for a browser.", false, true, about},
    route_entry{"/health", "", "Whether the lab is up, and whether it can write its files.", false, true,
                health},
    route_entry{"/quote-legacy", "?scenario=slow_provider&customer_id=42&items=3",
                "Many tries, no wait, no breaker, no fallback: how a retry storm is made.", false, true,
                quote_legacy},
    route_entry{"/quote-resilient", "?scenario=slow_provider&customer_id=42&items=3",
                "Few tries, back-off with jitter, breaker, cached quote: how to survive one.", false, true,
                quote_resilient},
    route_entry{"/dependency/state", "", "The provider as the lab knows it, and its breaker.", false, true,
                dependency_state},
    route_entry{"/incidents", "?limit=10", "The last quotes, newest first, with their events.", false, true,
                incidents},
    route_entry{"/diagnostics/summary", "", "Metrics, provider and policies at once.", false, true,
                diagnostics_summary},
    route_entry{"/metrics", "", "The telemetry as JSON.", false, false, metrics},
    route_entry{"/metrics-prometheus", "", "The same for Prometheus, text format 0.0.4.", false, false,
                metrics_prometheus},
    route_entry{"/reset-lab", "", "State and telemetry start afresh. POST or GET.", true, false, reset_lab},
};

}  // namespace

std::span<const route_entry> routes() {
  return table;
}

const route_entry* find_route(std::string_view path) {
  const auto* found =
      std::find_if(table.begin(), table.end(), [&](const auto& each) { return each.path == path; });
  return found == table.end() ? nullptr : found;
}

}  // namespace quote_lab::api
