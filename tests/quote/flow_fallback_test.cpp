// The last quote known, and when it is given instead of a live one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quote/flow_bench.hpp"

namespace quote_lab::test {
namespace {

using namespace std::chrono_literals;
using quote::mode;
using quote::quote_status;
using quote::scenario;

TEST(FlowFallback, IsTheSeedUntilALiveQuoteCame) {
  flow_bench bench;
  const auto result = bench.finish(bench.ask_resilient(scenario::provider_down));
  ASSERT_TRUE(result.quote.has_value());
  EXPECT_EQ(result.quote->source, quote::quote_source::fallback);
  EXPECT_EQ(result.quote->quote.quote_id, "cached-quote-seed");
  EXPECT_EQ(result.quote->quote.amount, 47.8);
}

TEST(FlowFallback, IsTheLastLiveQuoteOfEitherModeAndTellsWhenThatCame) {
  for (const auto of : quote::all_modes) {
    flow_bench bench;
    manual_clock::advance(1h);
    const auto live = bench.finish(bench.ask(of, scenario::ok));
    const auto came_at = bench.wall.now();
    manual_clock::advance(1min);
    const auto instead = bench.finish(bench.ask_resilient(scenario::provider_down));
    EXPECT_EQ(instead.quote->quote.quote_id, live.quote->quote.quote_id);
    EXPECT_EQ(instead.quote->quote.at, came_at);
    EXPECT_EQ(instead.quote->source, quote::quote_source::fallback);
    EXPECT_EQ(bench.ask_resilient(scenario::ok)->at_once->quote->quote.quote_id, live.quote->quote.quote_id)
        << "a short circuit gives the same";
  }
}

TEST(FlowFallback, IsNeverGivenWhereItIsNotAllowed) {
  flow_bench bench;
  auto rules = quote::resilient_policy;
  rules.allow_fallback = false;
  const auto result = bench.finish(bench.ask(mode::resilient, scenario::provider_down, rules));
  EXPECT_EQ(result.status, quote_status::failed);
  EXPECT_EQ(result.attempts, 2U);
  EXPECT_FALSE(result.quote.has_value());
  EXPECT_FALSE(result.has<quote::fallback_used>());
}

TEST(FlowFallback, WorksWithoutABreakerAndThenEveryAttemptIsMade) {
  flow_bench bench;
  auto rules = quote::legacy_policy;
  rules.allow_fallback = true;
  const auto result = bench.finish(bench.ask(mode::legacy, scenario::provider_down, rules));
  EXPECT_EQ(result.status, quote_status::degraded);
  EXPECT_EQ(result.attempts, 4U);
  EXPECT_TRUE(result.has<quote::fallback_used>());
}

TEST(FlowFallback, DoesNotBecomeTheCachedQuoteItself) {
  flow_bench bench;
  const auto before = bench.dependency.record().cached;
  manual_clock::advance(1h);
  bench.finish(bench.ask_resilient(scenario::provider_down));
  EXPECT_EQ(bench.dependency.record().cached.at, before.at);
  EXPECT_EQ(bench.dependency.record().cached.quote_id, before.quote_id);
}

}  // namespace
}  // namespace quote_lab::test
