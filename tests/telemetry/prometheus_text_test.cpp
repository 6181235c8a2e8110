// The whole scrape: sound by a strict reader, whatever was counted and whatever the labels hold.
#include "telemetry/prometheus_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/scrape.hpp"

namespace quote_lab::telemetry {
namespace {

using quote::mode;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Key;

gauges quiet_gauges() {
  gauges moment;
  moment.provider = "carrier-gateway";
  moment.files = {{"dependency_state.json", true, 0}, {"telemetry.json", true, 0}};
  moment.refused = {{"too_many_quotes", 0}, {"bad_target", 0}};
  moment.version = "1.2.3";
  moment.compiler = "gcc 12.2.0";
  return moment;
}

test::scrape scraped(const state& counted, const gauges& moment) {
  return test::read_scrape(prometheus_text(counted, moment));
}

state busy_state() {
  state counted{retention{}};
  counted.requests = 17;
  counted.status_counts = {10, 4, 3};
  auto& legacy = counted.modes[mode::legacy];
  legacy.successes = 2;
  legacy.failures = 1;
  legacy.attempts_total = 7;
  legacy.retries_total = 4;
  legacy.timeouts_total = 5;
  legacy.quote_duration.add(std::chrono::milliseconds(1440));
  legacy.quote_duration.add(std::chrono::hours(1));
  auto& resilient = counted.modes[mode::resilient];
  resilient.fallbacks_used = 3;
  resilient.circuit_opens = 1;
  resilient.short_circuits = 2;
  resilient.cancelled = 6;
  resilient.attempt_timeout.add(std::chrono::milliseconds(220));
  return counted;
}

TEST(PrometheusText, IsSoundBeforeAnythingWasCounted) {
  const auto seen = scraped(state{retention{}}, quiet_gauges());
  EXPECT_THAT(seen.problems, IsEmpty());
  EXPECT_GT(seen.families.size(), 30U);
}

TEST(PrometheusText, IsSoundWhenThereIsMuchToTell) {
  EXPECT_THAT(scraped(busy_state(), quiet_gauges()).problems, IsEmpty());
}

TEST(PrometheusText, HasEveryFamilyOfTheTeachingCase) {
  const auto seen = scraped(busy_state(), quiet_gauges());
  for (const auto* name :
       {"app_requests_total", "app_flow_success_total", "app_flow_failure_total", "app_flow_timeouts_total",
        "app_flow_fallback_total", "app_flow_circuit_open_total", "app_flow_avg_attempts",
        "dependency_circuit_open"}) {
    EXPECT_THAT(seen.families, Contains(Key(name)));
  }
}

TEST(PrometheusText, TellsWhatWasCountedUnderItsMode) {
  const auto seen = scraped(busy_state(), quiet_gauges()).series;
  EXPECT_EQ(seen.at("app_requests_total"), 17);
  EXPECT_EQ(seen.at(R"(app_flow_success_total{mode="legacy"})"), 2);
  EXPECT_EQ(seen.at(R"(app_flow_failure_total{mode="legacy"})"), 1);
  EXPECT_EQ(seen.at(R"(app_flow_timeouts_total{mode="legacy"})"), 5);
  EXPECT_EQ(seen.at(R"(app_flow_fallback_total{mode="resilient"})"), 3);
  EXPECT_EQ(seen.at(R"(app_flow_circuit_open_total{mode="resilient"})"), 1);
  EXPECT_EQ(seen.at(R"(quote_lab_attempts_total{mode="legacy"})"), 7);
  EXPECT_EQ(seen.at(R"(quote_lab_retries_total{mode="legacy"})"), 4);
  EXPECT_EQ(seen.at(R"(quote_lab_short_circuits_total{mode="resilient"})"), 2);
  EXPECT_EQ(seen.at(R"(quote_lab_quotes_cancelled_total{mode="resilient"})"), 6);
  EXPECT_EQ(seen.at(R"(quote_lab_responses_total{class="4xx"})"), 4);
  EXPECT_EQ(seen.at(R"(app_flow_success_total{mode="resilient"})"), 0) << "there from the start";
}

TEST(PrometheusText, DividesAttemptsByEndedQuotesToThreeDecimals) {
  auto counted = busy_state();
  EXPECT_EQ(scraped(counted, quiet_gauges()).series.at(R"(app_flow_avg_attempts{mode="legacy"})"), 2.333);
  EXPECT_EQ(scraped(counted, quiet_gauges()).series.at(R"(app_flow_avg_attempts{mode="resilient"})"), 0);
}

TEST(PrometheusText, CumulatesBucketsUpToInfinity) {
  const auto seen = scraped(busy_state(), quiet_gauges()).series;
  EXPECT_EQ(seen.at(R"(quote_lab_quote_duration_seconds_bucket{mode="legacy",le="1"})"), 0);
  EXPECT_EQ(seen.at(R"(quote_lab_quote_duration_seconds_bucket{mode="legacy",le="1.5"})"), 1);
  EXPECT_EQ(seen.at(R"(quote_lab_quote_duration_seconds_bucket{mode="legacy",le="5"})"), 1);
  EXPECT_EQ(seen.at(R"(quote_lab_quote_duration_seconds_bucket{mode="legacy",le="+Inf"})"), 2);
  EXPECT_EQ(seen.at(R"(quote_lab_quote_duration_seconds_count{mode="legacy"})"), 2);
  EXPECT_NEAR(seen.at(R"(quote_lab_quote_duration_seconds_sum{mode="legacy"})"), 3601.44, 1e-6);
  EXPECT_EQ(seen.at(R"(quote_lab_attempt_duration_seconds_count{mode="resilient",outcome="timeout"})"), 1);
}

TEST(PrometheusText, ShowsTheBreakersStateOneHot) {
  using resilience::breaker_state;
  for (const auto state_of_breaker : {breaker_state::closed, breaker_state::open, breaker_state::half_open}) {
    auto moment = quiet_gauges();
    moment.breaker.state = state_of_breaker;
    const auto seen = scraped(state{retention{}}, moment).series;
    double sum = 0;
    for (const auto* name : {"closed", "open", "half_open"}) {
      const double value = seen.at("quote_lab_breaker_state{state=\"" + std::string(name) + "\"}");
      EXPECT_EQ(value, name == to_string(state_of_breaker) ? 1 : 0);
      sum += value;
    }
    EXPECT_EQ(sum, 1);
    EXPECT_EQ(seen.at(R"(dependency_circuit_open{provider="carrier-gateway"})"),
              state_of_breaker == breaker_state::open ? 1 : 0);
  }
}

TEST(PrometheusText, EscapesTheValuesOfLabels) {
  auto moment = quiet_gauges();
  moment.provider = "a\"b\\c\nd";
  const auto seen = scraped(state{retention{}}, moment);
  EXPECT_THAT(seen.problems, IsEmpty());
  bool found = false;
  for (const auto& [series, value] : seen.series) {
    if (!series.starts_with("dependency_circuit_open{provider=\"")) continue;
    const auto begin = series.find('"') + 1;
    EXPECT_EQ(test::unescaped_label(series.substr(begin, series.rfind('"') - begin)), moment.provider);
    found = true;
  }
  EXPECT_TRUE(found);
}

TEST(PrometheusText, TellsOfTheProcess) {
  const auto seen = scraped(state{retention{}}, quiet_gauges()).series;
  EXPECT_GT(seen.at("process_resident_memory_bytes"), 0);
  EXPECT_GT(seen.at("process_virtual_memory_bytes"), seen.at("process_resident_memory_bytes"));
  EXPECT_GT(seen.at("process_open_fds"), 0);
  EXPECT_LE(seen.at("process_open_fds"), seen.at("process_max_fds"));
  EXPECT_GE(seen.at("process_cpu_seconds_total"), 0);
  EXPECT_GT(seen.at("process_start_time_seconds"), 1.6e9);
}

TEST(PrometheusText, TellsOfAFileThatCannotBeWritten) {
  auto moment = quiet_gauges();
  moment.files[0] = {"dependency_state.json", false, 3};
  moment.files_moved_aside = 2;
  const auto seen = scraped(state{retention{}}, moment).series;
  EXPECT_EQ(seen.at(R"(quote_lab_state_write_healthy{file="dependency_state.json"})"), 0);
  EXPECT_EQ(seen.at(R"(quote_lab_state_write_healthy{file="telemetry.json"})"), 1);
  EXPECT_EQ(seen.at(R"(quote_lab_state_write_failures_total{file="dependency_state.json"})"), 3);
  EXPECT_EQ(seen.at("quote_lab_state_files_moved_aside_total"), 2);
}

}  // namespace
}  // namespace quote_lab::telemetry
