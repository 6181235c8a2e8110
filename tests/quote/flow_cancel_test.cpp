// A client that leaves: its quote ends there and then, nothing of it is left, and the provider is not blamed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quote/flow_bench.hpp"

namespace quote_lab::test {
namespace {

using namespace std::chrono_literals;
using quote::quote_status;
using quote::scenario;
using resilience::breaker_state;

TEST(FlowCancel, DuringAnAttemptEndsTheCallAtOnce) {
  flow_bench bench;
  const auto asked = bench.ask_legacy(scenario::slow_provider);
  bench.run_for(100ms);
  ASSERT_EQ(bench.calls_in_flight(), 1U);
  asked->cancel();
  bench.run_ready();
  ASSERT_TRUE(asked->ended());
  EXPECT_EQ(asked->took(), 100ms);
  EXPECT_EQ(asked->result().status, quote_status::cancelled);
  EXPECT_EQ(asked->result().attempts, 1U);
  EXPECT_EQ(asked->result().failed_attempts, 0U);
  EXPECT_THAT(story_of(asked->result()), ::testing::ElementsAre("attempt 1 cancelled"));
  EXPECT_EQ(bench.calls_in_flight(), 0U);
  EXPECT_EQ(resilience::run_ready(*bench.context), std::nullopt) << "no timer is pending";
}

TEST(FlowCancel, DuringTheWaitMeansNoFurtherAttempt) {
  flow_bench bench;
  bench.script(10s, true);
  const auto asked = bench.ask_resilient(scenario::ok);
  bench.run_for(220ms + 50ms);
  asked->cancel();
  bench.run_ready();
  ASSERT_TRUE(asked->ended());
  EXPECT_EQ(asked->took(), 270ms);
  EXPECT_EQ(asked->result().status, quote_status::cancelled);
  EXPECT_THAT(story_of(asked->result()),
              ::testing::ElementsAre("attempt 1 failed: timeout", "attempt 2 cancelled before it began"));
  bench.run_until_idle();
  EXPECT_EQ(bench.source.calls.size(), 1U);
  EXPECT_EQ(bench.dependency.record().consecutive_failures, 1U) << "the attempt that failed is still one";
}

TEST(FlowCancel, IsNoFailureOfTheProviders) {
  flow_bench bench;
  for (int i = 0; i < 10; ++i) {
    const auto asked = bench.ask_resilient(scenario::slow_provider);
    bench.run_for(50ms);
    asked->cancel();
    bench.run_ready();
    ASSERT_EQ(asked->result().status, quote_status::cancelled);
  }
  const auto record = bench.dependency.record();
  EXPECT_EQ(record.consecutive_failures, 0U);
  EXPECT_EQ(record.circuit, breaker_state::closed);
  EXPECT_EQ(record.last_outcome, quote::last_outcome::unknown);
  EXPECT_EQ(bench.dependency.breaker_snapshot().permits_out, 0U);
}

TEST(FlowCancel, OfAProbeGivesItsPlaceToTheNextCall) {
  flow_bench bench;
  bench.make_half_open();
  const auto probe = bench.ask_resilient(scenario::ok);
  bench.run_for(50ms);
  EXPECT_TRUE(bench.ask_resilient(scenario::ok)->at_once.has_value()) << "one probe at a time";
  probe->cancel();
  bench.run_ready();
  EXPECT_EQ(probe->result().status, quote_status::cancelled);
  EXPECT_EQ(bench.dependency.circuit(), breaker_state::half_open);

  auto next = bench.ask_resilient(scenario::ok);
  ASSERT_FALSE(next->at_once.has_value());
  EXPECT_EQ(bench.dependency.breaker_snapshot().probes_out, 1U);
  EXPECT_EQ(bench.finish(std::move(next)).status, quote_status::completed);
  EXPECT_EQ(bench.dependency.circuit(), breaker_state::closed);
}

TEST(FlowCancel, BeforeTheFirstStepTakesNoTimeAndGivesThePermitBack) {
  flow_bench bench;
  bench.script(10ms, true);
  const auto asked = bench.ask_resilient(scenario::ok);
  EXPECT_EQ(bench.dependency.breaker_snapshot().permits_out, 1U);
  asked->cancel();
  bench.run_until_idle();
  ASSERT_TRUE(asked->ended());
  EXPECT_EQ(asked->took(), 0ms);
  EXPECT_EQ(asked->result().status, quote_status::cancelled);
  EXPECT_EQ(bench.calls_in_flight(), 0U);
  EXPECT_EQ(bench.dependency.breaker_snapshot().permits_out, 0U);
}

TEST(FlowCancel, AtTheInstantOfTheDeadlineLeavesNothingBehind) {
  flow_bench bench;
  bench.script(10s, true);
  const auto asked = bench.ask_resilient(scenario::ok);
  bench.run_for(220ms - 1ns);
  manual_clock::advance(1ns);
  asked->cancel();
  bench.run_ready();
  ASSERT_TRUE(asked->ended());
  EXPECT_EQ(asked->result().status, quote_status::cancelled);
  EXPECT_EQ(asked->took(), 220ms);
  EXPECT_EQ(bench.source.calls.size(), 1U);
  EXPECT_EQ(bench.calls_in_flight(), 0U);
  EXPECT_EQ(bench.dependency.breaker_snapshot().permits_out, 0U);
}

TEST(FlowCancel, AtAnyMomentOfAStormIsPromptAndLeavesNothing) {
  for (int at_ms = 0; at_ms <= 1440; at_ms += 5) {
    flow_bench bench(static_cast<std::uint64_t>(at_ms));
    const auto asked = bench.ask_legacy(scenario::slow_provider);
    bench.run_for(at_ms * 1ms);
    const bool was_over = asked->ended();
    asked->cancel();
    bench.run_ready();
    ASSERT_TRUE(asked->ended()) << at_ms;
    EXPECT_EQ(asked->result().status, was_over ? quote_status::failed : quote_status::cancelled) << at_ms;
    EXPECT_EQ(asked->took(), at_ms * 1ms);
    EXPECT_EQ(bench.calls_in_flight(), 0U) << at_ms;
  }
}

TEST(FlowCancel, TheEndOfTheLoopGivesEveryPermitBack) {
  flow_bench bench;
  const auto attempting = bench.ask_resilient(scenario::slow_provider);
  const auto not_begun = bench.ask_resilient(scenario::slow_provider);
  bench.run_for(100ms);
  const auto late = bench.ask_resilient(scenario::slow_provider);
  EXPECT_EQ(bench.dependency.breaker_snapshot().permits_out, 3U);
  bench.context.reset();
  EXPECT_EQ(bench.dependency.breaker_snapshot().permits_out, 0U);
  EXPECT_EQ(bench.calls_in_flight(), 0U);
}

}  // namespace
}  // namespace quote_lab::test
