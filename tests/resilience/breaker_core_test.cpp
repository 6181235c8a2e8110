// The state machine: how it opens, waits, probes and closes. The trip rules are in trip_rule_test.cpp,
// results from another time in breaker_generation_test.cpp.
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <resilience/breaker_core.hpp>

#include "resilience/support/core_driver.hpp"
#include "resilience/support/print.hpp"

namespace resilience {
namespace {

using namespace std::chrono_literals;
using testing::core_driver;

breaker_config two_failures_open_for_30_s() {
  return {.rule = consecutive_failures{2}, .open_for = 30s};
}

core_driver just_opened(breaker_config config) {
  core_driver breaker(std::move(config));
  breaker.fail_times(2);
  EXPECT_EQ(breaker.state(), breaker_state::open);
  return breaker;
}

TEST(BreakerCore, IsClosedAtFirstAndLetsEveryCallThrough) {
  core_driver breaker(two_failures_open_for_30_s());
  EXPECT_EQ(breaker.state(), breaker_state::closed);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(breaker.acquire().has_value());
  EXPECT_EQ(breaker.snapshot().permits_out, 100U);
}

TEST(BreakerCore, RefusesEveryCallWhileOpenAndCountsIt) {
  auto breaker = just_opened(two_failures_open_for_30_s());
  breaker.wait(30s - 1ns);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(breaker.acquire().has_value());
  EXPECT_EQ(breaker.snapshot().totals.rejected, 5U);
  EXPECT_EQ(breaker.snapshot().totals.permitted, 2U);
  EXPECT_EQ(breaker.core.open_remaining(breaker.now), 1ns);
}

TEST(BreakerCore, IsHalfOpenExactlyWhenTheOpenPeriodIsOver) {
  auto breaker = just_opened(two_failures_open_for_30_s());
  breaker.wait(30s - 1ns);
  EXPECT_EQ(breaker.core.advance(breaker.now), std::nullopt);
  breaker.wait(1ns);
  const auto change = breaker.core.advance(breaker.now);
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->from, breaker_state::open);
  EXPECT_EQ(change->to, breaker_state::half_open);
  EXPECT_EQ(change->at, breaker.now);
  EXPECT_EQ(change->cause, transition_cause::open_period_over);
  EXPECT_EQ(breaker.core.open_remaining(breaker.now), std::nullopt);
}

TEST(BreakerCore, GivesTheFirstCallAfterTheOpenPeriodAsTheProbe) {
  auto breaker = just_opened(two_failures_open_for_30_s());
  breaker.wait(1h);
  const auto step = breaker.core.acquire(breaker.now);
  EXPECT_TRUE(step.generation.has_value());
  ASSERT_TRUE(step.by_time.has_value());
  EXPECT_EQ(step.by_time->to, breaker_state::half_open);
  EXPECT_EQ(breaker.snapshot().probes_out, 1U);
}

TEST(HalfOpen, ClosesOnAProbesSuccess) {
  auto breaker = just_opened(two_failures_open_for_30_s());
  breaker.wait(30s);
  const auto probe = breaker.acquire();
  ASSERT_TRUE(probe.has_value());
  const auto step = breaker.succeed(*probe);
  EXPECT_TRUE(step.used);
  ASSERT_TRUE(step.by_call.has_value());
  EXPECT_EQ(step.by_call->cause, transition_cause::probes_succeeded);
  EXPECT_EQ(breaker.state(), breaker_state::closed);
  EXPECT_EQ(breaker.snapshot().consecutive_failures, 0U);
}

TEST(HalfOpen, OpensForAWholePeriodOnAProbesFailureAndAddsItToTheRun) {
  auto breaker = just_opened(two_failures_open_for_30_s());
  breaker.wait(42s);
  const auto step = breaker.fail(breaker.acquire().value());
  ASSERT_TRUE(step.by_call.has_value());
  EXPECT_EQ(step.by_call->cause, transition_cause::probe_failed);
  EXPECT_EQ(step.by_call->consecutive_failures, 3U);
  EXPECT_EQ(breaker.core.open_remaining(breaker.now), 30s);
  EXPECT_EQ(breaker.snapshot().totals.trips, 2U);
}

TEST(HalfOpen, KeepsNoMoreProbesOutThanItsLimitAndRefusesTheRestAtOnce) {
  auto breaker = just_opened({.rule = consecutive_failures{2}, .half_open_probes = 3});
  breaker.wait(30s);
  int probes = 0;
  for (int i = 0; i < 100; ++i) probes += breaker.acquire().has_value();
  EXPECT_EQ(probes, 3);
  EXPECT_EQ(breaker.snapshot().totals.rejected, 97U);
}

TEST(HalfOpen, GivesTheNextCallThePlaceOfAProbeThatEndedNeutrally) {
  auto breaker = just_opened(two_failures_open_for_30_s());
  breaker.wait(30s);
  const auto probe = breaker.acquire();
  ASSERT_TRUE(probe.has_value());
  EXPECT_FALSE(breaker.acquire().has_value());
  breaker.core.give_back(*probe);
  EXPECT_EQ(breaker.state(), breaker_state::half_open);
  EXPECT_EQ(breaker.snapshot().probes_out, 0U);
  EXPECT_TRUE(breaker.acquire().has_value());
}

TEST(HalfOpen, GivesAHundredNeutralProbesOneAfterTheOther) {
  auto breaker = just_opened(two_failures_open_for_30_s());
  breaker.wait(30s);
  for (int i = 0; i < 100; ++i) {
    const auto probe = breaker.acquire();
    ASSERT_TRUE(probe.has_value()) << i;
    breaker.core.give_back(*probe);
  }
  EXPECT_EQ(breaker.state(), breaker_state::half_open);
  EXPECT_EQ(breaker.snapshot().totals.neutral, 100U);
  EXPECT_EQ(breaker.snapshot().consecutive_failures, 2U);
}

TEST(HalfOpen, WantsAsManySuccessesAsConfiguredThoughOnlyOneProbeIsOutAtATime) {
  auto breaker =
      just_opened({.rule = consecutive_failures{2}, .half_open_probes = 1, .successes_to_close = 3});
  breaker.wait(30s);
  for (int success = 1; success <= 3; ++success) {
    EXPECT_EQ(breaker.state(), breaker_state::half_open) << success;
    const auto probe = breaker.acquire();
    ASSERT_TRUE(probe.has_value());
    EXPECT_FALSE(breaker.acquire().has_value());
    breaker.succeed(*probe);
  }
  EXPECT_EQ(breaker.state(), breaker_state::closed);
}

TEST(HalfOpen, ForgetsItsSuccessesWhenAProbeFails) {
  auto breaker = just_opened({.rule = consecutive_failures{2}, .successes_to_close = 2});
  breaker.wait(30s);
  breaker.call(outcome::success);
  breaker.call(outcome::failure);
  breaker.wait(30s);
  breaker.call(outcome::success);
  EXPECT_EQ(breaker.state(), breaker_state::half_open);
}

TEST(HalfOpen, DecidesWithoutRegardToTheMinimumOfCalls) {
  const failure_rate rule{.threshold = 0.5, .minimum_calls = 10};
  for (const outcome how : {outcome::success, outcome::failure}) {
    core_driver breaker({.rule = rule, .open_for = 30s});
    breaker.fail_times(10);
    ASSERT_EQ(breaker.state(), breaker_state::open);
    breaker.wait(30s);
    breaker.call(how);
    EXPECT_EQ(breaker.state(), how == outcome::success ? breaker_state::closed : breaker_state::open);
  }
}

TEST(HalfOpen, LastsAsLongAsNobodyCalls) {
  auto breaker = just_opened(two_failures_open_for_30_s());
  breaker.wait(24h);
  EXPECT_EQ(breaker.state(), breaker_state::half_open);
  breaker.wait(24h);
  EXPECT_EQ(breaker.state(), breaker_state::half_open);
  EXPECT_EQ(breaker.snapshot().totals.transitions_between(breaker_state::open, breaker_state::half_open), 1U);
}

TEST(BreakerCore, WithAnEndlessOpenPeriodNeverReopensByItself) {
  core_driver breaker({.rule = consecutive_failures{2}, .open_for = std::chrono::nanoseconds::max()});
  breaker.wait(1h);
  breaker.fail_times(2);
  breaker.wait(24h * 365 * 200);
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

TEST(BreakerCore, TakesATimeThatWentBackForTheLatestOneItSaw) {
  auto breaker = just_opened(two_failures_open_for_30_s());
  const auto opened = breaker.now;
  EXPECT_FALSE(breaker.core.acquire(opened + 29s).generation.has_value());
  EXPECT_EQ(breaker.core.open_remaining(opened - 1h), 1s);
  EXPECT_TRUE(breaker.core.acquire(opened + 30s).generation.has_value());
  EXPECT_FALSE(breaker.core.acquire(opened).generation.has_value());
  EXPECT_EQ(breaker.core.state(), breaker_state::half_open);
}

TEST(BreakerCore, OpensForAWholePeriodFromTheLatestTimeThoughTheFailureCameWithAnEarlierOne) {
  core_driver breaker({.rule = consecutive_failures{1}, .open_for = 30s});
  const auto latest = breaker.now + 10s;
  breaker.core.observe(outcome::success, latest);
  const auto step = breaker.fail(breaker.acquire().value());
  ASSERT_TRUE(step.by_call.has_value());
  EXPECT_EQ(step.by_call->at, latest);
  EXPECT_EQ(breaker.core.advance(latest + 30s - 1ns), std::nullopt);
  EXPECT_TRUE(breaker.core.advance(latest + 30s).has_value());
}

TEST(Restore, NeitherShortensNorLengthensTheOpenPeriod) {
  for (const auto left :
       {1ns, std::chrono::nanoseconds(17s), std::chrono::nanoseconds(30s), std::chrono::nanoseconds(2h)}) {
    core_driver breaker(two_failures_open_for_30_s());
    breaker.wait(5h);
    breaker.core.restore(breaker_state::open, left, 2, breaker.now);
    EXPECT_EQ(breaker.core.open_remaining(breaker.now), left);
    breaker.wait(left - 1ns);
    EXPECT_EQ(breaker.state(), breaker_state::open);
    breaker.wait(1ns);
    EXPECT_EQ(breaker.state(), breaker_state::half_open);
  }
}

TEST(Restore, CarriesAnOpenPeriodOverToABreakerWhoseClockHasAnotherEpoch) {
  auto before = just_opened(two_failures_open_for_30_s());
  before.wait(12s);
  const auto saved = before.snapshot();
  core_driver after(two_failures_open_for_30_s());
  after.wait(-1000h);
  after.core.restore(saved.state, saved.open_remaining.value(), saved.consecutive_failures, after.now);
  EXPECT_EQ(after.core.open_remaining(after.now), 18s);
  EXPECT_EQ(after.snapshot().consecutive_failures, 2U);
}

TEST(Restore, TakesAnOpenPeriodBelowNothingAsOver) {
  core_driver breaker(two_failures_open_for_30_s());
  breaker.core.restore(breaker_state::open, -5s, 2, breaker.now);
  EXPECT_EQ(breaker.core.open_remaining(breaker.now), 0ns);
  EXPECT_TRUE(breaker.acquire().has_value());
  EXPECT_EQ(breaker.core.state(), breaker_state::half_open);
}

TEST(Restore, GoesOnFromHalfOpenWithAllPlacesFree) {
  auto breaker = just_opened(two_failures_open_for_30_s());
  breaker.wait(30s);
  ASSERT_TRUE(breaker.acquire().has_value());
  breaker.core.restore(breaker_state::half_open, 0s, 4, breaker.now);
  EXPECT_EQ(breaker.snapshot().probes_out, 0U);
  EXPECT_TRUE(breaker.call(outcome::failure));
  EXPECT_EQ(breaker.snapshot().consecutive_failures, 5U);
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

TEST(Restore, CountsNoTransitionAndKeepsTheTotals) {
  auto breaker = just_opened(two_failures_open_for_30_s());
  const auto totals = breaker.snapshot().totals;
  breaker.core.restore(breaker_state::closed, 0s, 0, breaker.now);
  EXPECT_EQ(breaker.snapshot().totals, totals);
  EXPECT_TRUE(breaker.call(outcome::success));
}

TEST(Run, StaysAtItsHighestValueRatherThanWrapRound) {
  core_driver breaker(two_failures_open_for_30_s());
  const auto most = std::numeric_limits<std::uint32_t>::max();
  breaker.core.restore(breaker_state::half_open, 0s, most, breaker.now);
  breaker.call(outcome::failure);
  EXPECT_EQ(breaker.snapshot().consecutive_failures, most);
}

}  // namespace
}  // namespace resilience
