// What the lab tells of itself, its parameters, and how it is reset.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/lab_bench.hpp"

namespace quote_lab::test {
namespace {

using http::verb;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using manner = gated_provider::manner;

TEST(ServiceParameters, WhatWasNotTakenAsSentIsSaidBeforeTheLastThree) {
  lab_bench bench;
  const auto clean = bench.get_json("/quote-legacy?customer_id=7&items=2&scenario=ok");
  EXPECT_FALSE(clean.contains("warnings"));
  const auto document = bench.get_json("/quote-legacy?customer_id=12abc&items=99");
  const auto names = names_in(document);
  EXPECT_THAT((std::vector(names.end() - 4, names.end())),
              ElementsAre("warnings", "elapsed_ms", "timestamp_utc", "pid"));
  EXPECT_EQ(document["warnings"].size(), 2U);
  EXPECT_EQ(document["customer_id"], 12);
  EXPECT_EQ(document["items"], 50);
}

TEST(ServiceParameters, AStrictRequestIsRefusedInsteadAndAsksNobody) {
  lab_bench bench;
  const auto response = bench.get("/quote-legacy?customer_id=12abc&strict=1");
  const auto message = json::parse(response.body)["message"].get<std::string>();
  EXPECT_EQ(response.code, http::status::bad_request);
  EXPECT_THAT(message, HasSubstr("customer_id"));
  EXPECT_THAT(message, HasSubstr("12abc"));
  EXPECT_THAT(message, HasSubstr("from 1 to 5000"));
  EXPECT_TRUE(bench.source.calls.empty());
  EXPECT_EQ(bench.lab.refused_strict, 1U);
  EXPECT_EQ(bench.get("/quote-legacy?customer_id=12&strict=1").code, http::status::ok);
}

TEST(ServiceParameters, AStrictLabRefusesWithoutBeingAsked) {
  lab_bench bench;
  bench.lab.strict = true;
  EXPECT_EQ(bench.get("/incidents?limit=many").code, http::status::bad_request);
  EXPECT_EQ(bench.get("/quote-resilient?scenario=unheard_of").code, http::status::bad_request);
  EXPECT_EQ(bench.get("/incidents?limit=5").code, http::status::ok);
}

TEST(ServiceParameters, BytesThatAreNoTextLeaveTheAnswerValid) {
  lab_bench bench;
  const auto response = bench.get("/quote-legacy?scenario=%C3%28&customer_id=%00%FF");
  EXPECT_EQ(response.code, http::status::ok);
  EXPECT_TRUE(json::accept(response.body));
  EXPECT_TRUE(json::accept(bench.get("/incidents").body));
}

TEST(ServiceTelemetry, IncidentsComeNewestFirstAndNoMoreThanAskedFor) {
  lab_bench bench;
  for (int i = 1; i <= 12; ++i) bench.get("/quote-legacy?customer_id=" + std::to_string(i));
  EXPECT_EQ(bench.get_json("/incidents")["limit"], 10);
  EXPECT_EQ(bench.get_json("/incidents")["incidents"].size(), 10U);
  const auto two = bench.get_json("/incidents?limit=2");
  EXPECT_THAT(names_in(two), ElementsAre("limit", "incidents", "elapsed_ms", "timestamp_utc", "pid"));
  ASSERT_EQ(two["incidents"].size(), 2U);
  EXPECT_EQ(two["incidents"][0]["customer_id"], 12);
  EXPECT_EQ(two["incidents"][1]["customer_id"], 11);
  EXPECT_EQ(bench.get_json("/incidents?limit=%0A5")["limit"], 5);
}

TEST(ServiceTelemetry, AnIncidentHasItsMembersInOrder) {
  lab_bench bench;
  bench.get("/quote-legacy");
  EXPECT_THAT(names_in(bench.get_json("/incidents")["incidents"][0]),
              ElementsAre("mode", "scenario", "status", "http_status", "attempts", "retries", "timeout_count",
                          "fallback_used", "short_circuited", "elapsed_ms", "timestamp_utc", "request_id",
                          "trace_id", "customer_id", "items", "events"));
}

TEST(ServiceTelemetry, TheSummaryHasItsMembersInOrder) {
  lab_bench bench;
  bench.get("/quote-legacy");
  const auto metrics = bench.get_json("/metrics");
  EXPECT_THAT(names_in(metrics),
              ElementsAre("case", "stack", "requests_tracked", "sample_count", "avg_ms", "p95_ms", "p99_ms",
                          "max_ms", "last_path", "last_status", "last_updated", "status_counts", "modes",
                          "routes", "recent_incidents", "elapsed_ms", "timestamp_utc", "pid"));
  EXPECT_THAT(names_in(metrics["status_counts"]), ElementsAre("2xx", "4xx", "5xx"));
  EXPECT_THAT(names_in(metrics["routes"]["/quote-legacy"]),
              ElementsAre("count", "avg_ms", "p95_ms", "p99_ms", "max_ms"));
  const auto modes = names_in(metrics["modes"]["legacy"]);
  ASSERT_GE(modes.size(), 9U);
  EXPECT_THAT((std::vector(modes.begin(), modes.begin() + 9)),
              ElementsAre("successes", "failures", "attempts_total", "retries_total", "timeouts_total",
                          "fallbacks_used", "circuit_opens", "short_circuits", "by_scenario"));
}

TEST(ServiceTelemetry, RoutesAreSortedByPath) {
  lab_bench bench;
  for (const auto* path : {"/quote-legacy", "/health", "/", "/incidents", "/nowhere"}) bench.get(path);
  EXPECT_THAT(names_in(bench.get_json("/metrics")["routes"]),
              ElementsAre("(unmatched)", "/", "/health", "/incidents", "/quote-legacy"));
}

TEST(ServiceTelemetry, TheDiagnosticsHoldTheOtherViewsWhole) {
  lab_bench bench;
  bench.get("/quote-resilient");
  const auto document = bench.get_json("/diagnostics/summary");
  EXPECT_THAT(names_in(document), ElementsAre("case", "stack", "metrics", "dependency", "policies",
                                              "elapsed_ms", "timestamp_utc", "pid"));
  EXPECT_EQ(document["metrics"]["requests_tracked"], 1);
  EXPECT_EQ(names_in(document["dependency"]).back(), "circuit_status");
  EXPECT_EQ(document["policies"]["legacy"].dump(),
            R"({"timeout_ms":360,"max_attempts":4,"backoff_base_ms":0,)"
            R"("use_circuit_breaker":false,"allow_fallback":false})");
}

TEST(ServiceTelemetry, HealthTellsOfADiskThatFailsAndIsWellNevertheless) {
  lab_bench bench;
  EXPECT_EQ(bench.get_json("/health")["storage"]["status"], "ok");
  std::filesystem::remove_all(bench.folder.path());
  test::put(bench.folder.path(), "a file where the folder should be");
  bench.source.does = manner::fail;
  EXPECT_EQ(bench.get("/quote-resilient").code, http::status::ok) << "the lab goes on without its disk";
  const auto response = bench.get("/health");
  const auto document = json::parse(response.body);
  EXPECT_EQ(response.code, http::status::ok);
  EXPECT_EQ(document["status"], "ok");
  EXPECT_EQ(document["storage"]["status"], "failing");
  EXPECT_EQ(document["storage"]["dependency_state"]["status"], "failing");
  EXPECT_EQ(document["storage"]["telemetry"]["status"], "ok");
}

class ServiceReset : public ::testing::Test {
 protected:
  void make_a_mess() {
    bench.source.does = manner::fail;
    bench.get("/quote-resilient");
    bench.get("/quote-resilient");
    bench.lab.files_moved_aside = 1;
    ASSERT_EQ(bench.dependency.circuit(), resilience::breaker_state::open);
  }
  bool is_fresh() {
    return bench.dependency.circuit() == resilience::breaker_state::closed &&
           bench.dependency.record().open_events == 0 && bench.telemetry.now().requests == 0 &&
           bench.telemetry.now().incidents.empty() && bench.lab.files_moved_aside == 0;
  }

