// The breaker as callers see it, on one thread: the clock it reads, and what it tells its listeners.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <resilience/circuit_breaker.hpp>
#include <resilience/manual_clock.hpp>

#include "resilience/support/print.hpp"
#include "resilience/support/stepped.hpp"

namespace resilience {
namespace {

using namespace std::chrono_literals;

static_assert(std::is_same_v<circuit_breaker<>, circuit_breaker<std::chrono::steady_clock>>);

class CircuitBreaker : public ::testing::Test, testing::from_the_epoch {
 protected:
  circuit_breaker<manual_clock> breaker{{.rule = consecutive_failures{2}, .open_for = 30s}};
  std::vector<transition> heard;

  void listen() {
    breaker.on_transition([this](const transition& change) { heard.push_back(change); });
  }
  record_result call(outcome how) { return breaker.record(breaker.try_acquire().value(), how); }
  void open() {
    call(outcome::failure);
    call(outcome::failure);
    ASSERT_EQ(breaker.state(), breaker_state::open);
  }
};

TEST_F(CircuitBreaker, GoesRoundFromClosedToClosed) {
  open();
  EXPECT_EQ(breaker.open_remaining(), 30s);
  EXPECT_FALSE(breaker.try_acquire().has_value());
  manual_clock::advance(30s);
  EXPECT_EQ(breaker.open_remaining(), std::nullopt);
  EXPECT_EQ(breaker.state(), breaker_state::half_open);
  EXPECT_TRUE(call(outcome::success).used);
  EXPECT_EQ(breaker.state(), breaker_state::closed);
}

TEST_F(CircuitBreaker, HandsBackTheTransitionThatTheResultItselfCaused) {
  EXPECT_EQ(call(outcome::failure).change, std::nullopt);
  const auto result = call(outcome::failure);
  ASSERT_TRUE(result.change.has_value());
  EXPECT_EQ(result.change->to, breaker_state::open);
  EXPECT_EQ(result.consecutive_failures, 2U);
}

TEST_F(CircuitBreaker, DoesNotHandBackATransitionThatTimeCausedBeforeTheResult) {
  listen();
  auto slow = breaker.try_acquire();
  open();
  manual_clock::advance(30s);
  const auto result = breaker.record(std::move(*slow), outcome::success);
  EXPECT_FALSE(result.used);
  EXPECT_EQ(result.change, std::nullopt);
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_EQ(heard.back().cause, transition_cause::open_period_over);
}

TEST_F(CircuitBreaker, TellsEachTransitionOnceInOrderWithFromEqualToThePreviousTo) {
  listen();
  open();
  manual_clock::advance(30s);
  call(outcome::failure);
  manual_clock::advance(31s);
  call(outcome::success);
  breaker.trip();
  breaker.reset();
  const std::vector<transition_cause> causes = {transition_cause::threshold_reached,
                                                transition_cause::open_period_over,
                                                transition_cause::probe_failed,
                                                transition_cause::open_period_over,
                                                transition_cause::probes_succeeded,
                                                transition_cause::tripped,
                                                transition_cause::reset};
  ASSERT_EQ(heard.size(), causes.size());
  auto before = breaker_state::closed;
  for (std::size_t i = 0; i < heard.size(); ++i) {
    EXPECT_EQ(heard[i].cause, causes[i]) << i;
    EXPECT_EQ(heard[i].from, before) << i;
    before = heard[i].to;
  }
  EXPECT_EQ(heard[2].at, manual_clock::time_point{} + 30s);
  EXPECT_EQ(heard[2].consecutive_failures, 3U);
}

TEST_F(CircuitBreaker, RaisesTheTransitionWhenAskedForItsStateAfterTheOpenPeriod) {
  listen();
  open();
  manual_clock::advance(30s);
  EXPECT_EQ(heard.size(), 1U);
  EXPECT_EQ(breaker.state(), breaker_state::half_open);
  EXPECT_EQ(breaker.state(), breaker_state::half_open);
  EXPECT_EQ(heard.size(), 2U);
}

TEST_F(CircuitBreaker, AdvanceHandsOutTheTransitionThatTimeMade) {
  open();
  EXPECT_EQ(breaker.advance(), std::nullopt);
  manual_clock::advance(breaker.open_remaining().value());
  const auto change = breaker.advance();
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(change->to, breaker_state::half_open);
  EXPECT_EQ(breaker.advance(), std::nullopt);
}

TEST_F(CircuitBreaker, SnapshotShowsTheStateThatTimeHasMade) {
  open();
  EXPECT_EQ(breaker.snapshot().open_remaining, 30s);
  manual_clock::advance(30s);
  const auto seen = breaker.snapshot();
  EXPECT_EQ(seen.state, breaker_state::half_open);
  EXPECT_EQ(seen.open_remaining, std::nullopt);
}

TEST_F(CircuitBreaker, RestoresWithoutATransition) {
  listen();
  breaker.restore(breaker_state::open, 12s, 7);
  EXPECT_TRUE(heard.empty());
  EXPECT_EQ(breaker.open_remaining(), 12s);
  EXPECT_EQ(breaker.snapshot().consecutive_failures, 7U);
  manual_clock::advance(12s);
  EXPECT_EQ(breaker.state(), breaker_state::half_open);
  EXPECT_EQ(heard.size(), 1U);
}

TEST_F(CircuitBreaker, TripsOnceUntilItCloses) {
  EXPECT_TRUE(breaker.trip());
  EXPECT_FALSE(breaker.trip());
  breaker.reset();
  EXPECT_TRUE(breaker.trip());
}

TEST_F(CircuitBreaker, StaysClosedWhenAHundredCallersLeaveAndAHundredAreRejectedLocally) {
  call(outcome::failure);
  for (int i = 0; i < 100; ++i) breaker.try_acquire().reset();
  EXPECT_EQ(breaker.state(), breaker_state::closed);
  EXPECT_EQ(breaker.snapshot().consecutive_failures, 1U) << "they say nothing about the server, good or bad";
}

TEST_F(CircuitBreaker, MovesOnTheSteadyTimeAloneThroughADayOfIt) {
  for (int period = 0; period < 2880; ++period) {
    breaker.trip();
    manual_clock::advance(30s);
    ASSERT_EQ(breaker.state(), breaker_state::half_open);
  }
}

TEST(Headers, ReadNoWallClock) {
  const auto folder = std::filesystem::path(__FILE__).parent_path() / "../../include/resilience";
  int headers = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    ++headers;
    for (const char* wall : {"system_clock", "utc_clock", "system_timer", "high_resolution_clock",
                             "gettimeofday", "CLOCK_REALTIME", "time(nullptr)", "time(NULL)"}) {
      EXPECT_EQ(text.find(wall), std::string::npos) << entry.path() << " reads " << wall;
    }
  }
  EXPECT_GT(headers, 10);
}

TEST_F(CircuitBreaker, ListenerMayThrowWithoutSpoilingTheCallTheStateOrTheNextListener) {
  breaker.on_transition([](const transition&) { throw std::runtime_error("a listener's own trouble"); });
  listen();
  open();
  EXPECT_EQ(heard.size(), 1U);
  breaker.reset();
  EXPECT_EQ(heard.size(), 2U);
}

TEST_F(CircuitBreaker, ListenerMayCallTheBreakerAndTheTransitionsStayInOrderForAll) {
  std::vector<transition_cause> first;
  breaker.on_transition([&](const transition& change) {
    first.push_back(change.cause);
    // Runs outside the lock, so each of these comes back; the transition they make is told after this one.
    if (change.to == breaker_state::open) {
      EXPECT_FALSE(breaker.try_acquire().has_value());
      breaker.reset();
      EXPECT_EQ(breaker.snapshot().state, breaker_state::closed);
    }
  });
  listen();
  breaker.trip();
  EXPECT_EQ(first, (std::vector{transition_cause::tripped, transition_cause::reset}));
  ASSERT_EQ(heard.size(), 2U);
  EXPECT_EQ(heard[0].cause, transition_cause::tripped);
  EXPECT_EQ(heard[1].cause, transition_cause::reset);
  EXPECT_EQ(heard[0].to, heard[1].from);
}

TEST_F(CircuitBreaker, ListenerMayAddAListener) {
  int late = 0;
  breaker.on_transition([&](const transition&) {
    for (int i = 0; i < 100; ++i) breaker.on_transition([&late](const transition&) { ++late; });
  });
  breaker.trip();
  EXPECT_EQ(late, 100);
}

TEST_F(CircuitBreaker, TellsAListenerNothingOfTheTimeBeforeItCame) {
  breaker.trip();
  listen();
  breaker.reset();
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard.front().cause, transition_cause::reset);
}

}  // namespace
}  // namespace resilience
