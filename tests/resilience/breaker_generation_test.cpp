// Results from another time: stale ones, stragglers, and what trip and reset do to permits given before.
#include <chrono>
#include <cstdint>
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

TEST(StaleResult, OfACallFromBeforeTheTripDoesNotCloseIt) {
  core_driver breaker(two_failures_open_for_30_s());
  const auto slow = breaker.acquire();
  breaker.fail_times(2);
  const auto step = breaker.succeed(slow.value());
  EXPECT_FALSE(step.used);
  EXPECT_EQ(step.by_call, std::nullopt);
  EXPECT_EQ(breaker.state(), breaker_state::open);
  EXPECT_EQ(breaker.snapshot().totals.stale, 1U);
  EXPECT_EQ(breaker.snapshot().totals.successes, 0U);
}

TEST(StaleResult, NeitherClosesNorOpensAHalfOpenBreakerNorTakesAProbesPlace) {
  for (const outcome how : {outcome::success, outcome::failure}) {
    core_driver breaker(two_failures_open_for_30_s());
    const auto slow = breaker.acquire();
    breaker.fail_times(2);
    breaker.wait(30s);
    const auto probe = breaker.acquire();
    ASSERT_TRUE(probe.has_value());
    EXPECT_FALSE(breaker.core.record(slow.value(), how, breaker.now).used);
    EXPECT_EQ(breaker.state(), breaker_state::half_open);
    EXPECT_EQ(breaker.snapshot().probes_out, 1U);
    EXPECT_FALSE(breaker.acquire().has_value()) << "the place is still the probe's";
  }
}

TEST(StaleResult, FromBeforeTheTripDoesNotCountInTheWindowAfterClosingAgain) {
  core_driver breaker({.rule = failure_rate{.threshold = 0.1, .minimum_calls = 2}, .open_for = 30s});
  const auto slow = breaker.acquire();
  breaker.fail_times(2);
  breaker.wait(30s);
  breaker.call(outcome::success);
  ASSERT_EQ(breaker.state(), breaker_state::closed);
  breaker.call(outcome::success);
  EXPECT_FALSE(breaker.fail(slow.value()).used);
  EXPECT_EQ(breaker.state(), breaker_state::closed);
  EXPECT_EQ(breaker.snapshot().window_failures, 0U);
}

