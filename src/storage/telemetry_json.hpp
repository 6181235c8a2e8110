// The telemetry as JSON: telemetry.json, in the Node.js case's own format with more members, and the parts of
// it that clients are shown as they are.
#pragma once

#include <functional>

#include <nlohmann/json.hpp>

#include "telemetry/state.hpp"

namespace quote_lab::storage {

nlohmann::ordered_json incident_json(const telemetry::incident& incident);
nlohmann::ordered_json status_counts_json(const telemetry::state& state);
/// The counters that clients are shown.
nlohmann::ordered_json mode_json(const telemetry::mode_counters& counters);

/// The whole file.
nlohmann::ordered_json telemetry_json(const telemetry::state& state);

/// Reads a file of ours or of the Node.js case's, which counts paths that are no route each by itself: here
/// they share one entry. Throws `unreadable`.
telemetry::state read_telemetry(const nlohmann::ordered_json& file, const telemetry::retention& keep,
                                const std::function<bool(std::string_view)>& is_route);

}  // namespace quote_lab::storage
