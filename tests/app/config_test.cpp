// The numbers behind the defaults, and what cannot work together.
#include "app/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quote_lab::app {
namespace {

using namespace std::chrono_literals;
using quote::mode;

TEST(Config, HasThePoliciesOfTheCase) {
  const config defaults;
  const auto& legacy = defaults.policies[mode::legacy];
  EXPECT_EQ(legacy, (quote::policy{360ms, 4, 0ms, false, false}));
  EXPECT_EQ(defaults.policies[mode::resilient], (quote::policy{220ms, 2, 80ms, true, true}));
  EXPECT_EQ(defaults.jitter.least, 15ms);
  EXPECT_EQ(defaults.jitter.most, 45ms);
}

TEST(Config, HasTheBreakerOfTheCase) {
  const auto breaker = config{}.breaker();
  const auto* rule = std::get_if<resilience::consecutive_failures>(&breaker.rule);
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->limit, 2U);
  EXPECT_EQ(breaker.open_for, 30s);
  EXPECT_EQ(breaker.half_open_probes, 1U);
  EXPECT_EQ(breaker.successes_to_close, 1U);
}

TEST(Config, MakesTheOtherRuleOutOfItsOwnNumbers) {
  config settings;
  settings.breaker_rule = trip_rule_choice::failure_rate;
  settings.breaker_rate.threshold = 0.25;
  settings.breaker_open = 5s;
  const auto breaker = settings.breaker();
  const auto* rule = std::get_if<resilience::failure_rate>(&breaker.rule);
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->threshold, 0.25);
  EXPECT_EQ(rule->bucket, 1s);
  EXPECT_EQ(rule->buckets, 30U);
  EXPECT_EQ(rule->minimum_calls, 10U);
  EXPECT_EQ(breaker.open_for, 5s);
}

TEST(Config, TheDefaultsWorkTogether) {
  EXPECT_EQ(problem_with(config{}), std::nullopt);
}

TEST(Config, AJitterThatEndsBeforeItBeginsIsRefused) {
  config settings;
  settings.jitter = {50ms, 10ms};
  EXPECT_THAT(problem_with(settings).value_or(""), ::testing::HasSubstr("jitter_min is 50 ms"));
}

TEST(Config, ABreakerThatCannotWorkIsRefusedByName) {
  config settings;
  settings.breaker_run.limit = 0;
  EXPECT_THAT(problem_with(settings).value_or(""), ::testing::StartsWith("The breaker: "));
}

TEST(Config, TheRuleThatIsNotInUseMayBeAnything) {
  config settings;
  settings.breaker_rate.threshold = 7;
  EXPECT_EQ(problem_with(settings), std::nullopt);
  settings.breaker_rule = trip_rule_choice::failure_rate;
  EXPECT_NE(problem_with(settings), std::nullopt);
}

TEST(Config, ABackOffThatIsOutOfBoundsIsRefusedByItsMode) {
  config settings;
  settings.policies[mode::legacy].backoff_base = 1h;
  EXPECT_THAT(problem_with(settings).value_or(""), ::testing::HasSubstr("legacy"));
}

}  // namespace
}  // namespace quote_lab::app
