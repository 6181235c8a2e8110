// Percentiles by the rank rule, and the bound on what is kept.
#include "telemetry/samples.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace quote_lab::telemetry {
namespace {

double percentile_of(std::vector<double> values, double percent) {
  return percentile(values, percent);
}

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Percentile, IsTheValueAtTheRankRoundedUp) {
  EXPECT_EQ(percentile_of(one_to(1), 95), 1);
  EXPECT_EQ(percentile_of(one_to(2), 95), 2);
  EXPECT_EQ(percentile_of(one_to(19), 95), 19);
  EXPECT_EQ(percentile_of(one_to(20), 95), 19);
  EXPECT_EQ(percentile_of(one_to(21), 95), 20);
  EXPECT_EQ(percentile_of(one_to(100), 95), 95);
  EXPECT_EQ(percentile_of(one_to(100), 99), 99);
  EXPECT_EQ(percentile_of(one_to(101), 99), 100);
  EXPECT_EQ(percentile_of(one_to(3000), 99), 2970);
}

TEST(Percentile, StaysInsideAtTheEnds) {
  EXPECT_EQ(percentile_of({}, 95), 0);
  EXPECT_EQ(percentile_of(one_to(10), 0), 1);
  EXPECT_EQ(percentile_of(one_to(10), 100), 10);
}

TEST(Percentile, DoesNotMindTheOrder) {
  std::mt19937 shuffle(1);
  auto values = one_to(500);
  for (int i = 0; i < 20; ++i) {
    std::shuffle(values.begin(), values.end(), shuffle);
    EXPECT_EQ(percentile_of(values, 95), 475);
  }
}

TEST(Samples, TellNothingOfNothing) {
  const auto summary = samples(10).summary();
  EXPECT_EQ(summary.count, 0U);
  EXPECT_EQ(summary.avg_ms, 0);
  EXPECT_EQ(summary.p95_ms, 0);
  EXPECT_EQ(summary.max_ms, 0);
}

TEST(Samples, AreSummedUp) {
  samples kept(100);
  for (const double ms : {4.0, 1.0, 3.0, 2.0}) kept.add(ms);
  const auto summary = kept.summary();
  EXPECT_EQ(summary.count, 4U);
  EXPECT_EQ(summary.avg_ms, 2.5);
  EXPECT_EQ(summary.p95_ms, 4);
  EXPECT_EQ(summary.p99_ms, 4);
  EXPECT_EQ(summary.max_ms, 4);
}

TEST(Samples, ForgetTheOldestBeyondTheLimit) {
  samples kept(3);
  for (const double ms : {1000.0, 1.0, 2.0, 3.0}) kept.add(ms);
  EXPECT_EQ(kept.values(), (std::deque<double>{1, 2, 3}));
  EXPECT_EQ(kept.summary().max_ms, 3);
}

TEST(Samples, KeepTheirOrderThroughASummary) {
  samples kept(5);
  for (const double ms : {5.0, 1.0, 4.0}) kept.add(ms);
  kept.summary();
  EXPECT_EQ(kept.values(), (std::deque<double>{5, 1, 4}));
}

}  // namespace
}  // namespace quote_lab::telemetry
