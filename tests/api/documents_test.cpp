// The documents that are made from data alone.
#include "api/documents.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/telemetry_sample.hpp"

namespace quote_lab::api {
namespace {

using json = nlohmann::ordered_json;

TEST(Documents, TellThePoliciesInNumbers) {
  const auto document = policies_document(quote::default_policies);
  EXPECT_EQ(document["resilient"].dump(), R"({"timeout_ms":220,"max_attempts":2,"backoff_base_ms":80,)"
                                          R"("use_circuit_breaker":true,"allow_fallback":true})");
}

TEST(Documents, TellNothingOfNothing) {
  const auto document = summary_document(telemetry::state{telemetry::retention{}});
  EXPECT_EQ(document["requests_tracked"], 0);
  EXPECT_EQ(document["avg_ms"].dump(), "0");
  EXPECT_EQ(document["last_path"], nullptr);
  EXPECT_EQ(document["last_status"], 200);
  EXPECT_EQ(document["last_updated"], nullptr);
  EXPECT_EQ(document["routes"].dump(), "{}");
  EXPECT_EQ(document["recent_incidents"].dump(), "[]");
  EXPECT_EQ(document["modes"]["legacy"]["by_scenario"].dump(), "{}");
}

TEST(Documents, TellWhatWasSeen) {
  const auto document = summary_document(test::sample_telemetry());
  EXPECT_EQ(document["requests_tracked"], 3);
  EXPECT_EQ(document["sample_count"], 3);
  EXPECT_EQ(document["max_ms"], 1440.5);
  EXPECT_EQ(document["p95_ms"], 1440.5);
  EXPECT_EQ(document["routes"]["/health"]["count"], 1);
  EXPECT_EQ(document["status_counts"].dump(), R"({"2xx":1,"4xx":1,"5xx":1})");
  EXPECT_EQ(document["modes"]["resilient"]["circuit_opens"], 1);
}

TEST(Documents, ShowNoMoreIncidentsThanThereAreAndTheNewestFirst) {
  telemetry::state state{telemetry::retention{}};
  for (int i = 1; i <= 60; ++i) state.incidents.emplace_back().customer_id = i;
  EXPECT_EQ(incidents_document(state, 100).size(), 60U);
  EXPECT_EQ(incidents_document(state, 0).dump(), "[]");
  const auto two = incidents_document(state, 2);
  EXPECT_EQ(two[0]["customer_id"], 60);
  EXPECT_EQ(two[1]["customer_id"], 59);
  EXPECT_EQ(summary_document(state)["recent_incidents"].size(), 50U);
}

}  // namespace
}  // namespace quote_lab::api
