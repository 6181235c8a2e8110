// The flow and the breaker: who opens it, who is refused, and what results from another time do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quote/flow_bench.hpp"

namespace quote_lab::test {
namespace {

using namespace std::chrono_literals;
using quote::mode;
using quote::quote_status;
using quote::scenario;
using resilience::breaker_state;
using ::testing::ElementsAre;

std::size_t stories_like(const std::vector<flow_bench::quote_ptr>& crowd,
                         const std::vector<std::string>& story) {
  return static_cast<std::size_t>(std::count_if(
      crowd.begin(), crowd.end(), [&](const auto& each) { return story_of(each->result()) == story; }));
}

TEST(FlowBreaker, TwentySlowQuotesAtOnceOpenItOnceAndItsEndDoesNotMove) {
  flow_bench bench;
  std::vector<flow_bench::quote_ptr> crowd;
  for (int i = 0; i < 20; ++i) crowd.push_back(bench.ask_resilient(scenario::slow_provider));
  bench.run_for(220ms);
  const auto opened = bench.dependency.record();
  EXPECT_EQ(opened.open_events, 1U);
  EXPECT_EQ(opened.opened_until, bench.wall.now() + 30s);
  bench.run_until_idle();
  const auto later = bench.dependency.record();
  EXPECT_EQ(later.open_events, 1U);
  EXPECT_EQ(later.opened_until, opened.opened_until);
  EXPECT_EQ(bench.dependency.breaker_snapshot().totals.stale, 18U);

  EXPECT_EQ(stories_like(crowd, {"attempt 1 failed: timeout", "waited for 2", "refused at 2"}), 1U);
  EXPECT_EQ(stories_like(crowd, {"attempt 1 failed: timeout", "opened at 1 after 2", "fell back"}), 1U);
  EXPECT_EQ(stories_like(crowd, {"attempt 1 failed: timeout", "fell back"}), 18U);
  for (const auto& each : crowd) EXPECT_EQ(each->result().status, quote_status::degraded);
}

TEST(FlowBreaker, AQuoteInItsBackOffIsCutShortWhenAnotherOpensIt) {
  flow_bench bench;
  const auto waiting = bench.ask_resilient(scenario::slow_provider);
  bench.run_for(230ms);
  bench.script(1ms, false);
  EXPECT_TRUE(bench.finish(bench.ask_resilient(scenario::ok)).has<quote::circuit_opened>());
  bench.run_until_idle();
  EXPECT_THAT(story_of(waiting->result()),
              ElementsAre("attempt 1 failed: timeout", "waited for 2", "refused at 2"));
  EXPECT_EQ(waiting->result().attempts, 1U);
  EXPECT_EQ(waiting->result().status, quote_status::degraded);
  EXPECT_EQ(bench.dependency.record().short_circuit_count, 1U);
}

TEST(FlowBreaker, LegacyFailuresNeverOpenItButTheyCountForTheNextResilientOne) {
  flow_bench bench;
  bench.finish(bench.ask_legacy(scenario::provider_down));
  EXPECT_EQ(bench.dependency.circuit(), breaker_state::closed);
  EXPECT_EQ(bench.dependency.record().consecutive_failures, 4U);
  const auto result = bench.finish(bench.ask_resilient(scenario::provider_down));
  EXPECT_THAT(story_of(result), ElementsAre("attempt 1 failed: timeout", "opened at 1 after 5", "fell back"));
}

TEST(FlowBreaker, ALegacySuccessZeroesTheRunButDoesNotCloseIt) {
  flow_bench bench;
  bench.open_the_breaker();
  EXPECT_EQ(bench.finish(bench.ask_legacy(scenario::ok)).status, quote_status::completed);
  EXPECT_EQ(bench.dependency.record().consecutive_failures, 0U);
  EXPECT_EQ(bench.dependency.circuit(), breaker_state::open);
}

TEST(FlowBreaker, ALegacySuccessBetweenTwoFailuresKeepsItClosed) {
  flow_bench bench;
  auto once = quote::resilient_policy;
  once.max_attempts = 1;
  bench.finish(bench.ask(mode::resilient, scenario::provider_down, once));
  bench.finish(bench.ask_legacy(scenario::ok));
  bench.finish(bench.ask(mode::resilient, scenario::provider_down, once));
  EXPECT_EQ(bench.dependency.circuit(), breaker_state::closed);
  bench.finish(bench.ask(mode::resilient, scenario::provider_down, once));
  EXPECT_EQ(bench.dependency.circuit(), breaker_state::open);
}

TEST(FlowBreaker, LegacyGoesOnAskingWhileItIsOpen) {
  flow_bench bench;
  bench.open_the_breaker();
  bench.script(10ms, false);
  EXPECT_EQ(bench.finish(bench.ask_legacy(scenario::ok)).attempts, 4U);
  EXPECT_EQ(bench.dependency.record().short_circuit_count, 0U);
}

TEST(FlowBreaker, ASuccessOfACallFromBeforeItOpenedIsALiveQuoteButDoesNotCloseIt) {
  flow_bench bench;
  bench.script(200ms, true);
  const auto early = bench.ask_resilient(scenario::ok);
  bench.run_for(10ms);
  bench.script(1ms, false);
  const auto failing = bench.ask_resilient(scenario::ok);
  const auto failing_too = bench.ask_resilient(scenario::ok);
  bench.run_for(5ms);
  ASSERT_EQ(bench.dependency.circuit(), breaker_state::open);
  bench.run_until_idle();
  EXPECT_EQ(early->result().status, quote_status::completed);
  EXPECT_EQ(bench.dependency.circuit(), breaker_state::open);
  EXPECT_EQ(bench.dependency.breaker_snapshot().totals.stale, 1U);
  EXPECT_EQ(bench.dependency.record().consecutive_failures, 0U);
}

TEST(FlowBreaker, OfThirtyCallsAfterTheOpenPeriodOneProbesAndTheRestAreRefused) {
  flow_bench bench;
  bench.make_half_open();
  std::vector<flow_bench::quote_ptr> crowd;
  for (int i = 0; i < 30; ++i) crowd.push_back(bench.ask_resilient(scenario::ok));
  EXPECT_EQ(std::count_if(crowd.begin(), crowd.end(), [](const auto& each) { return each->at_once; }), 29);
  bench.run_until_idle();
  EXPECT_EQ(stories_like(crowd, {"attempt 1 succeeded"}), 1U);
  EXPECT_EQ(bench.dependency.circuit(), breaker_state::closed);
}

TEST(FlowBreaker, AProbeThatFailsOpensItAgainForAWholePeriod) {
  flow_bench bench;
  bench.make_half_open();
  const auto result = bench.finish(bench.ask_resilient(scenario::provider_down));
  EXPECT_THAT(story_of(result), ElementsAre("attempt 1 failed: timeout", "opened at 1 after 3", "fell back"));
  EXPECT_EQ(bench.dependency.open_remaining(), 30s);
  manual_clock::advance(30s - 1ns);
  EXPECT_EQ(bench.dependency.circuit(), breaker_state::open);
  manual_clock::advance(1ns);
  EXPECT_EQ(bench.dependency.circuit(), breaker_state::half_open);
}

TEST(FlowBreaker, ARefusalIsNotRetriedWhereThereIsNoFallback) {
  flow_bench bench;
  bench.open_the_breaker();
  auto rules = quote::resilient_policy;
  rules.allow_fallback = false;
  const auto asked = bench.ask(mode::resilient, scenario::ok, rules);
  ASSERT_TRUE(asked->at_once.has_value());
  EXPECT_EQ(asked->at_once->status, quote_status::failed);
  EXPECT_FALSE(asked->at_once->quote.has_value());
}

TEST(FlowBreaker, WithoutAFallbackAnOpeningDoesNotEndTheAttemptsButTheNextIsRefused) {
  flow_bench bench;
  auto rules = quote::resilient_policy;
  rules.allow_fallback = false;
  rules.max_attempts = 5;
  const auto result = bench.finish(bench.ask(mode::resilient, scenario::provider_down, rules));
  EXPECT_THAT(story_of(result),
              ElementsAre("attempt 1 failed: timeout", "waited for 2", "attempt 2 failed: timeout",
                          "opened at 2 after 2", "waited for 3", "refused at 3"));
  EXPECT_EQ(result.status, quote_status::failed);
}

}  // namespace
}  // namespace quote_lab::test
