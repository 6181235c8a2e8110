#include <chrono>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include <resilience/rolling_window.hpp>

namespace resilience {
namespace {

using namespace std::chrono_literals;
using time_point = rolling_window::time_point;

constexpr time_point epoch{};
constexpr std::uint32_t buckets = 5;

::testing::AssertionResult holds(rolling_window& window, time_point now, std::uint64_t calls,
                                 std::uint64_t failures) {
  const auto seen = window.seen(now);
  if (seen.calls == calls && seen.failures == failures) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << seen.calls << " calls, " << seen.failures << " failures";
}

TEST(RollingWindow, IsEmptyAtFirst) {
  rolling_window window(1s, buckets);
  EXPECT_TRUE(holds(window, epoch + 1h, 0, 0));
}

TEST(RollingWindow, CountsCallsAndFailures) {
  rolling_window window(1s, buckets);
  window.add(outcome::success, epoch);
  window.add(outcome::failure, epoch + 1ms);
  window.add(outcome::success, epoch + 2s);
  EXPECT_TRUE(holds(window, epoch + 2s, 3, 1));
}

struct gap {
  std::uint64_t idle_buckets;
  bool gone;
};

class RollingWindowAfterAPause : public ::testing::TestWithParam<gap> {};

// One failure, then nothing for a number of buckets: as long as that is fewer than the window has, it is
// still there.
TEST_P(RollingWindowAfterAPause, HasForgottenWhatIsOlderThanItAndNothingElse) {
  rolling_window window(1s, buckets);
  window.add(outcome::failure, epoch + 300ms);
  const auto later = epoch + 300ms + std::chrono::seconds(GetParam().idle_buckets);
  EXPECT_TRUE(holds(window, later, GetParam().gone ? 0 : 1, GetParam().gone ? 0 : 1));
  window.add(outcome::success, later);
  EXPECT_TRUE(holds(window, later, GetParam().gone ? 1 : 2, GetParam().gone ? 0 : 1));
}

// The same with every bucket full, so that a bucket left over from the round before would show.
TEST_P(RollingWindowAfterAPause, LeavesNoBucketOverFromTheRoundBefore) {
  rolling_window window(1s, buckets);
  for (std::uint32_t i = 0; i < buckets; ++i) window.add(outcome::failure, epoch + i * 1s);
  const std::uint64_t idle = GetParam().idle_buckets;
  const auto later = epoch + (buckets - 1) * 1s + std::chrono::seconds(idle);
  const std::uint64_t left = idle >= buckets ? 0 : buckets - idle;
  EXPECT_TRUE(holds(window, later, left, left));
}

INSTANTIATE_TEST_SUITE_P(Buckets, RollingWindowAfterAPause,
                         ::testing::Values(gap{1, false}, gap{buckets - 1, false}, gap{buckets, true},
                                           gap{buckets + 1, true}, gap{2 * buckets, true}, gap{1000, true}),
                         [](const auto& each) { return std::to_string(each.param.idle_buckets) + "Idle"; });

TEST(RollingWindow, ForgetsBucketByBucket) {
  rolling_window window(1s, 3);
  window.add(outcome::failure, epoch);
  window.add(outcome::failure, epoch + 1s);
  window.add(outcome::success, epoch + 2s);
  EXPECT_TRUE(holds(window, epoch + 2999ms, 3, 2));
  EXPECT_TRUE(holds(window, epoch + 3s, 2, 1));
  EXPECT_TRUE(holds(window, epoch + 4s, 1, 0));
  EXPECT_TRUE(holds(window, epoch + 5s, 0, 0));
}

TEST(RollingWindow, ChangesBucketExactlyAtItsEdge) {
  rolling_window window(1s, 1);
  window.add(outcome::failure, epoch + 1s);
  EXPECT_TRUE(holds(window, epoch + 2s - 1ns, 1, 1));
  EXPECT_TRUE(holds(window, epoch + 2s, 0, 0));
}

TEST(RollingWindow, CountsOnWhileTheTimeStandsStill) {
  rolling_window window(1s, buckets);
  for (int i = 0; i < 1000; ++i) window.add(outcome::failure, epoch + 7s);
  EXPECT_TRUE(holds(window, epoch + 7s, 1000, 1000));
}

TEST(RollingWindow, CountsATimeBeforeTheNewestBucketInTheNewest) {
  rolling_window window(1s, 2);
  window.add(outcome::success, epoch + 10s);
  window.add(outcome::failure, epoch + 3s);
  EXPECT_TRUE(holds(window, epoch + 3s, 2, 1));
  EXPECT_TRUE(holds(window, epoch + 11s, 2, 1));
  EXPECT_TRUE(holds(window, epoch + 12s, 0, 0));
}

TEST(RollingWindow, KeepsBucketsApartOnBothSidesOfTheEpoch) {
  rolling_window window(1s, 2);
  window.add(outcome::failure, epoch - 1500ms);
  window.add(outcome::failure, epoch - 500ms);
  EXPECT_TRUE(holds(window, epoch - 1ns, 2, 2));
  EXPECT_TRUE(holds(window, epoch, 1, 1));
  EXPECT_TRUE(holds(window, epoch + 1s, 0, 0));
}

TEST(RollingWindow, BearsTheWholeRangeOfTheClock) {
  rolling_window window(1ns, buckets);
  window.add(outcome::failure, time_point::min());
  EXPECT_TRUE(holds(window, time_point::max(), 0, 0));
  window.add(outcome::success, time_point::max());
  EXPECT_TRUE(holds(window, time_point::min(), 1, 0));
}

TEST(RollingWindow, StartsAgainWhenClearedEvenAtAnEarlierTime) {
  rolling_window window(1s, 2);
  window.add(outcome::failure, epoch + 100s);
  window.clear();
  EXPECT_TRUE(holds(window, epoch + 100s, 0, 0));
  window.clear();
  window.add(outcome::failure, epoch);
  EXPECT_TRUE(holds(window, epoch + 2s, 0, 0));
}

TEST(RollingWindow, RefusesABucketOrANumberOfBucketsThatHoldsNothing) {
  EXPECT_THROW(rolling_window(0s, 5), std::invalid_argument);
  EXPECT_THROW(rolling_window(-1s, 5), std::invalid_argument);
  EXPECT_THROW(rolling_window(1s, 0), std::invalid_argument);
}

}  // namespace
}  // namespace resilience
