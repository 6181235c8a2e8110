// The promise that a call through the breaker, and above all a refused one, asks for no memory.
#include "resilience/support/count_allocations.hpp"

#ifndef RESILIENCE_TESTS_UNDER_SANITIZER

#include <chrono>
#include <new>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include <resilience/circuit_breaker.hpp>
#include <resilience/manual_clock.hpp>

#include "resilience/support/stepped.hpp"

namespace resilience {
namespace {

using namespace std::chrono_literals;
using testing::allocations_of_this_thread;

template <class Work>
std::uint64_t allocations_in(Work work) {
  const auto before = allocations_of_this_thread();
  work();
  return allocations_of_this_thread() - before;
}

TEST(CountAllocations, SeesTheOneThatIsMade) {
  // Called by name: a new-expression that comes to nothing is left out by the compiler.
  EXPECT_EQ(allocations_in([] { ::operator delete(::operator new(7)); }), 1U);
}

class BreakerAllocation : public ::testing::TestWithParam<bool>, testing::from_the_epoch {
 protected:
  static breaker_config config(bool by_rate) {
    breaker_config made{.open_for = 30s};
    if (!by_rate) made.rule = consecutive_failures{1'000'000};
    return made;
  }

  circuit_breaker<manual_clock> breaker{config(GetParam())};
};

TEST_P(BreakerAllocation, IsNoneForCallsThatAreLetThroughAndRecorded) {
  EXPECT_EQ(allocations_in([this] {
              for (int i = 0; i < 1000; ++i) {
                auto leave = breaker.try_acquire();
                breaker.record(std::move(*leave), i % 3 == 0 ? outcome::failure : outcome::success);
                manual_clock::advance(100ms);
              }
            }),
            0U);
  EXPECT_EQ(breaker.snapshot().totals.permitted, 1000U);
}

TEST_P(BreakerAllocation, IsNoneForCallsThatAreRefused) {
  breaker.trip();
  EXPECT_EQ(allocations_in([this] {
              for (int i = 0; i < 1000; ++i) EXPECT_FALSE(breaker.try_acquire().has_value());
            }),
            0U);
  EXPECT_EQ(breaker.snapshot().totals.rejected, 1000U);
}

TEST_P(BreakerAllocation, IsNoneForDroppedPermitsObservedResultsAndSnapshots) {
  EXPECT_EQ(allocations_in([this] {
              for (int i = 0; i < 1000; ++i) {
                breaker.try_acquire().reset();
                breaker.observe(outcome::success);
                breaker.snapshot();
              }
            }),
            0U);
}

TEST_P(BreakerAllocation, IsNoneForTransitionsToldToAListener) {
  int told = 0;
  breaker.on_transition([&told](const transition&) { ++told; });
  EXPECT_EQ(allocations_in([this] {
              for (int i = 0; i < 100; ++i) {
                breaker.trip();
                manual_clock::advance(30s);
                breaker.record(*breaker.try_acquire(), outcome::success);
              }
            }),
            0U);
  EXPECT_EQ(told, 300);
}

INSTANTIATE_TEST_SUITE_P(Rules, BreakerAllocation, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "FailureRate" : "ConsecutiveFailures"; });

}  // namespace
}  // namespace resilience

#endif
