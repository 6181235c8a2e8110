#include <chrono>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include <resilience/circuit_breaker.hpp>
#include <resilience/manual_clock.hpp>

#include "resilience/support/print.hpp"
#include "resilience/support/stepped.hpp"

namespace resilience {
namespace {

using namespace std::chrono_literals;

static_assert(!std::is_copy_constructible_v<permit> && !std::is_copy_assignable_v<permit>);
static_assert(std::is_nothrow_move_constructible_v<permit> && std::is_nothrow_move_assignable_v<permit>);
static_assert(sizeof(permit) == 2 * sizeof(void*));

class Permit : public ::testing::Test, testing::from_the_epoch {
 protected:
  circuit_breaker<manual_clock> breaker{{.rule = consecutive_failures{1}, .open_for = 30s}};

  void make_half_open() {
    breaker.trip();
    manual_clock::advance(30s);
    ASSERT_EQ(breaker.state(), breaker_state::half_open);
  }
};

TEST_F(Permit, DroppedCountsForNothingAndGivesItsPlaceBack) {
  { const auto leave = breaker.try_acquire(); }
  const auto seen = breaker.snapshot();
  EXPECT_EQ(seen.permits_out, 0U);
  EXPECT_EQ(seen.totals.neutral, 1U);
  EXPECT_EQ(seen.totals.successes + seen.totals.failures, 0U);
  EXPECT_EQ(seen.state, breaker_state::closed);
}

TEST_F(Permit, OfAProbeGivesTheProbesPlaceBackWhenDropped) {
  make_half_open();
  auto probe = breaker.try_acquire();
  ASSERT_TRUE(probe.has_value());
  EXPECT_FALSE(breaker.try_acquire().has_value());
  probe.reset();
  EXPECT_EQ(breaker.state(), breaker_state::half_open);
  EXPECT_TRUE(breaker.try_acquire().has_value());
}

TEST_F(Permit, GivesItsPlaceBackWhenAnExceptionPassesThrough) {
  make_half_open();
  const auto call = [this] {
    const auto probe = breaker.try_acquire();
    throw std::runtime_error("on the way to the server");
  };
  EXPECT_THROW(call(), std::runtime_error);
  EXPECT_EQ(breaker.snapshot().probes_out, 0U);
}

TEST_F(Permit, GivesItsPlaceBackOnceThoughMovedAndDroppedByHand) {
  auto leave = breaker.try_acquire();
  permit moved = std::move(*leave);
  EXPECT_FALSE(leave->valid());
  EXPECT_TRUE(moved.valid());
  leave.reset();
  EXPECT_EQ(breaker.snapshot().permits_out, 1U);
  moved.drop();
  moved.drop();
  EXPECT_FALSE(moved.valid());
  EXPECT_EQ(breaker.snapshot().totals.neutral, 1U);
}

TEST_F(Permit, GivesUpWhatItHeldWhenAnotherIsMovedIntoIt) {
  auto one = breaker.try_acquire();
  auto other = breaker.try_acquire();
  *one = std::move(*other);
  EXPECT_EQ(breaker.snapshot().permits_out, 1U);
  EXPECT_TRUE(one->valid());
  permit& itself = *one;
  *one = std::move(itself);
  EXPECT_TRUE(one->valid());
}

TEST_F(Permit, CarriesTheGenerationItWasGivenIn) {
  EXPECT_EQ(breaker.try_acquire()->generation(), breaker.snapshot().generation);
}

TEST_F(Permit, RecordedIsEmptyAndNotUsedASecondTime) {
  auto leave = breaker.try_acquire();
  EXPECT_TRUE(breaker.record(std::move(*leave), outcome::success).used);
  EXPECT_FALSE(leave->valid());
  EXPECT_FALSE(breaker.record(std::move(*leave), outcome::failure).used);
  EXPECT_EQ(breaker.state(), breaker_state::closed);
  EXPECT_EQ(breaker.snapshot().totals.failures, 0U);
}

TEST_F(Permit, OfAnotherBreakerIsNotUsedAndGoesBackToItsOwn) {
  circuit_breaker<manual_clock> another;
  auto leave = another.try_acquire();
  EXPECT_FALSE(breaker.record(std::move(*leave), outcome::failure).used);
  EXPECT_EQ(breaker.state(), breaker_state::closed);
  EXPECT_EQ(breaker.snapshot().totals.stale, 0U);
  EXPECT_EQ(another.snapshot().permits_out, 0U);
  EXPECT_EQ(another.snapshot().totals.neutral, 1U);
}

}  // namespace
}  // namespace resilience
