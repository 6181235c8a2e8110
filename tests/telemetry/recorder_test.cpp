// What the recorder makes of requests and quotes: each counter, each bound.
#include "telemetry/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/wall_clock.hpp"

namespace quote_lab::telemetry {
namespace {

using quote::milliseconds;
using quote::mode;
using quote::quote_status;
using quote::scenario;

class Recorder : public ::testing::Test {
 protected:
  static retention little() {
    retention keep;
    keep.samples = 4;
    keep.route_samples = 2;
    keep.incidents = 3;
    return keep;
  }

  static quote::outcome ended(quote_status status, std::vector<quote::event> events = {}) {
    quote::outcome outcome;
    outcome.status = status;
    outcome.events = std::move(events);
    return outcome;
  }

  static incident of(const quote::outcome& outcome, mode by = mode::resilient) {
    incident record;
    record.mode = by;
    record.scenario = scenario::slow_provider;
    record.status = outcome.status;
    return record;
  }

  void count(const quote::outcome& outcome, mode by = mode::resilient) {
    counted.count_quote(outcome, of(outcome, by));
  }

  const mode_counters& counters(mode by = mode::resilient) const { return counted.now().modes[by]; }

  test::wall_clock wall;
  recorder counted{little(), wall.reader()};
};

TEST_F(Recorder, CountsARequestOnceEverywhere) {
  counted.count_request("/health", "/health", 200, milliseconds{12.345});
  const auto& now = counted.now();
  EXPECT_EQ(now.requests, 1U);
  EXPECT_EQ(now.samples_ms.values(), (std::deque<double>{12.35})) << "two decimals";
  EXPECT_EQ(now.routes.at("/health").values().size(), 1U);
  EXPECT_EQ(now.last_path, "/health");
  EXPECT_EQ(now.last_status, 200);
  EXPECT_EQ(now.last_updated, wall.now());
}

TEST_F(Recorder, SortsStatusesIntoTheirClasses) {
  for (const int status : {200, 204, 400, 404, 431, 499, 500, 503}) {
    counted.count_request("/", "/", status, milliseconds{1});
  }
  EXPECT_THAT(counted.now().status_counts, ::testing::ElementsAre(2, 4, 2));
}

TEST_F(Recorder, KeepsNoMoreSamplesThanItMay) {
  for (int i = 1; i <= 10; ++i) counted.count_request("/a", "/a", 200, milliseconds(i));
  EXPECT_EQ(counted.now().requests, 10U);
  EXPECT_EQ(counted.now().samples_ms.values(), (std::deque<double>{7, 8, 9, 10}));
  EXPECT_EQ(counted.now().routes.at("/a").values(), (std::deque<double>{9, 10}));
}

TEST_F(Recorder, CutsALongPath) {
  counted.count_request(unmatched_route, std::string(5000, 'x'), 404, milliseconds{1});
  EXPECT_EQ(counted.now().last_path->size(), 128U);
}

TEST_F(Recorder, ACompletedQuoteAloneIsASuccess) {
  count(ended(quote_status::completed));
  count(ended(quote_status::degraded));
  count(ended(quote_status::failed));
  EXPECT_EQ(counters().successes, 1U);
  EXPECT_EQ(counters().failures, 2U);
  EXPECT_EQ(counters().by_scenario.at(scenario::slow_provider).successes, 1U);
  EXPECT_EQ(counters().by_scenario.at(scenario::slow_provider).failures, 2U);
}

TEST_F(Recorder, ACancelledQuoteIsNeitherSuccessNorFailure) {
  count(ended(quote_status::cancelled));
  EXPECT_EQ(counters().cancelled, 1U);
  EXPECT_EQ(counters().successes + counters().failures, 0U);
  EXPECT_TRUE(counters().by_scenario.empty());
  EXPECT_EQ(counted.now().incidents.size(), 1U) << "but it is on record";
}

TEST_F(Recorder, AddsUpWhatTheIncidentSays) {
  const auto outcome = ended(quote_status::degraded, {quote::circuit_opened{2, 2}});
  auto record = of(outcome);
  record.attempts = 2;
  record.retries = 1;
  record.timeout_count = 2;
  record.fallback_used = true;
  counted.count_quote(outcome, record);
  auto refused = of(outcome);
  refused.fallback_used = true;
  refused.short_circuited = true;
  counted.count_quote(ended(quote_status::degraded), refused);
  EXPECT_EQ(counters().attempts_total, 2U);
  EXPECT_EQ(counters().retries_total, 1U);
  EXPECT_EQ(counters().timeouts_total, 2U);
  EXPECT_EQ(counters().fallbacks_used, 2U);
  EXPECT_EQ(counters().short_circuits, 1U);
  EXPECT_EQ(counters().circuit_opens, 1U);
}

TEST_F(Recorder, KeepsTheModesApart) {
  count(ended(quote_status::completed), mode::legacy);
  EXPECT_EQ(counters(mode::legacy).successes, 1U);
  EXPECT_EQ(counters(mode::resilient).successes, 0U);
}

TEST_F(Recorder, PutsEachAttemptIntoTheHistogramOfHowItEnded) {
  count(ended(
      quote_status::cancelled,
      {quote::attempt_failed{1, quote::failure_reason::timeout, milliseconds{220}},
       quote::attempt_failed{2, quote::failure_reason::provider_error, milliseconds{90}},
       quote::attempt_success{3, milliseconds{120}}, quote::attempt_cancelled{4, milliseconds{10}, true},
       quote::attempt_cancelled{5, milliseconds{10}, false}}));
  EXPECT_NEAR(counters().attempt_timeout.sum_s, 0.220, 1e-9);
  EXPECT_NEAR(counters().attempt_provider_error.sum_s, 0.090, 1e-9);
  EXPECT_NEAR(counters().attempt_success.sum_s, 0.120, 1e-9);
  EXPECT_NEAR(counters().attempt_cancelled.sum_s, 0.010, 1e-9) << "one that never began had no call";
}

TEST_F(Recorder, KeepsTheNewestIncidentsAndSaysWhen) {
  for (int i = 1; i <= 5; ++i) {
    const auto outcome = ended(quote_status::failed);
    auto record = of(outcome);
    record.customer_id = i;
    counted.count_quote(outcome, record);
  }
  ASSERT_EQ(counted.now().incidents.size(), 3U);
  EXPECT_EQ(counted.now().incidents.front().customer_id, 3);
  EXPECT_EQ(counted.now().incidents.back().customer_id, 5);
  EXPECT_EQ(counted.now().incidents.back().at, wall.now());
}

TEST_F(Recorder, TellsOfEachChange) {
  int changes = 0;
  counted.listen([&] { ++changes; });
  counted.count_request("/", "/", 200, milliseconds{1});
  count(ended(quote_status::completed));
  counted.reset();
  EXPECT_EQ(changes, 3);
}

TEST_F(Recorder, AResetForgetsAllAndKeepsTheBounds) {
  for (int i = 0; i < 5; ++i) {
    counted.count_request("/a", "/a", 503, milliseconds{1});
    count(ended(quote_status::failed));
  }
  counted.reset();
  const auto& now = counted.now();
  EXPECT_EQ(now.requests, 0U);
  EXPECT_TRUE(now.routes.empty());
  EXPECT_TRUE(now.incidents.empty());
  EXPECT_EQ(now.last_path, std::nullopt);
  EXPECT_EQ(now.last_status, 200);
  EXPECT_EQ(counters().failures, 0U);
  for (int i = 0; i < 9; ++i) counted.count_request("/a", "/a", 200, milliseconds{1});
  EXPECT_EQ(now.samples_ms.values().size(), 4U);
}

TEST_F(Recorder, WhatIsRestoredIsCutToTheBound) {
  state saved(little());
  for (int i = 1; i <= 10; ++i) saved.incidents.emplace_back().customer_id = i;
  counted.restore(saved);
  ASSERT_EQ(counted.now().incidents.size(), 3U);
  EXPECT_EQ(counted.now().incidents.back().customer_id, 10);
}

}  // namespace
}  // namespace quote_lab::telemetry
