#include "telemetry/families.hpp"

#include <limits>

namespace quote_lab::telemetry {

family::family(std::string name, std::string help, prometheus::MetricType type) {
  family_.name = std::move(name);
  family_.help = std::move(help);
  family_.type = type;
}

prometheus::ClientMetric& family::series(const labels& with) {
  auto& metric = family_.metric.emplace_back();
  for (const auto& [name, value] : with) metric.label.push_back({name, value});
  return metric;
}

family& family::add(const labels& with, double value) & {
  auto& metric = series(with);
  metric.counter.value = value;
  metric.gauge.value = value;
  return *this;
}

family&& family::add(const labels& with, double value) && {
  return std::move(add(with, value));
}

family& family::add(const labels& with, const histogram& value) & {
  auto& target = series(with).histogram;
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < value.counts.size(); ++i) {
    cumulative += value.counts[i];
    const bool last = i == histogram_bounds_s.size();
    const double bound = last ? std::numeric_limits<double>::infinity() : histogram_bounds_s[i];
    target.bucket.push_back({cumulative, bound});
  }
  target.sample_count = cumulative;
  target.sample_sum = value.sum_s;
  return *this;
}

}  // namespace quote_lab::telemetry
