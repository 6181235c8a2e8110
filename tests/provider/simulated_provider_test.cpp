// The simulated provider: latencies and outcomes of each scenario, and what is in flight.
#include "provider/simulated_provider.hpp"

#include <gtest/gtest.h>

#include "resilience/support/stepped.hpp"

namespace quote_lab::provider {
namespace {

using namespace std::chrono_literals;
using quote::mode;
using quote::scenario;
using resilience::manual_clock;
using resilience::testing::start;
using resilience::testing::started;

struct range {
  scenario behaves;
  std::uint32_t attempt;
  double least_ms;
  double most_ms;
  bool success;
};

class ScenarioRange : public ::testing::TestWithParam<range> {};

TEST_P(ScenarioRange, IsKeptAndUsedFromEndToEnd) {
  const auto& row = GetParam();
  std::mt19937_64 engine(1);
  double least = 1e9, most = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto drawn = draw_behaviour(row.behaves, row.attempt, engine);
    EXPECT_EQ(drawn.success, row.success);
    least = std::min(least, drawn.latency.count());
    most = std::max(most, drawn.latency.count());
  }
  const double width = row.most_ms - row.least_ms;
  EXPECT_GE(least, row.least_ms);
  EXPECT_LE(most, row.most_ms);
  EXPECT_LE(least, row.least_ms + width / 50);
  EXPECT_GE(most, row.most_ms - width / 50);
}

INSTANTIATE_TEST_SUITE_P(Each, ScenarioRange,
                         ::testing::Values(range{scenario::ok, 1, 115, 150, true},
                                           range{scenario::ok, 4, 115, 150, true},
                                           range{scenario::slow_provider, 1, 640, 730, false},
                                           range{scenario::slow_provider, 4, 640, 730, false},
                                           range{scenario::provider_down, 1, 1000, 1000, false},
                                           range{scenario::flaky_provider, 1, 520, 560, false},
                                           range{scenario::flaky_provider, 2, 150, 195, true},
                                           range{scenario::flaky_provider, 3, 150, 195, true},
                                           range{scenario::burst_then_recover, 1, 500, 580, false},
                                           range{scenario::burst_then_recover, 2, 500, 580, false},
                                           range{scenario::burst_then_recover, 3, 130, 180, true},
                                           range{scenario::burst_then_recover, 4, 130, 180, true}),
                         [](const auto& row) {
                           return std::string(to_string(row.param.behaves)) + "_" +
                                  std::to_string(row.param.attempt);
                         });

class SimulatedProvider : public ::testing::Test, resilience::testing::from_the_epoch {
 protected:
  static provider_call call_of(mode by, scenario behaves) {
    provider_call call;
    call.mode = by;
    call.scenario = behaves;
    return call;
  }

  std::mt19937_64 engine{1};
  simulated_provider<manual_clock> source{engine};
  boost::asio::io_context context;
};

TEST_F(SimulatedProvider, AnswersAfterTheLatencyItDrew) {
  std::mt19937_64 same(1);
  const auto expected = draw_behaviour(scenario::ok, 1, same);
  started<provider_reply> call;
  start(context, call, source.call(call_of(mode::legacy, scenario::ok)));
  resilience::run_until_idle(context);
  EXPECT_EQ(call.value, provider_reply::success);
  const std::chrono::duration<double, std::milli> took = call.ended_at.time_since_epoch();
  EXPECT_NEAR(took.count(), expected.latency.count(), 1e-5);
}

TEST_F(SimulatedProvider, CountsWhatIsInFlightByMode) {
  started<provider_reply> one, two, three;
  start(context, one, source.call(call_of(mode::legacy, scenario::ok)));
  start(context, two, source.call(call_of(mode::resilient, scenario::ok)));
  start(context, three, source.call(call_of(mode::resilient, scenario::provider_down)));
  EXPECT_EQ(source.in_flight(mode::resilient), 0U) << "nothing has begun yet";
  resilience::run_for(context, 100ms);
  EXPECT_EQ(source.in_flight(mode::legacy), 1U);
  EXPECT_EQ(source.in_flight(mode::resilient), 2U);
  resilience::run_for(context, 100ms);
  EXPECT_EQ(source.in_flight(mode::legacy), 0U);
  EXPECT_EQ(source.in_flight(mode::resilient), 1U);
  resilience::run_until_idle(context);
  EXPECT_EQ(source.in_flight(mode::resilient), 0U);
  EXPECT_EQ(three.value, provider_reply::failure);
}

TEST_F(SimulatedProvider, EndsAtOnceWhenCancelledAndLeavesNoTimer) {
  started<provider_reply> call;
  start(context, call, source.call(call_of(mode::legacy, scenario::provider_down)));
  resilience::run_for(context, 400ms);
  call.cancel.emit(boost::asio::cancellation_type::terminal);
  EXPECT_EQ(resilience::run_ready(context), std::nullopt);
  EXPECT_TRUE(call.ended);
  EXPECT_EQ(call.ended_at.time_since_epoch(), 400ms);
  EXPECT_EQ(source.in_flight(mode::legacy), 0U);
}

TEST_F(SimulatedProvider, ForgetsACallWhoseLoopWasDestroyed) {
  auto own = std::make_unique<boost::asio::io_context>();
  started<provider_reply> call;
  start(*own, call, source.call(call_of(mode::legacy, scenario::provider_down)));
  resilience::run_for(*own, 1ms);
  EXPECT_EQ(source.in_flight(mode::legacy), 1U);
  own.reset();
  EXPECT_EQ(source.in_flight(mode::legacy), 0U);
}

TEST_F(SimulatedProvider, TheSameSeedDrawsTheSameLatencies) {
  std::mt19937_64 one(42), same(42), other(43);
  std::vector<double> first, second, third;
  for (int i = 0; i < 50; ++i) {
    first.push_back(draw_behaviour(scenario::slow_provider, 1, one).latency.count());
    second.push_back(draw_behaviour(scenario::slow_provider, 1, same).latency.count());
    third.push_back(draw_behaviour(scenario::slow_provider, 1, other).latency.count());
  }
  EXPECT_EQ(first, second);
  EXPECT_NE(first, third);
}

}  // namespace
}  // namespace quote_lab::provider
