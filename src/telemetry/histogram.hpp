// Durations counted into fixed buckets, as Prometheus wants them: cumulative is made at the scrape, not here.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace quote_lab::telemetry {

/// Upper bounds in seconds. They bracket what the lab's own numbers make interesting: a short circuit (ms),
/// one attempt (115–360 ms), both modes' deadlines (220, 360 ms), a whole storm (1.44 s).
inline constexpr std::array histogram_bounds_s{0.001, 0.005, 0.01,  0.025, 0.05, 0.1, 0.15, 0.2, 0.225,
                                               0.25,  0.3,   0.365, 0.5,   0.75, 1.0, 1.5,  2.5, 5.0};

struct histogram {
  std::array<std::uint64_t, histogram_bounds_s.size() + 1>
      counts{};  ///< the last is for what is above every bound
  double sum_s = 0;

  void add(std::chrono::duration<double> value) {
    const auto bound = std::lower_bound(histogram_bounds_s.begin(), histogram_bounds_s.end(), value.count());
    ++counts[static_cast<std::size_t>(bound - histogram_bounds_s.begin())];
    sum_s += value.count();
  }
  bool operator==(const histogram&) const = default;
};

}  // namespace quote_lab::telemetry
