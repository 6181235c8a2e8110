// Quotes over the service: their shape, and what becomes of one that is refused, cancelled or goes wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/lab_bench.hpp"

namespace quote_lab::test {
namespace {

using http::verb;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using manner = gated_provider::manner;
using quote::mode;

TEST(ServiceQuotes, HaveTheirMembersInOrder) {
  lab_bench bench;
  for (const auto* path : {"/quote-legacy", "/quote-resilient"}) {
    const auto document = bench.get_json(path);
    EXPECT_THAT(names_in(document),
                ElementsAre("mode", "scenario", "status", "request_id", "trace_id", "customer_id", "items",
                            "quote", "attempts", "retries", "timeout_count", "events", "dependency",
                            "elapsed_ms", "timestamp_utc", "pid"));
    EXPECT_THAT(names_in(document["quote"]), ElementsAre("quote_id", "amount", "currency", "source"));
    EXPECT_THAT(names_in(document["dependency"]),
                ElementsAre("name", "circuit_status", "consecutive_failures", "last_outcome",
                            "last_latency_ms", "last_updated"));
    EXPECT_EQ(document["status"], "completed");
    EXPECT_EQ(document["customer_id"], 42);
    EXPECT_EQ(document["items"], 3);
  }
}

TEST(ServiceQuotes, AFailedLegacyQuoteIsA503WithoutAQuote) {
  lab_bench bench;
  bench.source.does = manner::fail;
  const auto response = bench.get("/quote-legacy?scenario=provider_down");
  const auto document = json::parse(response.body);
  EXPECT_EQ(response.code, http::status::service_unavailable);
  EXPECT_EQ(document["status"], "failed");
  EXPECT_EQ(document["quote"], nullptr);
  EXPECT_EQ(document["attempts"], 4);
  EXPECT_EQ(document["timeout_count"], 4);
  EXPECT_EQ(document["events"].size(), 4U);
  EXPECT_EQ(document["events"][0]["reason"], "provider_error");
}

TEST(ServiceQuotes, ADegradedQuoteIsA200WithTheCachedOne) {
  lab_bench bench;
  const auto live = bench.get_json("/quote-resilient");
  bench.source.does = manner::fail;
  const auto response = bench.get("/quote-resilient");
  const auto document = json::parse(response.body);
  EXPECT_EQ(response.code, http::status::ok);
  EXPECT_EQ(document["status"], "degraded");
  EXPECT_THAT(names_in(document["quote"]),
              ElementsAre("quote_id", "amount", "currency", "source", "cached_at"));
  EXPECT_EQ(document["quote"]["quote_id"], live["quote"]["quote_id"]);
  EXPECT_EQ(document["quote"]["source"], "fallback");
  EXPECT_EQ(document["dependency"]["circuit_status"], "open");
}

TEST(ServiceQuotes, ARefusedQuoteAsksNobody) {
  lab_bench bench;
  bench.source.does = manner::fail;
  bench.get("/quote-resilient");
  const auto calls = bench.source.calls.size();
  const auto document = bench.get_json("/quote-resilient");
  EXPECT_EQ(document["attempts"], 0);
  EXPECT_EQ(document["events"].dump(), R"([{"event":"circuit_open","action":"short_circuit","attempt":0}])");
  EXPECT_EQ(bench.source.calls.size(), calls);
}

TEST(ServiceQuotes, AnOpeningIsOnTheDiskBeforeTheAnswerIsGiven) {
  lab_bench bench;
  bench.source.does = manner::fail;
  bench.block_the_disk();
  const auto waits = bench.begin(bench.request("/quote-resilient"));
  EXPECT_FALSE(waits->answer.has_value());
  bench.free_the_disk();
  bench.finish(*waits);
  const auto saved = json::parse(contents(bench.folder / "dependency_state.json"));
  EXPECT_TRUE(saved["provider"]["opened_until"].is_number());
}

TEST(ServiceQuotes, HeadAsksForNothing) {
  lab_bench bench;
  const auto response = bench.send(bench.request("/quote-resilient", verb::head));
  EXPECT_EQ(response.code, http::status::ok);
  EXPECT_TRUE(bench.source.calls.empty());
  EXPECT_TRUE(bench.telemetry.now().incidents.empty());
  EXPECT_EQ(bench.dependency.breaker_snapshot().totals.permitted, 0U);
}

TEST(ServiceQuotes, OneTooManyIsRefusedWithATimeToTryAgain) {
  lab_bench bench;
  bench.lab.max_quotes_in_flight = 2;
  bench.source.does = manner::hold;
  const auto one = bench.begin(bench.request("/quote-legacy"));
  const auto two = bench.begin(bench.request("/quote-resilient"));
  EXPECT_EQ(bench.lab.quotes_in_flight[mode::legacy], 1U);
  EXPECT_EQ(bench.lab.quotes_in_flight[mode::resilient], 1U);
  const auto third = bench.get("/quote-legacy");
  EXPECT_EQ(third.code, http::status::service_unavailable);
  EXPECT_EQ(header_of(third, "Retry-After"), "1");
  EXPECT_THAT(third.body, HasSubstr("All 2 places"));
  EXPECT_EQ(bench.lab.refused_too_many_quotes, 1U);
  EXPECT_EQ(bench.source.calls.size(), 2U);

  bench.source.let_go();
  EXPECT_EQ(bench.finish(*one).code, http::status::ok);
  EXPECT_EQ(bench.finish(*two).code, http::status::ok);
  EXPECT_EQ(bench.get("/quote-legacy").code, http::status::ok);
  EXPECT_EQ(bench.lab.quotes_in_flight[mode::legacy] + bench.lab.quotes_in_flight[mode::resilient], 0U);
}

TEST(ServiceQuotes, AFaultInsideIsA500AndTheNextRequestIsServed) {
  lab_bench bench;
  for (const auto* path : {"/quote-legacy", "/quote-resilient"}) {
    bench.source.does = manner::throw_fault;
    const auto response = bench.get(path);
    const auto document = json::parse(response.body);
    EXPECT_EQ(response.code, http::status::internal_server_error);
    EXPECT_THAT(names_in(document),
                ElementsAre("error", "message", "path", "elapsed_ms", "timestamp_utc", "pid"));
    EXPECT_EQ(document["path"], path);
    bench.source.does = manner::succeed;
    EXPECT_EQ(bench.get(path).code, http::status::ok);
  }
  EXPECT_EQ(bench.telemetry.now().status_counts[2], 2U);
  EXPECT_EQ(bench.lab.quotes_in_flight[mode::legacy] + bench.lab.quotes_in_flight[mode::resilient], 0U);
  EXPECT_EQ(bench.dependency.breaker_snapshot().permits_out, 0U);
}

TEST(ServiceQuotes, AClientThatLeavesIsOnRecordAndNoFailure) {
  lab_bench bench;
  bench.source.does = manner::hold;
  const auto waits = bench.begin(bench.request("/quote-resilient"));
  waits->leave.emit(boost::asio::cancellation_type::terminal);
  const auto response = bench.finish(*waits);
  EXPECT_EQ(response.code, http::status::service_unavailable);
  EXPECT_TRUE(response.close);
  EXPECT_THAT(response.body, HasSubstr("client closed"));
  ASSERT_EQ(bench.telemetry.now().incidents.size(), 1U);
  EXPECT_EQ(bench.telemetry.now().incidents[0].http_status, 499);
  EXPECT_EQ(bench.telemetry.now().modes[mode::resilient].cancelled, 1U);
  EXPECT_EQ(bench.telemetry.now().status_counts[2], 0U);
  EXPECT_EQ(bench.telemetry.now().requests, 1U) << "counted once";
  EXPECT_EQ(bench.source.in_flight(mode::resilient), 0U);
  EXPECT_EQ(bench.dependency.record().consecutive_failures, 0U);
}

TEST(ServiceQuotes, AQuoteThatTheLabCancelsSaysThatItIsStopping) {
  lab_bench bench;
  bench.source.does = manner::hold;
  const auto waits = bench.begin(bench.request("/quote-legacy"));
  bench.lab.stopping = true;
  waits->leave.emit(boost::asio::cancellation_type::terminal);
  EXPECT_THAT(bench.finish(*waits).body, HasSubstr("the lab is stopping"));
  EXPECT_EQ(bench.telemetry.now().incidents[0].http_status, 503);
}

TEST(ServiceQuotes, AClientThatLeavesWhileTheDiskIsWaitedForIsNoFault) {
  lab_bench bench;
  bench.block_the_disk();
  bench.source.does = manner::fail;
  const auto quote = bench.begin(bench.request("/quote-resilient"));
  const auto state = bench.begin(bench.request("/dependency/state"));
  const auto reset = bench.begin(bench.request("/reset-lab", verb::post));
  for (const auto* each : {&quote, &state, &reset}) {
    EXPECT_FALSE((*each)->answer.has_value());
    (*each)->leave.emit(boost::asio::cancellation_type::terminal);
  }
  bench.run_ready();
  bench.free_the_disk();
  for (const auto* each : {&quote, &state, &reset}) {
    EXPECT_EQ(bench.finish(**each).code, http::status::ok);
  }
  EXPECT_EQ(bench.telemetry.now().status_counts[2], 0U);
}

}  // namespace
}  // namespace quote_lab::test
