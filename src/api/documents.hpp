// The JSON documents that more than one endpoint shows, and the words by which the lab calls itself. With
// storage's codecs, the place that knows the names of the fields.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "api/lab.hpp"
#include "quote/policy.hpp"

namespace quote_lab::api {

inline constexpr std::string_view case_name = "04 - Timeout chain and retry storms";
inline constexpr std::string_view stack_name = "C++20, Boost.Asio";

/// The provider record, then `circuit_status`.
nlohmann::ordered_json dependency_document(lab& lab);

/// What /metrics shows and the diagnostics repeat.
nlohmann::ordered_json summary_document(const telemetry::state& state);

nlohmann::ordered_json policies_document(const quote::policies& policies);

/// The newest `limit` incidents, newest first.
nlohmann::ordered_json incidents_document(const telemetry::state& state, std::size_t limit);

}  // namespace quote_lab::api
