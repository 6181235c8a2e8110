// Which bucket a duration falls into: an upper bound belongs to its own bucket, as Prometheus's `le` has it.
#include "telemetry/histogram.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace quote_lab::telemetry {
namespace {

using seconds = std::chrono::duration<double>;

TEST(Histogram, ABoundBelongsToItsOwnBucketAndWhatIsJustAboveToTheNext) {
  for (std::size_t i = 0; i < histogram_bounds_s.size(); ++i) {
    histogram at, above;
    at.add(seconds(histogram_bounds_s[i]));
    above.add(seconds(histogram_bounds_s[i] * 1.0000001));
    EXPECT_EQ(at.counts[i], 1U) << histogram_bounds_s[i];
    EXPECT_EQ(above.counts[i + 1], 1U) << histogram_bounds_s[i];
  }
}

TEST(Histogram, NothingIsTooSmallOrTooLargeToBeCounted) {
  histogram all;
  all.add(seconds(0));
  all.add(seconds(3600));
  EXPECT_EQ(all.counts.front(), 1U);
  EXPECT_EQ(all.counts.back(), 1U);
}

TEST(Histogram, EachValueIsInOneBucketAndTheSumIsTheirs) {
  histogram all;
  for (int ms = 1; ms <= 2000; ++ms) all.add(std::chrono::milliseconds(ms));
  EXPECT_EQ(std::accumulate(all.counts.begin(), all.counts.end(), std::uint64_t{0}), 2000U);
  EXPECT_NEAR(all.sum_s, 2001.0, 1e-6);
}

TEST(Histogram, ItsBoundsRise) {
  EXPECT_TRUE(std::is_sorted(histogram_bounds_s.begin(), histogram_bounds_s.end()));
  EXPECT_EQ(std::adjacent_find(histogram_bounds_s.begin(), histogram_bounds_s.end()),
            histogram_bounds_s.end());
}

TEST(Histogram, TellsBothDeadlinesFromWhatMissedThem) {
  const auto bucket_of = [](std::chrono::milliseconds value) {
    histogram one;
    one.add(value);
    return std::find(one.counts.begin(), one.counts.end(), 1U) - one.counts.begin();
  };
  EXPECT_NE(bucket_of(std::chrono::milliseconds(195)), bucket_of(std::chrono::milliseconds(221)));
  EXPECT_NE(bucket_of(std::chrono::milliseconds(195)), bucket_of(std::chrono::milliseconds(361)));
}

}  // namespace
}  // namespace quote_lab::telemetry
