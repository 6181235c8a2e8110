// Builders for the families of a scrape, over prometheus-cpp's plain client model: no registry, so that no
// counter is kept twice. Called by: prometheus_text.cpp.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <prometheus/metric_family.h>

#include "telemetry/histogram.hpp"

namespace quote_lab::telemetry {

using labels = std::vector<std::pair<std::string, std::string>>;

/// One family under construction: a name, its HELP and TYPE, and the series that are added to it.
class family {
 public:
  /// `help` must hold neither a line end nor a backslash: the serializer does not escape it.
  family(std::string name, std::string help, prometheus::MetricType type);

  family&& add(const labels& with, double value) &&;
  family& add(const labels& with, double value) &;
  family& add(const labels& with, const histogram& value) &;

  prometheus::MetricFamily take() && { return std::move(family_); }

 private:
  prometheus::ClientMetric& series(const labels& with);

  prometheus::MetricFamily family_;
};

inline family counter(std::string name, std::string help) {
  return {std::move(name), std::move(help), prometheus::MetricType::Counter};
}
inline family gauge(std::string name, std::string help) {
  return {std::move(name), std::move(help), prometheus::MetricType::Gauge};
}

}  // namespace quote_lab::telemetry
