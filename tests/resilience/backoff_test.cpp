#include <chrono>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <resilience/backoff.hpp>

namespace resilience {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// An engine that always draws the same end of the range.
struct one_sided {
  using result_type = std::uint64_t;
  result_type drawn;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() { return drawn; }
};

TEST(Backoff, DoublesTheBaseWithEachRetryAndAddsTheLeastJitter) {
  one_sided lowest{one_sided::min()};
  const backoff config{.base = 80ms, .jitter_min = 15ms, .jitter_max = 45ms, .cap = 10s};
  EXPECT_EQ(config.delay_before(1, lowest), 95ms);
  EXPECT_EQ(config.delay_before(2, lowest), 175ms);
  EXPECT_EQ(config.delay_before(3, lowest), 335ms);
}

TEST(Backoff, AddsAtMostTheGreatestJitter) {
  one_sided highest{one_sided::max()};
  const backoff config{.base = 80ms, .jitter_min = 15ms, .jitter_max = 45ms, .cap = 10s};
  EXPECT_LE(config.delay_before(1, highest), 125ms);
  EXPECT_GT(config.delay_before(1, highest), 124ms);
}

TEST(Backoff, DrawsTheJitterFromTheWholeRangeAndNotInWholeMilliseconds) {
  std::mt19937_64 engine(4);
  const backoff config;
  auto least = std::chrono::nanoseconds::max();
  auto most = std::chrono::nanoseconds::min();
  int fractions = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto delay = config.delay_before(1, engine);
    least = std::min(least, delay);
    most = std::max(most, delay);
    fractions += delay % 1ms != 0ns;
  }
  EXPECT_GE(least, 95ms);
  EXPECT_LT(least, 96ms);
  EXPECT_LE(most, 125ms);
  EXPECT_GT(most, 124ms);
  EXPECT_GT(fractions, 9'900);
}

TEST(Backoff, WaitsNotAtAllWhenTheBaseIsNothing) {
  std::mt19937_64 engine(1);
  const backoff none{.base = 0ms};
  for (const std::uint32_t n : {1U, 2U, 10'000U}) EXPECT_EQ(none.delay_before(n, engine), 0ns);
}

TEST(Backoff, WaitsNotAtAllBeforeTheFirstAttempt) {
  std::mt19937_64 engine(1);
  EXPECT_EQ(backoff{}.delay_before(0, engine), 0ns);
}

TEST(Backoff, StaysBetweenItsMinimumAndTheCapForEveryNumberOfRetries) {
  std::mt19937_64 engine(2);
  for (const backoff& config : {backoff{}, backoff{.base = 1ms, .jitter_min = 0ms, .jitter_max = 0ms},
                                backoff{.base = 24h, .jitter_min = 24h, .jitter_max = 24h, .cap = 24h}}) {
    ASSERT_EQ(problem_with(config), std::nullopt);
    const std::chrono::nanoseconds least = std::min(config.base + config.jitter_min, config.cap);
    for (std::uint32_t n = 1; n <= 10'000; ++n) {
      const auto delay = config.delay_before(n, engine);
      ASSERT_GE(delay, least) << n;
      ASSERT_LE(delay, config.cap) << n;
    }
    EXPECT_EQ(config.delay_before(std::numeric_limits<std::uint32_t>::max(), engine), config.cap);
  }
}

TEST(Backoff, CapsTheJitterToo) {
  one_sided highest{one_sided::max()};
  const backoff config{.base = 80ms, .jitter_min = 15ms, .jitter_max = 45ms, .cap = 100ms};
  EXPECT_EQ(config.delay_before(1, highest), 100ms);
}

TEST(Backoff, GivesTheSameDelaysForTheSameSeed) {
  std::mt19937_64 one(7);
  std::mt19937_64 other(7);
  for (std::uint32_t n = 1; n < 20; ++n) {
    EXPECT_EQ(backoff{}.delay_before(n, one), backoff{}.delay_before(n, other));
  }
}

TEST(BackoffConfig, IsSoundByDefaultAndWithoutABase) {
  EXPECT_EQ(problem_with(backoff{}), std::nullopt);
  EXPECT_EQ(problem_with(backoff{.base = 0ms}), std::nullopt);
}

TEST(BackoffConfig, ThatCannotWorkIsRefusedWithASentence) {
  const auto sentence = [](const backoff& config) { return problem_with(config).value_or("no problem"); };
  EXPECT_EQ(sentence({.base = -1ms}), "base is -1 ms, but it must be from 0 ms to the cap, 10000 ms.");
  EXPECT_THAT(sentence({.base = 10'001ms}), HasSubstr("base is 10001 ms"));
  EXPECT_THAT(sentence({.jitter_min = -5ms}), HasSubstr("jitter_min is -5 ms"));
  EXPECT_THAT(sentence({.jitter_min = 46ms}), HasSubstr("to jitter_max, 45 ms"));
  EXPECT_THAT(sentence({.jitter_max = 10'001ms}), HasSubstr("jitter_max is 10001 ms"));
  EXPECT_THAT(sentence({.cap = -1ms}), HasSubstr("cap is -1 ms"));
  EXPECT_THAT(sentence({.cap = 24h + 1ms}), HasSubstr("from 0 ms to 86400000 ms"));
}

}  // namespace
}  // namespace resilience
