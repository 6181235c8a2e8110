// The process's own numbers under the names that every Prometheus client library uses.
#pragma once

#include <vector>

#include <prometheus/metric_family.h>

namespace quote_lab::telemetry {

/// Reads /proc; what cannot be read is left out.
std::vector<prometheus::MetricFamily> process_families();

}  // namespace quote_lab::telemetry
