// telemetry.json: read back as it was written, taken over from the Node.js case, refused by name.
#include "storage/telemetry_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/event_json.hpp"
#include "storage/json_members.hpp"
#include "storage/telemetry_sample.hpp"

namespace quote_lab::storage {
namespace {

using quote::mode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

telemetry::state read(const json& file, const telemetry::retention& keep = {}) {
  return read_telemetry(file, keep, test::is_sample_route);
}

std::string refusal_of(const json& file) {
  try {
    read(file);
    return "";
  } catch (const unreadable& problem) {
    return problem.what();
  }
}

TEST(TelemetryJson, ReadsBackWhatItWroteToTheLastByte) {
  const auto written = telemetry_json(test::sample_telemetry()).dump();
  EXPECT_EQ(telemetry_json(read(json::parse(written))).dump(), written);
}

TEST(TelemetryJson, KeepsWhatIsNotShownToo) {
  const auto before = test::sample_telemetry();
  const auto after = read(telemetry_json(before));
  const auto& was = before.modes[mode::resilient];
  const auto& is = after.modes[mode::resilient];
  EXPECT_EQ(is.attempt_timeout, was.attempt_timeout);
  EXPECT_EQ(is.attempt_provider_error, was.attempt_provider_error);
  EXPECT_EQ(is.attempt_success, was.attempt_success);
  EXPECT_EQ(is.attempt_cancelled, was.attempt_cancelled);
  EXPECT_EQ(is.quote_duration, was.quote_duration);
  EXPECT_EQ(after.modes[mode::legacy].cancelled, 1U);
  ASSERT_EQ(after.incidents.size(), 2U);
  EXPECT_EQ(events_json(after.incidents[0].events).dump(), events_json(before.incidents[0].events).dump());
  EXPECT_EQ(after.incidents[0].events.size(), 9U);
}

TEST(TelemetryJson, ReadsBackATelemetryThatHasSeenNothing) {
  const auto written = telemetry_json(telemetry::state{telemetry::retention{}}).dump();
  EXPECT_EQ(telemetry_json(read(json::parse(written))).dump(), written);
}

TEST(TelemetryJson, TakesOverAFileOfTheNodeCase) {
  const auto state = read(json::parse(test::node_telemetry));
  EXPECT_EQ(state.requests, 4U);
  EXPECT_THAT(state.samples_ms.values(), ElementsAre(0.31, 1442.07, 125, 0.2));
  EXPECT_THAT(state.routes.at("/quote-legacy").values(), ElementsAre(1442.07, 125));
  EXPECT_THAT(state.status_counts, ElementsAre(2, 1, 1));
  EXPECT_EQ(state.last_path, "/wp-login.php");
  EXPECT_EQ(state.last_status, 404);
  EXPECT_EQ(state.modes[mode::legacy].attempts_total, 5U);
  EXPECT_EQ(state.modes[mode::legacy].by_scenario.at(quote::scenario::slow_provider).failures, 1U);
  ASSERT_EQ(state.incidents.size(), 1U);
  EXPECT_EQ(state.incidents[0].status, quote::quote_status::failed);
  EXPECT_TRUE(state.incidents[0].events.empty());
}

TEST(TelemetryJson, PutsEveryPathThatIsNoRouteIntoOnePlace) {
  const auto state = read(json::parse(test::node_telemetry));
  EXPECT_EQ(state.routes.size(), 3U);
  EXPECT_THAT(state.routes.at(std::string(telemetry::unmatched_route)).values(),
              ::testing::UnorderedElementsAre(0.2, 0.3));
}

TEST(TelemetryJson, KeepsTheNewestSamplesWhereFewerAreKeptNow) {
  telemetry::retention keep;
  keep.samples = 2;
  keep.route_samples = 1;
  const auto state = read(json::parse(test::node_telemetry), keep);
  EXPECT_THAT(state.samples_ms.values(), ElementsAre(125, 0.2));
  EXPECT_THAT(state.routes.at("/quote-legacy").values(), ElementsAre(125));
}

TEST(TelemetryJson, AnEmptyObjectIsAFreshTelemetry) {
  EXPECT_EQ(telemetry_json(read(json::object())).dump(),
            telemetry_json(telemetry::state{telemetry::retention{}}).dump());
}

TEST(TelemetryJson, LeavesOutAHistogramOfOtherBuckets) {
  auto file = telemetry_json(test::sample_telemetry());
  file["modes"]["resilient"]["histograms"]["attempt_timeout"]["counts"] = json::array({1, 2, 3});
  const auto state = read(file);
  EXPECT_EQ(state.modes[mode::resilient].attempt_timeout, telemetry::histogram{});
  EXPECT_NE(state.modes[mode::resilient].quote_duration, telemetry::histogram{});
}

/// A place in the file, and what must be named when it holds something of no use.
struct wrong_place {
  const char* pointer;
  const char* named;
};

class TelemetryRefusal : public ::testing::TestWithParam<wrong_place> {};

TEST_P(TelemetryRefusal, NamesWhatIsOfTheWrongType) {
  auto file = telemetry_json(test::sample_telemetry());
  const json::json_pointer where(GetParam().pointer);
  ASSERT_TRUE(file.contains(where)) << "the place is there";
  file[where] = json::array({json::object()});
  EXPECT_THAT(refusal_of(file), HasSubstr(GetParam().named));
}

INSTANTIATE_TEST_SUITE_P(
    Each, TelemetryRefusal,
    ::testing::Values(wrong_place{"/requests", "requests"}, wrong_place{"/samples_ms", "sample"},
                      wrong_place{"/routes", "routes"}, wrong_place{"/routes/~1health", "sample"},
                      wrong_place{"/status_counts/2xx", "2xx"}, wrong_place{"/last_path", "last_path"},
                      wrong_place{"/last_status", "last_status"},
                      wrong_place{"/last_updated", "last_updated"},
                      wrong_place{"/modes/legacy/successes", "successes"},
                      wrong_place{"/modes/legacy/cancelled", "cancelled"},
                      wrong_place{"/modes/resilient/by_scenario/slow_provider/failures", "failures"},
                      wrong_place{"/modes/resilient/histograms/quote_duration/sum_s", "sum_s"},
                      wrong_place{"/modes/resilient/histograms/quote_duration/counts/0", "bucket"},
                      wrong_place{"/recent_incidents/0/status", "status"},
                      wrong_place{"/recent_incidents/0/http_status", "http_status"},
                      wrong_place{"/recent_incidents/0/fallback_used", "fallback_used"},
                      wrong_place{"/recent_incidents/0/elapsed_ms", "elapsed_ms"},
                      wrong_place{"/recent_incidents/0/timestamp_utc", "timestamp_utc"},
                      wrong_place{"/recent_incidents/0/request_id", "request_id"},
                      wrong_place{"/recent_incidents/0/events/0/event", "event"},
                      wrong_place{"/recent_incidents/0/events/0/attempt", "attempt"},
                      wrong_place{"/recent_incidents/0/events/0/elapsed_ms", "elapsed_ms"},
                      wrong_place{"/recent_incidents/0/events/1/wait_ms", "wait_ms"}));

TEST(TelemetryJson, RefusesAnEventItDoesNotKnow) {
  auto file = telemetry_json(test::sample_telemetry());
  file["recent_incidents"][0]["events"][0]["event"] = "exploded";
  EXPECT_THAT(refusal_of(file), HasSubstr("exploded"));
  file = telemetry_json(test::sample_telemetry());
  file["recent_incidents"][0]["status"] = "lost";
  EXPECT_THAT(refusal_of(file), HasSubstr("lost"));
}

TEST(TelemetryJson, RefusesAFileThatIsNoObject) {
  for (const auto* text : {"[]", "\"hi\"", "null", "1", R"({"modes":[]})", R"({"modes":{"legacy":1}})"}) {
    EXPECT_NE(refusal_of(json::parse(text)), "") << text;
  }
}

}  // namespace
}  // namespace quote_lab::storage
