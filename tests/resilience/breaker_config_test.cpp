#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <resilience/breaker_config.hpp>
#include <resilience/circuit_breaker.hpp>
#include <resilience/manual_clock.hpp>

namespace resilience {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct unworkable {
  const char* what;
  breaker_config config;
  const char* came;     // what the sentence must say came
  const char* allowed;  // and what it must say is allowed
};

class UnworkableConfig : public ::testing::TestWithParam<unworkable> {};

TEST_P(UnworkableConfig, IsRefusedWithASentenceThatSaysWhatCameAndWhatIsAllowed) {
  const auto problem = problem_with(GetParam().config);
  ASSERT_TRUE(problem.has_value());
  EXPECT_THAT(*problem, HasSubstr(GetParam().came));
  EXPECT_THAT(*problem, HasSubstr(GetParam().allowed));
}

TEST_P(UnworkableConfig, MakesTheConstructorThrowThatVerySentence) {
  try {
    const circuit_breaker<manual_clock> breaker(GetParam().config);
    FAIL() << "a breaker was made";
  } catch (const std::invalid_argument& thrown) {
    EXPECT_EQ(thrown.what(), problem_with(GetParam().config).value_or("no problem"));
  }
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

const std::vector<unworkable> each_unworkable = {
    {"NoFailures", {.rule = consecutive_failures{.limit = 0}}, "limit is 0", "at least 1"},
    {"BucketOfNothing", {.rule = failure_rate{.bucket = 0s}}, "bucket is 0 ns", "above 0"},
    {"BucketBelowNothing", {.rule = failure_rate{.bucket = -1ns}}, "bucket is -1 ns", "above 0"},
    {"NoBuckets", {.rule = failure_rate{.buckets = 0}}, "buckets is 0", "from 1 to 10000"},
    {"TooManyBuckets", {.rule = failure_rate{.buckets = 10'001}}, "buckets is 10001", "from 1 to 10000"},
    {"ThresholdNothing", {.rule = failure_rate{.threshold = 0.0}}, "threshold is 0", "above 0 and at most 1"},
    {"ThresholdBelow", {.rule = failure_rate{.threshold = -0.5}}, "threshold is -0.5", "above 0"},
    {"ThresholdTwo", {.rule = failure_rate{.threshold = 2.0}}, "threshold is 2", "at most 1"},
    {"ThresholdJustAboveOne", {.rule = failure_rate{.threshold = 1.001}}, "threshold is 1.001", "at most 1"},
    {"ThresholdNotANumber", {.rule = failure_rate{.threshold = not_a_number}}, "nan", "at most 1"},
    {"ThresholdInfinite", {.rule = failure_rate{.threshold = infinite}}, "inf", "at most 1"},
    {"NoMinimum", {.rule = failure_rate{.minimum_calls = 0}}, "minimum_calls is 0", "at least 1"},
    {"OpenForNothing", {.open_for = 0s}, "open_for is 0 ns", "above 0"},
    {"OpenForLessThanNothing", {.open_for = -30s}, "open_for is -30000000000 ns", "above 0"},
    {"NoProbes", {.half_open_probes = 0}, "half_open_probes is 0", "at least 1"},
    {"NoSuccessesToClose", {.successes_to_close = 0}, "successes_to_close is 0", "at least 1"},
};

INSTANTIATE_TEST_SUITE_P(Each, UnworkableConfig, ::testing::ValuesIn(each_unworkable),
                         [](const auto& each) { return std::string(each.param.what); });

TEST(BreakerConfig, IsSoundByDefault) {
  EXPECT_EQ(problem_with(breaker_config{}), std::nullopt);
}

TEST(BreakerConfig, IsSoundAtTheVeryEdgeOfWhatIsAllowed) {
  const failure_rate least{.bucket = 1ns, .buckets = 1, .threshold = 1e-300, .minimum_calls = 1};
  EXPECT_EQ(problem_with({.rule = least, .open_for = 1ns}), std::nullopt);
  const failure_rate most{.bucket = std::chrono::nanoseconds::max(),
                          .buckets = max_buckets,
                          .threshold = 1.0,
                          .minimum_calls = std::numeric_limits<std::uint32_t>::max()};
  EXPECT_EQ(problem_with({.rule = most, .open_for = std::chrono::nanoseconds::max()}), std::nullopt);
  EXPECT_EQ(problem_with({.rule = consecutive_failures{.limit = 1}}), std::nullopt);
}

TEST(BreakerConfig, MayWantMoreSuccessesThanProbesAtATime) {
  EXPECT_EQ(problem_with({.half_open_probes = 1, .successes_to_close = 5}), std::nullopt);
}

}  // namespace
}  // namespace resilience
