// The provider record as JSON: on disk and, member for member, what clients are shown.
#pragma once

#include <nlohmann/json.hpp>

#include "quote/provider_record.hpp"

namespace quote_lab::storage {

/// A number of milliseconds: two decimals at most, whole where it is whole.
nlohmann::ordered_json ms_json(double ms);

nlohmann::ordered_json provider_json(const quote::provider_record& record);

/// The whole of dependency_state.json: the record under `provider`, where the Node.js case has it, and under
/// `breaker` what that case does not know.
nlohmann::ordered_json dependency_state_json(const quote::provider_record& record);

/// Reads a file of ours or of the Node.js case's. Throws `unreadable`.
quote::provider_record read_dependency_state(const nlohmann::ordered_json& file);

}  // namespace quote_lab::storage
