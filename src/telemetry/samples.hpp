// The last N latencies, and what is told of them: average, percentiles, maximum.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace quote_lab::telemetry {

struct latency_summary {
  std::size_t count = 0;
  double avg_ms = 0;
  double p95_ms = 0;
  double p99_ms = 0;
  double max_ms = 0;
};

/// Bounded: what is older than the last `limit` samples is forgotten.
class samples {
 public:
  explicit samples(std::size_t limit) : limit_(limit) {}

  void add(double ms);
  latency_summary summary() const;

  const std::deque<double>& values() const { return values_; }

 private:
  std::size_t limit_;
  std::deque<double> values_;
};

/// The value at rank ceil(percent/100 · n) of the sorted samples; 0 when there are none. Sorts only as far as
/// it must.
double percentile(std::vector<double>& values, double percent);

}  // namespace quote_lab::telemetry