  lab_bench bench;
};

TEST_F(ServiceReset, GetAndPostStartAfreshAndTheDiskSaysSoToo) {
  for (const auto method : {verb::get, verb::post}) {
    make_a_mess();
    const auto response = bench.send(bench.request("/reset-lab", method));
    const auto document = json::parse(response.body);
    EXPECT_EQ(response.code, http::status::ok);
    EXPECT_THAT(names_in(document), ElementsAre("status", "message", "elapsed_ms", "timestamp_utc", "pid"));
    EXPECT_EQ(document["status"], "reset");
    EXPECT_TRUE(is_fresh());
    EXPECT_EQ(json::parse(contents(bench.folder / "dependency_state.json"))["provider"]["open_events"], 0);
    EXPECT_EQ(json::parse(contents(bench.folder / "telemetry.json"))["requests"], 0);
  }
}

TEST_F(ServiceReset, HeadChangesNothing) {
  make_a_mess();
  EXPECT_EQ(bench.send(bench.request("/reset-lab", verb::head)).code, http::status::ok);
  EXPECT_FALSE(is_fresh());
}

TEST_F(ServiceReset, ARequestThatABrowserSendsAheadChangesNothing) {
  make_a_mess();
  for (const auto& sent_ahead :
       {http::header{"Sec-Purpose", "prefetch"}, http::header{"Sec-Purpose", "prefetch;prerender"},
        http::header{"Purpose", "prefetch"}, http::header{"X-Moz", "prefetch"}}) {
    const auto response = bench.send(bench.request("/reset-lab", verb::get, {sent_ahead}));
    EXPECT_EQ(response.code, http::status::service_unavailable);
    EXPECT_FALSE(is_fresh());
  }
}

TEST_F(ServiceReset, AQuoteFromBeforeItEndsAfterItWithoutHarm) {
  bench.source.does = manner::hold;
  const auto early = bench.begin(bench.request("/quote-resilient"));
  bench.get("/reset-lab");
  bench.source.let_go();
  EXPECT_EQ(bench.finish(*early).code, http::status::ok);
  EXPECT_EQ(bench.dependency.breaker_snapshot().permits_out, 0U);
  EXPECT_EQ(bench.dependency.circuit(), resilience::breaker_state::closed);
}

}  // namespace
}  // namespace quote_lab::test
