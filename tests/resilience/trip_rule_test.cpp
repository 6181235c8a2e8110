// When a closed breaker opens: the two rules, at and around their numbers.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <resilience/breaker_core.hpp>

#include "resilience/support/core_driver.hpp"
#include "resilience/support/print.hpp"

namespace resilience {
namespace {

using namespace std::chrono_literals;
using testing::core_driver;

class ConsecutiveFailures : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(ConsecutiveFailures, OpenAtTheLimitAndNotOneBelow) {
  const std::uint32_t limit = GetParam();
  core_driver breaker({.rule = consecutive_failures{limit}});
  for (std::uint32_t failure = 1; failure < limit; ++failure) {
    breaker.call(outcome::failure);
    ASSERT_EQ(breaker.state(), breaker_state::closed) << failure;
  }
  const auto step = breaker.fail(breaker.acquire().value());
  EXPECT_EQ(breaker.state(), breaker_state::open);
  ASSERT_TRUE(step.by_call.has_value());
  EXPECT_EQ(step.by_call->consecutive_failures, limit);
  EXPECT_FALSE(breaker.call(outcome::failure)) << "one above the limit never reaches the server";
}

INSTANTIATE_TEST_SUITE_P(Limits, ConsecutiveFailures, ::testing::Values(1, 2, 3, 100));

TEST(ConsecutiveFailuresRule, StartsAgainAtEverySuccess) {
  core_driver breaker({.rule = consecutive_failures{3}});
  for (int i = 0; i < 50; ++i) {
    breaker.fail_times(2);
    breaker.call(outcome::success);
  }
  EXPECT_EQ(breaker.state(), breaker_state::closed);
}

TEST(ConsecutiveFailuresRule, DoesNotCareHowMuchTimeLiesBetween) {
  core_driver breaker({.rule = consecutive_failures{2}});
  breaker.call(outcome::failure);
  breaker.wait(1000h);
  breaker.call(outcome::failure);
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

TEST(ConsecutiveFailuresRule, CountsObservedFailuresButOpensOnlyAtARecordedOne) {
  core_driver breaker({.rule = consecutive_failures{2}});
  for (int i = 0; i < 4; ++i) breaker.core.observe(outcome::failure, breaker.now);
  EXPECT_EQ(breaker.state(), breaker_state::closed);
  EXPECT_TRUE(breaker.acquire().has_value());
  const auto step = breaker.fail(breaker.acquire().value());
  ASSERT_TRUE(step.by_call.has_value());
  EXPECT_EQ(step.by_call->consecutive_failures, 5U);
}

TEST(ConsecutiveFailuresRule, KeepsNoWindow) {
  core_driver breaker({.rule = consecutive_failures{20}});
  breaker.fail_times(10);
  EXPECT_EQ(breaker.snapshot().window_calls, 0U);
  EXPECT_EQ(breaker.snapshot().failure_rate, std::nullopt);
}

struct share {
  std::uint32_t failures, calls;
  double threshold;
};

class FailureRate : public ::testing::TestWithParam<share> {};

// Successes first, so that the last failure is the one that meets the threshold: k - 1 does not open, k does.
TEST_P(FailureRate, OpensAtTheThresholdAndNotOneFailureBelow) {
  const auto [failures, calls, threshold] = GetParam();
  core_driver breaker({.rule = failure_rate{.threshold = threshold, .minimum_calls = calls}});
  for (std::uint32_t i = 0; i < calls - failures; ++i) breaker.call(outcome::success);
  for (std::uint32_t i = 1; i < failures; ++i) {
    breaker.call(outcome::failure);
    ASSERT_EQ(breaker.state(), breaker_state::closed) << i;
  }
  breaker.call(outcome::failure);
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

TEST_P(FailureRate, StaysClosedWithOneFailureFewerAmongAsManyCalls) {
  const auto [failures, calls, threshold] = GetParam();
  core_driver breaker({.rule = failure_rate{.threshold = threshold, .minimum_calls = calls}});
  for (std::uint32_t i = 0; i <= calls - failures; ++i) breaker.call(outcome::success);
  breaker.fail_times(static_cast<int>(failures) - 1);
  EXPECT_EQ(breaker.state(), breaker_state::closed);
}

// Failures are looked at when they come, so one more of them among the calls opens as well.
TEST_P(FailureRate, OpensWithOneFailureMoreAmongAsManyCalls) {
  const auto [failures, calls, threshold] = GetParam();
  const std::uint32_t more = std::min(failures + 1, calls);
  core_driver breaker({.rule = failure_rate{.threshold = threshold, .minimum_calls = calls}});
  for (std::uint32_t i = 0; i < calls - more; ++i) breaker.call(outcome::success);
  breaker.fail_times(static_cast<int>(more));
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

// The odd ones are those where threshold x calls is not exactly a double.
INSTANTIATE_TEST_SUITE_P(Shares, FailureRate,
                         ::testing::Values(share{5, 10, 0.5}, share{3, 10, 0.3}, share{7, 10, 0.7},
                                           share{1, 3, 1.0 / 3.0}, share{29, 100, 0.29}, share{10, 10, 1.0},
                                           share{1, 1, 1.0}),
                         [](const auto& each) {
                           return std::to_string(each.param.failures) + "Of" +
                                  std::to_string(each.param.calls);
                         });

TEST(FailureRateRule, NeitherOpensNorTellsARateBelowTheMinimumOfCalls) {
  core_driver breaker({.rule = failure_rate{.threshold = 0.5, .minimum_calls = 10}});
  breaker.fail_times(9);
  EXPECT_EQ(breaker.state(), breaker_state::closed);
  EXPECT_EQ(breaker.snapshot().failure_rate, std::nullopt);
  EXPECT_EQ(breaker.snapshot().window_failures, 9U);
  breaker.call(outcome::failure);
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

TEST(FailureRateRule, OpensOnlyWhenAFailureComesThoughASuccessMadeUpTheMinimum) {
  core_driver breaker({.rule = failure_rate{.threshold = 0.5, .minimum_calls = 10}});
  breaker.fail_times(9);
  breaker.call(outcome::success);
  EXPECT_EQ(breaker.state(), breaker_state::closed);
  EXPECT_EQ(breaker.snapshot().failure_rate, 0.9);
  breaker.call(outcome::failure);
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

TEST(FailureRateRule, LetsSparseFailuresDecay) {
  core_driver breaker(
      {.rule = failure_rate{.bucket = 1s, .buckets = 30, .threshold = 0.5, .minimum_calls = 3}});
  for (int hour = 0; hour < 100; ++hour) {
    breaker.fail_times(2);
    breaker.wait(1h);
  }
  EXPECT_EQ(breaker.state(), breaker_state::closed);
  EXPECT_EQ(breaker.snapshot().window_calls, 0U);
}

TEST(FailureRateRule, NeverCountsRejectedCalls) {
  core_driver breaker({.rule = failure_rate{.minimum_calls = 2}, .open_for = 30s, .half_open_probes = 1});
  breaker.fail_times(2);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(breaker.call(outcome::success));
  EXPECT_EQ(breaker.snapshot().window_calls, 0U);
  breaker.wait(30s);
  const auto probe = breaker.acquire();
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(breaker.call(outcome::success));
  breaker.succeed(probe.value());
  EXPECT_EQ(breaker.state(), breaker_state::closed);
  breaker.fail_times(2);
  EXPECT_EQ(breaker.state(), breaker_state::open) << "a thousand rejections would have diluted two failures";
}

TEST(FailureRateRule, CountsObservedResultsWhileClosedOnly) {
  core_driver breaker({.rule = failure_rate{.threshold = 0.5, .minimum_calls = 4}, .open_for = 30s});
  for (int i = 0; i < 3; ++i) breaker.core.observe(outcome::failure, breaker.now);
  EXPECT_EQ(breaker.snapshot().window_failures, 3U);
  breaker.call(outcome::failure);
  ASSERT_EQ(breaker.state(), breaker_state::open);
  breaker.core.observe(outcome::failure, breaker.now);
  EXPECT_EQ(breaker.snapshot().window_calls, 0U);
  breaker.wait(30s);
  ASSERT_EQ(breaker.state(), breaker_state::half_open);
  breaker.core.observe(outcome::failure, breaker.now);
  EXPECT_EQ(breaker.snapshot().window_calls, 0U);
}

TEST(FailureRateRule, StartsWithAnEmptyWindowAfterClosingAgain) {
  core_driver breaker({.rule = failure_rate{.minimum_calls = 10}, .open_for = 1s});
  breaker.fail_times(10);
  breaker.wait(1s);
  breaker.call(outcome::success);
  ASSERT_EQ(breaker.state(), breaker_state::closed);
  breaker.fail_times(9);
  EXPECT_EQ(breaker.state(), breaker_state::closed) << "the failures from before it opened are gone";
}

TEST(FailureRateRule, WeighsACallWhenItEndsNotWhenItBegan) {
  core_driver breaker(
      {.rule = failure_rate{.bucket = 1s, .buckets = 2, .threshold = 1.0, .minimum_calls = 1}});
  const auto slow = breaker.acquire();
  breaker.wait(1h);
  breaker.fail(slow.value());
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

}  // namespace
}  // namespace resilience
