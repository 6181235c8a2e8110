// The Prometheus text (format 0.0.4), made from the telemetry and the gauges of the moment. Pure but for the
// process's own numbers. Called by: api/.
#pragma once

#include <string>

#include "telemetry/gauges.hpp"
#include "telemetry/state.hpp"

namespace quote_lab::telemetry {

inline constexpr std::string_view prometheus_content_type = "text/plain; version=0.0.4; charset=utf-8";

std::string prometheus_text(const state& counted, const gauges& at_the_moment);

}  // namespace quote_lab::telemetry
