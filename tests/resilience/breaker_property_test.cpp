// Thousands of random histories, each answered by the breaker and by a slow obvious model of it; every answer
// and every number must agree. Seeded: a failure names its history, and the same history comes again.
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <resilience/circuit_breaker.hpp>
#include <resilience/manual_clock.hpp>

#include "resilience/support/breaker_model.hpp"
#include "resilience/support/print.hpp"
#include "resilience/support/stepped.hpp"

namespace resilience {
namespace {

using namespace std::chrono_literals;
using testing::breaker_model;

/// Draws configurations small enough that every rule is met often.
breaker_config draw_config(std::mt19937& engine) {
  const auto from = [&engine](std::uint32_t low, std::uint32_t high) {
    return std::uniform_int_distribution<std::uint32_t>(low, high)(engine);
  };
  breaker_config config;
  if (from(0, 1) == 0) {
    config.rule = consecutive_failures{from(1, 4)};
  } else {
    const double thresholds[] = {0.1, 0.3, 1.0 / 3.0, 0.5, 2.0 / 3.0, 1.0};
    config.rule = failure_rate{.bucket = std::chrono::nanoseconds(from(1, 20)),
                               .buckets = from(1, 6),
                               .threshold = thresholds[from(0, 5)],
                               .minimum_calls = from(1, 6)};
  }
  config.open_for = std::chrono::nanoseconds(from(1, 40));
  config.half_open_probes = from(1, 3);
  config.successes_to_close = from(1, 4);
  return config;
}

/// One history: both breakers, the permits they gave, and the random draws.
class history {
 public:
  explicit history(std::uint32_t seed)
      : engine_(seed), config_(draw_config(engine_)), real_(config_), model_(config_) {
    manual_clock::set(manual_clock::time_point{} - 100ns + std::chrono::nanoseconds(draw(200)));
    real_.on_transition([this](const transition& change) { heard_.push_back(change); });
  }

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(i);
      step();
      ASSERT_EQ(heard_, model_.told);
    }
    EXPECT_EQ(real_.snapshot(), model_.snapshot(manual_clock::now()));
  }

  std::size_t transitions() const { return heard_.size(); }

 private:
  struct given {
    permit real;
    std::size_t model;
  };

  std::uint32_t draw(std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(engine_);
  }
  outcome draw_outcome() { return draw(2) == 0 ? outcome::success : outcome::failure; }

  void step() {
    const auto which = draw(100);
    if (which < 30) return acquire();
    if (which < 60) return record();
    if (which < 65) return drop();
    if (which < 72) return observe();
    if (which < 90) return move_clock();
    if (which < 92) return trip();
    if (which < 93) return reset();
    if (which < 94) return restore();
    if (which < 96) return advance();
    EXPECT_EQ(real_.snapshot(), model_.snapshot(manual_clock::now()));
  }

  void trip() { EXPECT_EQ(real_.trip(), model_.trip(manual_clock::now())); }

  void advance() { EXPECT_EQ(real_.advance(), model_.advance(manual_clock::now())); }

  void reset() {
    real_.reset();
    model_.reset(manual_clock::now());
  }

  void acquire() {
    auto real = real_.try_acquire();
    const auto model = model_.try_acquire(manual_clock::now());
    ASSERT_EQ(real.has_value(), model.has_value());
    if (real) permits_.push_back({std::move(*real), *model});
  }

  std::optional<given> take_one() {
    if (permits_.empty()) return std::nullopt;
    std::swap(permits_[draw(static_cast<std::uint32_t>(permits_.size()))], permits_.back());
    given one = std::move(permits_.back());
    permits_.pop_back();
    return one;
  }

  void record() {
    auto one = take_one();
    if (!one) return;
    const auto how = draw_outcome();
    const auto real = real_.record(std::move(one->real), how);
    const auto model = model_.record(one->model, how, manual_clock::now());
    EXPECT_EQ(real.used, model.used);
    EXPECT_EQ(real.change, model.change);
    EXPECT_EQ(real.consecutive_failures, model.consecutive_failures);
  }

  void drop() {
    auto one = take_one();
    if (!one) return;
    one->real.drop();
    model_.drop(one->model);
  }

  void observe() {
    const auto how = draw_outcome();
    real_.observe(how);
    model_.observe(how, manual_clock::now());
  }

  /// Mostly a little; now and then far, not at all, back, or to the very end of the open period or one short
  /// of it.
  void move_clock() {
    const auto remaining = real_.open_remaining();
    ASSERT_EQ(remaining, model_.open_remaining(manual_clock::now()));
    if (remaining && draw(3) == 0) {
      manual_clock::advance(*remaining - std::chrono::nanoseconds(draw(2)));
      return;
    }
    switch (draw(8)) {
      case 0:
        return manual_clock::advance(1000ns);
      case 1:
        return manual_clock::advance(-std::chrono::nanoseconds(draw(30)));
      default:
        return manual_clock::advance(std::chrono::nanoseconds(draw(12)));
    }
  }

  void restore() {
    const auto state = static_cast<breaker_state>(draw(3));
    const std::chrono::nanoseconds remaining(draw(100));
    const auto run = draw(5);
    real_.restore(state, remaining, run);
    model_.restore(state, remaining, run, manual_clock::now());
  }

  std::mt19937 engine_;
  breaker_config config_;
  circuit_breaker<manual_clock> real_;
  breaker_model model_;
  std::vector<given> permits_;
  std::vector<transition> heard_;
};

class BreakerProperty : public ::testing::Test, testing::from_the_epoch {};

TEST_F(BreakerProperty, AnswersLikeASlowObviousModelThroughThousandsOfHistories) {
  std::size_t transitions = 0;
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(seed);
    history one(seed);
    one.run(150);
    if (HasFailure()) return;
    transitions += one.transitions();
  }
  EXPECT_GT(transitions, 20'000U) << "the histories must be eventful to prove anything";
}

}  // namespace
}  // namespace resilience
