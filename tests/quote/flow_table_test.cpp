// Each mode under each scenario of the simulated provider: how the quote ends, after how many attempts, and
// when, for twenty seeds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quote/flow_bench.hpp"

namespace quote_lab::test {
namespace {

using quote::mode;
using quote::quote_status;
using quote::scenario;

struct expectation {
  mode asked;
  scenario behaviour;
  quote_status status;
  std::uint32_t attempts;
  std::uint32_t failed;
  bool opens;
  double least_ms;  ///< the whole quote
  double most_ms;
};

class FlowTable : public ::testing::TestWithParam<expectation> {};

TEST_P(FlowTable, EndsAsThePolicyHasIt) {
  const auto& row = GetParam();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    flow_bench bench(seed);
    const auto asked = bench.ask(row.asked, row.behaviour);
    bench.run_until_idle();
    ASSERT_TRUE(asked->ended());
    const auto& result = asked->result();
    EXPECT_EQ(result.status, row.status);
    EXPECT_EQ(result.attempts, row.attempts);
    EXPECT_EQ(result.retries(), row.attempts - 1);
    EXPECT_EQ(result.failed_attempts, row.failed);
    EXPECT_EQ(result.has<quote::circuit_opened>(), row.opens);
    EXPECT_EQ(bench.dependency.circuit() == resilience::breaker_state::open, row.opens);
    EXPECT_GE(asked->took().count(), row.least_ms) << "seed " << seed;
    EXPECT_LE(asked->took().count(), row.most_ms) << "seed " << seed;
  }
}

TEST_P(FlowTable, TakesAsLongAsItsEventsSay) {
  flow_bench bench(7);
  const auto asked = bench.ask(GetParam().asked, GetParam().behaviour);
  bench.run_until_idle();
  quote::milliseconds sum{0};
  for (const auto& event : asked->result().events) {
    if (const auto* failed = std::get_if<quote::attempt_failed>(&event)) sum += failed->elapsed;
    if (const auto* fine = std::get_if<quote::attempt_success>(&event)) sum += fine->elapsed;
    if (const auto* waited = std::get_if<quote::backed_off>(&event)) sum += waited->wait;
  }
  EXPECT_NEAR(asked->took().count(), sum.count(), 0.001);
}

TEST_P(FlowTable, LeavesNothingRunningAndNoPermitOut) {
  flow_bench bench(3);
  const auto asked = bench.ask(GetParam().asked, GetParam().behaviour);
  bench.run_until_idle();
  ASSERT_TRUE(asked->ended());
  EXPECT_EQ(bench.calls_in_flight(), 0U);
  EXPECT_EQ(bench.dependency.breaker_snapshot().permits_out, 0U);
}

using enum quote_status;

INSTANTIATE_TEST_SUITE_P(
    Legacy, FlowTable,
    ::testing::Values(expectation{mode::legacy, scenario::ok, completed, 1, 0, false, 115, 150},
                      expectation{mode::legacy, scenario::slow_provider, failed, 4, 4, false, 1440, 1440},
                      expectation{mode::legacy, scenario::flaky_provider, completed, 2, 1, false, 510, 555},
                      expectation{mode::legacy, scenario::provider_down, failed, 4, 4, false, 1440, 1440},
                      expectation{mode::legacy, scenario::burst_then_recover, completed, 3, 2, false, 850,
                                  900}),
    [](const auto& row) { return std::string(to_string(row.param.behaviour)); });

INSTANTIATE_TEST_SUITE_P(
    Resilient, FlowTable,
    ::testing::Values(
        expectation{mode::resilient, scenario::ok, completed, 1, 0, false, 115, 150},
        expectation{mode::resilient, scenario::slow_provider, degraded, 2, 2, true, 535, 565},
        expectation{mode::resilient, scenario::flaky_provider, completed, 2, 1, false, 465, 540},
        expectation{mode::resilient, scenario::provider_down, degraded, 2, 2, true, 535, 565},
        expectation{mode::resilient, scenario::burst_then_recover, degraded, 2, 2, true, 535, 565}),
    [](const auto& row) { return std::string(to_string(row.param.behaviour)); });

TEST(FlowStory, LegacyStormsWithoutAWaitUntilItsTriesAreSpent) {
  flow_bench bench;
  const auto result = bench.finish(bench.ask_legacy(scenario::slow_provider));
  EXPECT_THAT(story_of(result),
              ::testing::ElementsAre("attempt 1 failed: timeout", "attempt 2 failed: timeout",
                                     "attempt 3 failed: timeout", "attempt 4 failed: timeout"));
  EXPECT_FALSE(result.quote.has_value());
}

TEST(FlowStory, ResilientWaitsOnceOpensAndFallsBack) {
  flow_bench bench;
  const auto result = bench.finish(bench.ask_resilient(scenario::slow_provider));
  EXPECT_THAT(story_of(result),
              ::testing::ElementsAre("attempt 1 failed: timeout", "waited for 2", "attempt 2 failed: timeout",
                                     "opened at 2 after 2", "fell back"));
  EXPECT_TRUE(result.fell_back());
}

TEST(FlowStory, ALiveQuoteIsTheLastOfAShortStory) {
  flow_bench bench;
  const auto result = bench.finish(bench.ask_resilient(scenario::flaky_provider));
  EXPECT_THAT(story_of(result),
              ::testing::ElementsAre("attempt 1 failed: timeout", "waited for 2", "attempt 2 succeeded"));
  ASSERT_TRUE(result.quote.has_value());
  EXPECT_EQ(result.quote->source, quote::quote_source::live);
  EXPECT_THAT(result.quote->quote.quote_id, ::testing::MatchesRegex("quote-[0-9a-f]{10}"));
  EXPECT_EQ(result.quote->quote.amount, 47.8);
  EXPECT_EQ(result.quote->quote.currency, "USD");
}

TEST(FlowStory, AnOpenBreakerAnswersEveryScenarioAtOnceWithoutACoroutine) {
  flow_bench bench;
  bench.open_the_breaker();
  for (const auto behaviour : quote::all_scenarios) {
    const auto asked = bench.ask_resilient(behaviour);
    ASSERT_TRUE(asked->at_once.has_value()) << to_string(behaviour);
    EXPECT_EQ(asked->at_once->status, degraded);
    EXPECT_EQ(asked->at_once->attempts, 0U);
    EXPECT_EQ(asked->at_once->retries(), 0U);
    EXPECT_THAT(story_of(*asked->at_once), ::testing::ElementsAre("refused at 0"));
  }
}

TEST(FlowStory, TheSameSeedTellsTheSameStoryToTheNanosecond) {
  const auto tell = [](std::uint64_t seed) {
    flow_bench bench(seed);
    const auto asked = bench.ask_resilient(scenario::flaky_provider);
    bench.run_until_idle();
    return std::pair(asked->took(), asked->result().quote.value().quote.quote_id);
  };
  EXPECT_EQ(tell(5), tell(5));
  EXPECT_NE(tell(5), tell(6));
}

}  // namespace
}  // namespace quote_lab::test
