// Deadlines and waits to the nanosecond: what is left of a call when its deadline strikes, how long a
// back-off is, and what a call does that ends within a millisecond of its deadline.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quote/flow_bench.hpp"

namespace quote_lab::test {
namespace {

using namespace std::chrono_literals;
using quote::mode;
using quote::quote_status;
using quote::scenario;

quote::milliseconds wait_in(const quote::outcome& outcome, std::uint32_t attempt) {
  for (const auto& event : outcome.events) {
    const auto* waited = std::get_if<quote::backed_off>(&event);
    if (waited != nullptr && waited->attempt == attempt) return waited->wait;
  }
  return quote::milliseconds{-1};
}

TEST(FlowTiming, NothingOfTheCallIsLeftAtTheInstantItsDeadlineStrikes) {
  flow_bench bench;
  const auto asked = bench.ask_resilient(scenario::slow_provider);
  bench.run_for(220ms - 1ns);
  EXPECT_EQ(bench.calls_in_flight(), 1U);
  bench.run_for(1ns);
  EXPECT_EQ(bench.calls_in_flight(), 0U);
  EXPECT_FALSE(asked->ended()) << "it waits for its second attempt";
  bench.run_until_idle();
}

TEST(FlowTiming, TheLastDeadlineOfAStormLeavesNothingBehindEither) {
  flow_bench bench;
  const auto asked = bench.ask_legacy(scenario::provider_down);
  bench.run_for(4 * 360ms - 1ns);
  EXPECT_EQ(bench.calls_in_flight(), 1U);
  bench.run_for(1ns);
  EXPECT_EQ(bench.calls_in_flight(), 0U);
  EXPECT_TRUE(asked->ended());
  EXPECT_EQ(resilience::run_ready(*bench.context), std::nullopt) << "no timer of the provider's is pending";
}

TEST(FlowTiming, AStormHasOneCallAtATimeAndTheNextBeginsWhenTheLastIsCut) {
  flow_bench bench;
  bench.script(10s, true);
  const auto asked = bench.ask_legacy(scenario::ok);
  bench.run_until_idle();
  ASSERT_EQ(bench.source.calls.size(), 4U);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(bench.source.calls[i].at.time_since_epoch(), i * 360ms);
    EXPECT_EQ(bench.source.calls[i].what.attempt, i + 1);
  }
  EXPECT_EQ(bench.source.most_in_flight, 1U);
  EXPECT_EQ(bench.source.cancelled, 4U);
}

TEST(FlowTiming, AnAnswerInTimeIsTheProvidersAndALateOneATimeout) {
  flow_bench bench;
  auto rules = quote::legacy_policy;
  rules.max_attempts = 1;
  bench.script(359ms, false);
  EXPECT_THAT(story_of(bench.finish(bench.ask(mode::legacy, scenario::ok, rules))),
              ::testing::ElementsAre("attempt 1 failed: provider_error"));
  bench.script(361ms, true);
  EXPECT_THAT(story_of(bench.finish(bench.ask(mode::legacy, scenario::ok, rules))),
              ::testing::ElementsAre("attempt 1 failed: timeout"));
  bench.script(359ms, true);
  EXPECT_EQ(bench.finish(bench.ask(mode::legacy, scenario::ok, rules)).status, quote_status::completed);
}

TEST(FlowTiming, BacksOffForTheBaseAndAJitterThatDiffers) {
  std::vector<double> waits;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    flow_bench bench(seed);
    waits.push_back(wait_in(bench.finish(bench.ask_resilient(scenario::slow_provider)), 2).count());
  }
  EXPECT_THAT(waits, ::testing::Each(::testing::AllOf(::testing::Ge(95.0), ::testing::Le(125.0))));
  EXPECT_LT(*std::min_element(waits.begin(), waits.end()), 100.0) << "the range is used to its lower end";
  EXPECT_GT(*std::max_element(waits.begin(), waits.end()), 120.0) << "and to its upper";
}

TEST(FlowTiming, DoublesTheBaseForEachRetry) {
  flow_bench bench;
  auto rules = quote::resilient_policy;
  rules.use_circuit_breaker = false;
  rules.max_attempts = 4;
  const auto result = bench.finish(bench.ask(mode::resilient, scenario::provider_down, rules));
  for (std::uint32_t attempt = 2; attempt <= 4; ++attempt) {
    const double base = 80.0 * (1U << (attempt - 2));
    EXPECT_GE(wait_in(result, attempt).count(), base + 15);
    EXPECT_LE(wait_in(result, attempt).count(), base + 45);
  }
}

TEST(FlowTiming, NeverWaitsAfterTheLastAttempt) {
  flow_bench bench;
  auto rules = quote::resilient_policy;
  rules.max_attempts = 1;
  const auto asked = bench.ask(mode::resilient, scenario::provider_down, rules);
  bench.run_until_idle();
  EXPECT_EQ(asked->took(), 220ms);
  EXPECT_THAT(story_of(asked->result()), ::testing::ElementsAre("attempt 1 failed: timeout", "fell back"));
}

/// What ten thousand quotes at the edge of their deadline add up to.
struct tally {
  std::uint64_t attempts = 0;
  std::uint64_t succeeded = 0;
  std::uint64_t failed = 0;
  std::uint64_t quotes_completed = 0;

  void add(const quote::outcome& outcome) {
    attempts += outcome.attempts;
    failed += outcome.failed_attempts;
    for (const auto& event : outcome.events)
      succeeded += std::holds_alternative<quote::attempt_success>(event);
    quotes_completed += outcome.status == quote_status::completed;
  }
};

TEST(FlowTiming, TenThousandCallsAtTheEdgeOfTheirDeadlineAddUp) {
  auto breaker = flow_bench::lab_breaker();
  breaker.rule = resilience::consecutive_failures{1'000'000};
  flow_bench bench(11, breaker);
  std::mt19937_64 script(12);
  std::uint64_t too_late = 0;
  std::uint64_t in_good_time = 0;
  bench.script([&](const auto&) {
    const auto off = static_cast<int>(script() % 3) - 1;
    too_late += off == 1;
    in_good_time += off == -1;
    return flow_bench::scripted::step{220ms + off * 1ms, true};
  });
  // Without a wait all calls of a batch end at a few instants, which is where they could meet.
  auto rules = quote::resilient_policy;
  rules.backoff_base = 0ms;
  tally sum;
  for (int batch = 0; batch < 100; ++batch) {
    std::vector<flow_bench::quote_ptr> crowd;
    for (int i = 0; i < 100; ++i) crowd.push_back(bench.ask(mode::resilient, scenario::ok, rules));
    bench.run_until_idle();
    for (const auto& each : crowd) {
      ASSERT_TRUE(each->ended());
      sum.add(each->result());
    }
    ASSERT_EQ(bench.calls_in_flight(), 0U);
  }
  EXPECT_EQ(sum.attempts, bench.source.calls.size());
  EXPECT_EQ(sum.attempts, sum.succeeded + sum.failed);
  EXPECT_EQ(sum.quotes_completed, sum.succeeded);
  EXPECT_GE(sum.failed, too_late);
  EXPECT_GE(sum.succeeded, in_good_time);
  const auto breaker_saw = bench.dependency.breaker_snapshot();
  EXPECT_EQ(breaker_saw.totals.permitted, sum.attempts);
  EXPECT_EQ(breaker_saw.totals.successes, sum.succeeded);
  EXPECT_EQ(breaker_saw.totals.failures, sum.failed);
  EXPECT_EQ(breaker_saw.permits_out, 0U);
}

}  // namespace
}  // namespace quote_lab::test
