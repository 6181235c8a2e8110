#include "api/documents.hpp"

#include <algorithm>

#include "storage/provider_json.hpp"
#include "storage/telemetry_json.hpp"

namespace quote_lab::api {
namespace {

using json = nlohmann::ordered_json;
using storage::ms_json;

/// The summary shows so many incidents, however many are kept.
constexpr std::size_t recent_incidents = 50;

json route_document(const telemetry::latency_summary& summary) {
  return {{"count", summary.count},
          {"avg_ms", ms_json(summary.avg_ms)},
          {"p95_ms", ms_json(summary.p95_ms)},
          {"p99_ms", ms_json(summary.p99_ms)},
          {"max_ms", ms_json(summary.max_ms)}};
}

}  // namespace

json dependency_document(lab& lab) {
  const auto record = lab.dependency.record();
  auto document = storage::provider_json(record);
  document["circuit_status"] = to_string(record.circuit);
  return document;
}

json incidents_document(const telemetry::state& state, std::size_t limit) {
  auto incidents = json::array();
  const auto count = std::min(limit, state.incidents.size());
  std::for_each_n(state.incidents.rbegin(), count, [&](const telemetry::incident& each) {
    incidents.push_back(storage::incident_json(each));
  });
  return incidents;
}

json summary_document(const telemetry::state& state) {
  const auto all = state.samples_ms.summary();
  auto modes = json::object();
  for (const auto mode : quote::all_modes) modes[to_string(mode)] = storage::mode_json(state.modes[mode]);
  auto routes = json::object();
  for (const auto& [path, samples] : state.routes) routes[path] = route_document(samples.summary());
  return {{"requests_tracked", state.requests},
          {"sample_count", all.count},
          {"avg_ms", ms_json(all.avg_ms)},
          {"p95_ms", ms_json(all.p95_ms)},
          {"p99_ms", ms_json(all.p99_ms)},
          {"max_ms", ms_json(all.max_ms)},
          {"last_path", state.last_path ? json(*state.last_path) : json(nullptr)},
          {"last_status", state.last_status},
          {"last_updated", state.last_updated ? json(quote::iso8601(*state.last_updated)) : json(nullptr)},
          {"status_counts", storage::status_counts_json(state)},
          {"modes", std::move(modes)},
          {"routes", std::move(routes)},
          {"recent_incidents", incidents_document(state, recent_incidents)}};
}

json policies_document(const quote::policies& policies) {
  auto document = json::object();
  for (const auto mode : quote::all_modes) {
    const auto& policy = policies[mode];
    document[to_string(mode)] = {{"timeout_ms", policy.timeout.count()},
                                 {"max_attempts", policy.max_attempts},
                                 {"backoff_base_ms", policy.backoff_base.count()},
                                 {"use_circuit_breaker", policy.use_circuit_breaker},
                                 {"allow_fallback", policy.allow_fallback}};
  }
  return document;
}

}  // namespace quote_lab::api
