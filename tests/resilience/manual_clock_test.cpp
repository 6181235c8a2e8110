#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <resilience/manual_clock.hpp>

#include "resilience/support/stepped.hpp"

namespace resilience {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using testing::sleep_for;
using testing::start;
using testing::started;
using milliseconds = std::chrono::milliseconds;

class ManualClock : public ::testing::Test, testing::from_the_epoch {
 protected:
  boost::asio::io_context context;

  static auto at(manual_clock::duration span) { return manual_clock::time_point{} + span; }
};

awaitable<int> note_every(milliseconds step, int times, std::vector<milliseconds>& notes) {
  for (int i = 0; i < times; ++i) {
    co_await sleep_for(step);
    notes.push_back(std::chrono::duration_cast<milliseconds>(manual_clock::now().time_since_epoch()));
  }
  co_return times;
}

TEST_F(ManualClock, StandsStillUntilItIsMoved) {
  const auto before = manual_clock::now();
  EXPECT_EQ(manual_clock::now(), before);
  manual_clock::advance(5s);
  EXPECT_EQ(manual_clock::now(), before + 5s);
  manual_clock::set(at(1h));
  EXPECT_EQ(manual_clock::now(), at(1h));
}

TEST_F(ManualClock, IsEachThreadsOwn) {
  manual_clock::set(at(1h));
  auto elsewhere = at(1h);
  std::thread([&elsewhere] {
    elsewhere = manual_clock::now();
    manual_clock::advance(7h);
  }).join();
  EXPECT_EQ(elsewhere, at(0s));
  EXPECT_EQ(manual_clock::now(), at(1h));
}

TEST_F(ManualClock, RunForWakesEachTimerAtItsOwnTimeAndEndsExactlyThen) {
  std::vector<milliseconds> notes;
  started<int> noting;
  start(context, noting, note_every(100ms, 5, notes));
  run_for(context, 250ms);
  EXPECT_EQ(notes, (std::vector<milliseconds>{100ms, 200ms}));
  EXPECT_EQ(manual_clock::now(), at(250ms));
  run_for(context, 50ms);
  EXPECT_EQ(notes.back(), 300ms);
}

TEST_F(ManualClock, RunForLeavesATimerThatIsDueOneNanosecondLater) {
  started<int> sleeping;
  std::vector<milliseconds> notes;
  start(context, sleeping, note_every(100ms, 1, notes));
  run_for(context, 100ms - 1ns);
  EXPECT_FALSE(sleeping.ended);
  run_for(context, 1ns);
  EXPECT_TRUE(sleeping.ended);
}

TEST_F(ManualClock, InterleavesManyCoroutinesInTheOrderOfTheirTimers) {
  std::vector<milliseconds> notes;
  std::vector<started<int>> many(50);
  for (std::size_t i = 0; i < many.size(); ++i) {
    start(context, many[i], note_every(milliseconds(7 + 13 * ((i * 31) % 50)), 4, notes));
  }
  EXPECT_TRUE(run_until_idle(context));
  EXPECT_EQ(notes.size(), 200U);
  EXPECT_TRUE(std::is_sorted(notes.begin(), notes.end()));
}

TEST_F(ManualClock, RunReadyRunsWhatIsReadyAndSaysWhenTheNextTimerIsDue) {
  std::vector<milliseconds> notes;
  started<int> noting;
  start(context, noting, note_every(100ms, 1, notes));
  EXPECT_EQ(run_ready(context), at(100ms));
  EXPECT_EQ(manual_clock::now(), at(0s));
  manual_clock::advance(100ms);
  EXPECT_EQ(run_ready(context), std::nullopt);
  EXPECT_TRUE(noting.ended);
}

TEST_F(ManualClock, RunReadyRunsAChainOfPostsAndSleepsOfNothing) {
  int links = 0;
  started<int> sleeping;
  std::vector<milliseconds> notes;
  start(context, sleeping, note_every(0ms, 100, notes));
  boost::asio::post(
      context, [&] { boost::asio::post(context, [&] { boost::asio::post(context, [&] { links = 3; }); }); });
  EXPECT_EQ(run_ready(context), std::nullopt);
  EXPECT_EQ(links, 3);
  EXPECT_EQ(notes.size(), 100U);
}

TEST_F(ManualClock, RunUntilIdleGivesUpAtItsLimitOnWorkThatNeverEnds) {
  std::vector<milliseconds> notes;
  started<int> noting;
  start(context, noting, note_every(7min, 1'000'000, notes));
  EXPECT_FALSE(run_until_idle(context, 1h));
  EXPECT_EQ(notes.size(), 8U);
}

TEST_F(ManualClock, PassesAMonthOfHourlyTimersWithoutWaiting) {
  std::vector<milliseconds> notes;
  started<int> noting;
  start(context, noting, note_every(1h, 24 * 30, notes));
  EXPECT_TRUE(run_until_idle(context, 24h * 31));
  EXPECT_EQ(notes.size(), 720U);
  EXPECT_EQ(manual_clock::now(), at(24h * 30));
}

TEST_F(ManualClock, ReturnsWhenAHandlerStopsTheContext) {
  boost::asio::post(context, [this] { context.stop(); });
  EXPECT_EQ(run_ready(context), std::nullopt);
  int ran = 0;
  boost::asio::post(context, [&ran] { ++ran; });
  run_ready(context);
  EXPECT_EQ(ran, 1);
}

TEST_F(ManualClock, WakesATimerThatIsCancelledAtOnce) {
  boost::asio::basic_waitable_timer<manual_clock> timer(context, 1h);
  boost::system::error_code ended;
  timer.async_wait([&ended](boost::system::error_code error) { ended = error; });
  run_for(context, 1min);
  timer.cancel();
  run_ready(context);
  EXPECT_EQ(ended, boost::asio::error::operation_aborted);
  EXPECT_EQ(manual_clock::now(), at(1min));
}

}  // namespace
}  // namespace resilience
