#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <resilience/manual_clock.hpp>
#include <resilience/timeout.hpp>

#include "resilience/support/stepped.hpp"

namespace resilience {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using testing::sleep_for;
using testing::start;
using testing::started;

/// Counts the work in flight: none must be left once the limit has struck.
struct in_flight {
  explicit in_flight(int& gauge) : gauge_(gauge) { ++gauge_; }
  ~in_flight() { --gauge_; }
  in_flight(const in_flight&) = delete;
  in_flight& operator=(const in_flight&) = delete;

 private:
  int& gauge_;
};

awaitable<int> answer_after(manual_clock::duration span, int& gauge) {
  const in_flight counted(gauge);
  co_await sleep_for(span);
  co_return 7;
}

awaitable<int> refuse_after(manual_clock::duration span) {
  co_await sleep_for(span);
  throw boost::system::system_error(boost::asio::error::connection_refused);
}

awaitable<int> stubborn(manual_clock::duration span) {
  co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
  co_await sleep_for(span);
  co_return 8;
}

class Timeout : public ::testing::Test, testing::from_the_epoch {
 protected:
  boost::asio::io_context context;
  int gauge = 0;

  static auto at(manual_clock::duration span) { return manual_clock::time_point{} + span; }
};

TEST_F(Timeout, GivesTheValueOfWorkThatEndsInTimeAndStopsItsTimer) {
  started<std::optional<int>> call;
  start(context, call, with_timeout<manual_clock>(answer_after(100ms, gauge), 220ms));
  EXPECT_TRUE(run_until_idle(context));
  EXPECT_EQ(call.value.value(), 7);
  EXPECT_EQ(call.ended_at, at(100ms));
  EXPECT_EQ(manual_clock::now(), at(100ms)) << "a timer was left";
}

TEST_F(Timeout, GivesNothingWhenTheLimitStrikesFirstAndTheWorkHasEndedByThen) {
  started<std::optional<int>> call;
  start(context, call, with_timeout<manual_clock>(answer_after(300ms, gauge), 220ms));
  run_for(context, 219ms);
  EXPECT_EQ(gauge, 1);
  EXPECT_FALSE(call.ended);
  run_for(context, 1ms);
  EXPECT_TRUE(call.ended);
  EXPECT_EQ(call.value.value(), std::nullopt);
  EXPECT_EQ(gauge, 0);
  EXPECT_TRUE(run_until_idle(context));
  EXPECT_EQ(manual_clock::now(), at(220ms)) << "the work's timer was left";
}

TEST_F(Timeout, OfWorkWithoutAValueSaysWhetherItEndedInTime) {
  started<bool> fast;
  started<bool> slow;
  start(context, fast, with_timeout<manual_clock>(sleep_for(1ms), 10ms));
  start(context, slow, with_timeout<manual_clock>(sleep_for(11ms), 10ms));
  run_until_idle(context);
  EXPECT_EQ(fast.value, true);
  EXPECT_EQ(slow.value, false);
}

TEST_F(Timeout, CarriesAnErrorOnAtOnceAndDoesNotWaitForTheLimit) {
  started<std::optional<int>> call;
  start(context, call, with_timeout<manual_clock>(refuse_after(1ms), 30s));
  run_for(context, 1ms);
  EXPECT_TRUE(call.ended);
  EXPECT_EQ(call.error(), boost::asio::error::connection_refused);
  EXPECT_EQ(run_ready(context), std::nullopt);
}

TEST_F(Timeout, HandsACancellationFromOutsideToTheWorkWhoseOwnEndComesOut) {
  started<std::optional<int>> call;
  start(context, call, with_timeout<manual_clock>(answer_after(300ms, gauge), 220ms));
  run_for(context, 50ms);
  EXPECT_EQ(gauge, 1);
  call.cancel.emit(boost::asio::cancellation_type::terminal);
  run_ready(context);
  EXPECT_TRUE(call.ended);
  EXPECT_EQ(call.error(), boost::asio::error::operation_aborted);
  EXPECT_EQ(gauge, 0);
  EXPECT_EQ(call.ended_at, at(50ms));
}

awaitable<std::optional<int>> lenient_caller(int& gauge) {
  co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::enable_total_cancellation());
  co_return co_await with_timeout<manual_clock>(answer_after(300ms, gauge), 220ms);
}

// The caller has asked for gentler kinds of cancellation than the work has; it must not be left running
// without a limit.
TEST_F(Timeout, HandsAGentlerCancellationFromOutsideDownAsATerminalOne) {
  started<std::optional<int>> call;
  start(context, call, lenient_caller(gauge));
  run_for(context, 50ms);
  call.cancel.emit(boost::asio::cancellation_type::total);
  run_ready(context);
  EXPECT_EQ(call.error(), boost::asio::error::operation_aborted);
  EXPECT_EQ(gauge, 0);
}

TEST_F(Timeout, GivesTheValueOfWorkThatFinishesInSpiteOfACancellationFromOutside) {
  started<std::optional<int>> call;
  start(context, call, with_timeout<manual_clock>(stubborn(300ms), 1s));
  run_for(context, 50ms);
  call.cancel.emit(boost::asio::cancellation_type::terminal);
  run_until_idle(context);
  EXPECT_EQ(call.value.value(), 8);
  EXPECT_EQ(call.ended_at, at(300ms));
}