TEST(StaleResult, MovesTheRunAllTheSame) {
  core_driver breaker(two_failures_open_for_30_s());
  const auto one = breaker.acquire();
  const auto other = breaker.acquire();
  breaker.fail_times(2);
  EXPECT_EQ(breaker.fail(one.value()).consecutive_failures, 3U);
  EXPECT_EQ(breaker.succeed(other.value()).consecutive_failures, 0U);
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

TEST(Stragglers, ThatFailWhileOpenNeitherMoveTheEndNorRaiseASecondTransition) {
  core_driver breaker(two_failures_open_for_30_s());
  std::vector<std::uint64_t> calls;
  for (int i = 0; i < 20; ++i) calls.push_back(breaker.acquire().value());
  int transitions = 0;
  for (const auto call : calls) {
    const auto step = breaker.fail(call);
    transitions += step.by_call.has_value() + step.by_time.has_value();
    breaker.wait(1s);
  }
  EXPECT_EQ(transitions, 1);
  EXPECT_EQ(breaker.snapshot().totals.trips, 1U);
  // It opened at the second failure, 1 s after the first; now it is 20 s.
  EXPECT_EQ(breaker.core.open_remaining(breaker.now), 11s);
  EXPECT_EQ(breaker.snapshot().totals.stale, 18U);
}

TEST(Probes, LeftOverWhenTheFirstOneDecidedAreStale) {
  core_driver breaker({.rule = consecutive_failures{2}, .open_for = 30s, .half_open_probes = 3});
  breaker.fail_times(2);
  breaker.wait(30s);
  const auto first = breaker.acquire();
  const auto second = breaker.acquire();
  const auto third = breaker.acquire();
  breaker.fail(first.value());
  ASSERT_EQ(breaker.state(), breaker_state::open);
  EXPECT_FALSE(breaker.succeed(second.value()).used);
  EXPECT_EQ(breaker.state(), breaker_state::open);
  breaker.wait(30s);
  ASSERT_EQ(breaker.state(), breaker_state::half_open);
  breaker.core.give_back(third.value());
  int probes = 0;
  for (int i = 0; i < 10; ++i) probes += breaker.acquire().has_value();
  EXPECT_EQ(probes, 3) << "a place given back from the period before is not one more now";
}

TEST(Generation, IsANewOneAtEveryTransitionResetAndRestore) {
  core_driver breaker(two_failures_open_for_30_s());
  std::vector<std::uint64_t> seen{breaker.snapshot().generation};
  const auto note = [&] { seen.push_back(breaker.snapshot().generation); };
  breaker.core.trip(breaker.now);
  note();
  breaker.wait(30s);
  breaker.core.advance(breaker.now);
  note();
  breaker.call(outcome::success);
  note();
  breaker.core.reset(breaker.now);
  note();
  breaker.core.restore(breaker_state::closed, 0s, 0, breaker.now);
  note();
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_EQ(seen[i], seen[i - 1] + 1) << i;
}

TEST(Trip, OpensForAWholePeriodAndMakesPermitsOfBeforeStale) {
  core_driver breaker(two_failures_open_for_30_s());
  const auto before = breaker.acquire();
  const auto step = breaker.core.trip(breaker.now);
  ASSERT_TRUE(step.by_call.has_value());
  EXPECT_EQ(step.by_call->cause, transition_cause::tripped);
  EXPECT_EQ(breaker.core.open_remaining(breaker.now), 30s);
  EXPECT_FALSE(breaker.succeed(before.value()).used);
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

TEST(Trip, OfAnOpenBreakerChangesNothing) {
  core_driver breaker(two_failures_open_for_30_s());
  breaker.fail_times(2);
  breaker.wait(10s);
  const auto step = breaker.core.trip(breaker.now);
  EXPECT_EQ(step.by_call, std::nullopt);
  EXPECT_EQ(breaker.core.open_remaining(breaker.now), 20s);
}

TEST(Trip, OfAHalfOpenBreakerTakesTheProbesPlaces) {
  core_driver breaker(two_failures_open_for_30_s());
  breaker.fail_times(2);
  breaker.wait(30s);
  const auto probe = breaker.acquire();
  EXPECT_TRUE(breaker.core.trip(breaker.now).by_call.has_value());
  EXPECT_FALSE(breaker.succeed(probe.value()).used);
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

TEST(Trip, AfterTheOpenPeriodGoesThroughHalfOpen) {
  core_driver breaker(two_failures_open_for_30_s());
  breaker.fail_times(2);
  breaker.wait(31s);
  const auto step = breaker.core.trip(breaker.now);
  ASSERT_TRUE(step.by_time.has_value() && step.by_call.has_value());
  EXPECT_EQ(step.by_time->to, step.by_call->from);
  EXPECT_EQ(breaker.core.open_remaining(breaker.now), 30s);
}

TEST(Reset, IsClosedWithNothingCountedAndPermitsOfBeforeStale) {
  core_driver breaker({.rule = failure_rate{.minimum_calls = 5}});
  const auto before = breaker.acquire();
  breaker.fail_times(5);
  ASSERT_EQ(breaker.state(), breaker_state::open);
  const auto step = breaker.core.reset(breaker.now);
  ASSERT_TRUE(step.by_call.has_value());
  EXPECT_EQ(step.by_call->cause, transition_cause::reset);
  const auto afresh = breaker.snapshot();
  EXPECT_EQ(afresh.state, breaker_state::closed);
  EXPECT_EQ(afresh.totals, breaker_totals{});
  EXPECT_EQ(afresh.consecutive_failures, 0U);
  EXPECT_EQ(afresh.window_calls, 0U);
  EXPECT_EQ(afresh.permits_out, 1U) << "the call of before is still in flight";
  EXPECT_FALSE(breaker.fail(before.value()).used);
  EXPECT_EQ(breaker.snapshot().permits_out, 0U);
  EXPECT_EQ(breaker.snapshot().window_calls, 0U);
}

TEST(Reset, WhileClosedIsNoTransitionYetPermitsOfBeforeAreStale) {
  core_driver breaker(two_failures_open_for_30_s());
  breaker.call(outcome::failure);
  const auto before = breaker.acquire();
  EXPECT_EQ(breaker.core.reset(breaker.now).by_call, std::nullopt);
  EXPECT_FALSE(breaker.fail(before.value()).used);
  EXPECT_EQ(breaker.state(), breaker_state::closed);
}

TEST(Observe, NeverChangesTheState) {
  core_driver breaker(two_failures_open_for_30_s());
  breaker.fail_times(2);
  breaker.core.observe(outcome::success, breaker.now);
  EXPECT_EQ(breaker.core.state(), breaker_state::open);
  EXPECT_EQ(breaker.snapshot().consecutive_failures, 0U);
  breaker.wait(30s);
  breaker.core.observe(outcome::success, breaker.now);
  EXPECT_EQ(breaker.core.state(), breaker_state::open) << "it does not even let time pass";
  EXPECT_EQ(breaker.state(), breaker_state::half_open);
  breaker.core.observe(outcome::success, breaker.now);
  breaker.core.observe(outcome::failure, breaker.now);
  EXPECT_EQ(breaker.state(), breaker_state::half_open);
  EXPECT_EQ(breaker.snapshot().totals.observed, 4U);
}

TEST(Totals, AddUpWhateverBecameOfThePermits) {
  core_driver breaker({.rule = consecutive_failures{2}, .open_for = 1s, .half_open_probes = 2});
  const auto stale = breaker.acquire();
  breaker.core.give_back(breaker.acquire().value());
  breaker.call(outcome::success);
  breaker.fail_times(2);
  breaker.fail(stale.value());
  breaker.wait(1s);
  breaker.acquire();
  const auto seen = breaker.snapshot();
  const auto& totals = seen.totals;
  EXPECT_EQ(totals.permitted, 6U);
  EXPECT_EQ(totals.successes + totals.failures + totals.stale + totals.neutral + seen.permits_out, 6U);
  EXPECT_EQ(totals.successes, 1U);
  EXPECT_EQ(totals.failures, 2U);
  EXPECT_EQ(totals.stale, 1U);
  EXPECT_EQ(totals.neutral, 1U);
}

}  // namespace
}  // namespace resilience
