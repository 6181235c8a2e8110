// The events of a quote as JSON: in an answer, in an incident, on disk.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "quote/outcome.hpp"

namespace quote_lab::storage {

nlohmann::ordered_json events_json(const std::vector<quote::event>& events);

/// Throws `unreadable`.
std::vector<quote::event> read_events(const nlohmann::ordered_json& array);

}  // namespace quote_lab::storage