TEST_F(Timeout, WaitsForWorkThatIgnoresTheLimitAndSaysStillThatItStruck) {
  started<std::optional<int>> call;
  start(context, call, with_timeout<manual_clock>(stubborn(300ms), 100ms));
  run_for(context, 299ms);
  EXPECT_FALSE(call.ended);
  run_for(context, 1ms);
  EXPECT_EQ(call.value.value(), std::nullopt);
}

awaitable<int> throw_when_cancelled() {
  try {
    co_await sleep_for(1h);
  } catch (const boost::system::system_error&) {
    throw std::runtime_error("while tidying up");
  }
  co_return 0;
}

TEST_F(Timeout, DropsWhatCancelledWorkThrows) {
  started<std::optional<int>> call;
  start(context, call, with_timeout<manual_clock>(throw_when_cancelled(), 100ms));
  run_for(context, 100ms);
  EXPECT_EQ(call.thrown, nullptr);
  EXPECT_EQ(call.value.value(), std::nullopt);
}

// The two timers are due at one instant; whichever Asio finds first must be told apart from a half of each.
TEST_F(Timeout, EndsCleanlyWhenTheWorkEndsAtTheVeryInstantOfTheLimit) {
  for (int i = 0; i < 100; ++i) {
    started<std::optional<int>> call;
    start(context, call, with_timeout<manual_clock>(answer_after(220ms, gauge), 220ms));
    EXPECT_TRUE(run_until_idle(context));
    ASSERT_TRUE(call.ended);
    ASSERT_EQ(call.thrown, nullptr);
    ASSERT_EQ(gauge, 0);
    const auto value = call.value.value();
    ASSERT_TRUE(!value || *value == 7);
  }
}

TEST_F(Timeout, NestsAndTheShorterLimitDecides) {
  started<std::optional<std::optional<int>>> outer_first;
  auto inner = with_timeout<manual_clock>(answer_after(1h, gauge), 200ms);
  start(context, outer_first, with_timeout<manual_clock>(std::move(inner), 100ms));
  run_for(context, 100ms);
  EXPECT_TRUE(outer_first.ended);
  EXPECT_FALSE(outer_first.value.value().has_value());
  EXPECT_EQ(gauge, 0);

  started<std::optional<std::optional<int>>> inner_first;
  inner = with_timeout<manual_clock>(answer_after(1h, gauge), 100ms);
  start(context, inner_first, with_timeout<manual_clock>(std::move(inner), 200ms));
  run_for(context, 100ms);
  ASSERT_TRUE(inner_first.value.has_value() && inner_first.value->has_value());
  EXPECT_FALSE(inner_first.value->value().has_value());
}

TEST_F(Timeout, WithoutALimitToSpeakOfLetsTheWorkEnd) {
  started<std::optional<int>> call;
  start(context, call, with_timeout<manual_clock>(answer_after(24h, gauge), manual_clock::duration::max()));
  run_until_idle(context, 48h);
  EXPECT_EQ(call.value.value(), 7);
}

awaitable<int> at_once() {
  co_return 9;
}

TEST_F(Timeout, OfNothingStillLetsWorkEndThatDoesNotWait) {
  started<std::optional<int>> ready;
  started<std::optional<int>> waits;
  start(context, ready, with_timeout<manual_clock>(at_once(), 0ms));
  start(context, waits, with_timeout<manual_clock>(answer_after(1ns, gauge), -1s));
  run_until_idle(context);
  EXPECT_EQ(ready.value.value(), 9);
  EXPECT_EQ(waits.value.value(), std::nullopt);
}

struct without_default {
  explicit without_default(std::unique_ptr<std::string> text) : said(std::move(text)) {}
  std::unique_ptr<std::string> said;
};

awaitable<without_default> say(manual_clock::duration span) {
  co_await sleep_for(span);
  co_return without_default(std::make_unique<std::string>("here"));
}

TEST_F(Timeout, BearsAValueThatIsMoveOnlyAndHasNoDefault) {
  started<std::optional<without_default>> call;
  start(context, call, with_timeout<manual_clock>(say(1ms), 10ms));
  run_until_idle(context);
  EXPECT_EQ(*call.value.value().value().said, "here");
}

TEST_F(Timeout, LeavesNothingBehindWhenTheContextIsDestroyedInTheMiddle) {
  auto own = std::make_unique<boost::asio::io_context>();
  started<std::optional<int>> call;
  start(*own, call, with_timeout<manual_clock>(answer_after(1h, gauge), 1min));
  run_ready(*own);
  EXPECT_EQ(gauge, 1);
  own.reset();
  EXPECT_EQ(gauge, 0);
}

// The one test on the real clock: the default is the steady clock, and a limit that is far off delays
// nothing.
TEST(TimeoutOnTheSteadyClock, EndsWithTheWork) {
  boost::asio::io_context context;
  started<std::optional<int>> call;
  start(context, call, with_timeout(at_once(), 1h));
  context.run();
  EXPECT_EQ(call.value.value(), 9);
}

}  // namespace
}  // namespace resilience
