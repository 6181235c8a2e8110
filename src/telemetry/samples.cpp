#include "telemetry/samples.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace quote_lab::telemetry {

void samples::add(double ms) {
  if (values_.size() == limit_) values_.pop_front();
  values_.push_back(ms);
}

latency_summary samples::summary() const {
  if (values_.empty()) return {};
  std::vector<double> copy(values_.begin(), values_.end());
  const double sum = std::accumulate(copy.begin(), copy.end(), 0.0);
  const double largest = *std::max_element(copy.begin(), copy.end());
  const double p95 = percentile(copy, 95);
  return {copy.size(), sum / static_cast<double>(copy.size()), p95, percentile(copy, 99), largest};
}

double percentile(std::vector<double>& values, double percent) {
  if (values.empty()) return 0;
  const auto size = static_cast<double>(values.size());
  const double rank = std::clamp(std::ceil(percent / 100 * size), 1.0, size);
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

}  // namespace quote_lab::telemetry
