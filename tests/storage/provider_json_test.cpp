// dependency_state.json: what is written is read back, the Node.js case's file is read too, and what has the
// wrong type is refused by name.
#include "storage/provider_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/json_members.hpp"

namespace quote_lab::storage {
namespace {

using quote::from_iso8601;
using resilience::breaker_state;
using ::testing::HasSubstr;

/// As the Node.js case writes it, breaker open.
constexpr auto node_open = R"({
  "provider": {
    "name": "carrier-gateway",
    "consecutive_failures": 2,
    "opened_until": 1796053471930,
    "last_outcome": "failure",
    "last_latency_ms": 221.37,
    "last_updated": "2026-11-30T15:44:01.930Z",
    "open_events": 1,
    "short_circuit_count": 4,
    "fallback_quote": {
      "quote_id": "cached-quote-seed",
      "amount": 47.8,
      "currency": "USD",
      "source": "cached",
      "cached_at": "2026-11-30T15:40:00.000Z"
    }
  }
})";

quote::provider_record a_record() {
  quote::provider_record record;
  record.consecutive_failures = 3;
  record.opened_until = from_iso8601("2026-11-30T15:44:31.930Z");
  record.last_outcome = quote::last_outcome::failure;
  record.last_latency = quote::milliseconds(219.5);
  record.last_updated = from_iso8601("2026-11-30T15:44:01.930Z");
  record.open_events = 5;
  record.short_circuit_count = 6;
  record.cached = {"quote-0123456789", 12.25, "EUR", *from_iso8601("2026-11-30T15:43:00.001Z")};
  record.circuit = breaker_state::open;
  return record;
}

json file_of(breaker_state circuit, std::uint32_t failures) {
  auto record = a_record();
  record.circuit = circuit;
  record.consecutive_failures = failures;
  if (circuit != breaker_state::open) record.opened_until.reset();
  return dependency_state_json(record);
}

std::string refusal_of(const json& file) {
  try {
    read_dependency_state(file);
    return "";
  } catch (const unreadable& problem) {
    return problem.what();
  }
}

TEST(ProviderJson, ShowsMillisecondsWithTwoDecimalsAtMostAndWholeWhereTheyAreWhole) {
  const std::vector<std::pair<double, std::string>> table{
      {0, "0"},     {-0.001, "0"},        {1, "1"},       {219.5, "219.5"}, {0.005, "0.01"}, {1.234, "1.23"},
      {1.999, "2"}, {360.0000001, "360"}, {47.8, "47.8"}, {-1.5, "-1.5"}};
  for (const auto& [ms, text] : table) EXPECT_EQ(ms_json(ms).dump(), text) << ms;
}

TEST(ProviderJson, MillisecondsOfAnySizeAreAJsonNumber) {
  for (const double ms : {1e12, 1e13, 1e15, 1e300, 1.7e308, -1.7e308}) {
    EXPECT_NE(ms_json(ms).dump(), "null") << ms;
    EXPECT_EQ(json::parse(ms_json(ms).dump()).get<double>(), ms);
  }
}

TEST(ProviderJson, HasItsMembersInTheOrderOfTheCase) {
  const auto document = provider_json(a_record());
  std::vector<std::string> names;
  for (const auto& [name, value] : document.items()) names.push_back(name);
  EXPECT_THAT(names, ::testing::ElementsAre("name", "consecutive_failures", "opened_until", "last_outcome",
                                            "last_latency_ms", "last_updated", "open_events",
                                            "short_circuit_count", "fallback_quote"));
  EXPECT_EQ(provider_json(a_record())["fallback_quote"].dump(),
            R"({"quote_id":"quote-0123456789","amount":12.25,"currency":"EUR","source":"cached",)"
            R"("cached_at":"2026-11-30T15:43:00.001Z"})");
}

TEST(ProviderJson, ReadsBackWhatItWrote) {
  const auto written = dependency_state_json(a_record());
  const auto read = read_dependency_state(json::parse(written.dump()));
  EXPECT_EQ(dependency_state_json(read).dump(), written.dump());
  EXPECT_EQ(read.circuit, breaker_state::open);
  EXPECT_EQ(read.opened_until, a_record().opened_until);
  EXPECT_EQ(read.last_latency, a_record().last_latency);
  EXPECT_EQ(read.cached.at, a_record().cached.at);
}

TEST(ProviderJson, ReadsBackARecordThatHasSeenNothing) {
  quote::provider_record fresh;
  fresh.cached = quote::seed_quote(*from_iso8601("2026-11-30T12:00:00.000Z"));
  const auto written = dependency_state_json(fresh);
  EXPECT_EQ(dependency_state_json(read_dependency_state(written)).dump(), written.dump());
}

TEST(ProviderJson, TakesOverAFileOfTheNodeCase) {
  const auto record = read_dependency_state(json::parse(node_open));
  EXPECT_EQ(record.name, "carrier-gateway");
  EXPECT_EQ(record.circuit, breaker_state::open);
  EXPECT_EQ(record.opened_until, from_iso8601("2026-11-30T15:44:31.930Z"));
  EXPECT_EQ(record.consecutive_failures, 2U);
  EXPECT_EQ(record.last_outcome, quote::last_outcome::failure);
  EXPECT_EQ(record.last_latency, quote::milliseconds(221.37));
  EXPECT_EQ(record.short_circuit_count, 4U);
  EXPECT_EQ(record.cached.quote_id, "cached-quote-seed");
}

TEST(ProviderJson, WritesWhatTheNodeCaseReads) {
  const auto node = json::parse(node_open);
  const auto ours = dependency_state_json(read_dependency_state(node));
  EXPECT_EQ(ours["provider"].dump(), node["provider"].dump());
}

TEST(ProviderJson, AClosedFileOfTheNodeCaseIsClosedWhateverOurOwnMemberSays) {
  auto file = json::parse(node_open);
  file["provider"]["opened_until"] = nullptr;
  EXPECT_EQ(read_dependency_state(file).circuit, breaker_state::closed);
  file["breaker"] = {{"state", "open"}};
  EXPECT_EQ(read_dependency_state(file).circuit, breaker_state::closed);
}

TEST(ProviderJson, HalfOpenSurvivesWhateverTheRunOfFailures) {
  EXPECT_EQ(read_dependency_state(file_of(breaker_state::half_open, 2)).circuit, breaker_state::half_open);
  EXPECT_EQ(read_dependency_state(file_of(breaker_state::half_open, 0)).circuit, breaker_state::half_open);
  EXPECT_EQ(read_dependency_state(file_of(breaker_state::closed, 2)).circuit, breaker_state::closed);
}

TEST(ProviderJson, HalfOpenIsOverOnceTheNodeCaseHasHeardOfTheProvider) {
  auto file = file_of(breaker_state::half_open, 2);
  file["provider"]["last_updated"] = "2026-11-30T18:00:00.123Z";
  EXPECT_EQ(read_dependency_state(file).circuit, breaker_state::closed);
}

TEST(ProviderJson, AnEndBeyondTheClockIsAsFarAsTheClockGoes) {
  auto file = json::parse(node_open);
  for (const double ms : {4.1e12, 8e12, 8.64e15}) {
    file["provider"]["opened_until"] = ms;
    EXPECT_GT(*read_dependency_state(file).opened_until, *from_iso8601("2099-01-01T00:00:00.000Z")) << ms;
  }
  for (const double ms : {-1.0, 8.65e15, 1e300}) {
    file["provider"]["opened_until"] = ms;
    EXPECT_THAT(refusal_of(file), HasSubstr("opened_until")) << ms;
  }
}

TEST(ProviderJson, RefusesEveryMemberOfTheWrongTypeByName) {
  const auto good = json::parse(node_open);
  const std::vector<json> values{json(true), json("text"),  json(12.5),
                                 json(-1),   json::array(), json::object()};
  for (const auto& [name, right] : good["provider"].items()) {
    for (const auto& wrong : values) {
      const bool number = name == "last_latency_ms" || name == "opened_until";
      const bool same_kind = (wrong.is_string() && name == "name") || (wrong == 12.5 && number) ||
                             (wrong == -1 && name == "last_latency_ms") ||
                             (wrong.is_object() && name == "fallback_quote");
      if (same_kind) continue;
      auto file = good;
      file["provider"][name] = wrong;
      EXPECT_THAT(refusal_of(file), HasSubstr(name)) << wrong;
    }
  }
}

TEST(ProviderJson, RefusesAWrongCachedQuoteByName) {
  for (const auto* name : {"quote_id", "amount", "currency", "cached_at"}) {
    auto file = json::parse(node_open);
    file["provider"]["fallback_quote"][name] = json::array();
    EXPECT_THAT(refusal_of(file), HasSubstr(name));
  }
}

TEST(ProviderJson, RefusesAFileThatIsNoObjectOrHasNoProvider) {
  for (const auto* text : {"[]", "\"hi\"", "null", "1", "{}", R"({"provider":null})", R"({"provider":[]})"}) {
    EXPECT_NE(refusal_of(json::parse(text)), "") << text;
  }
}

TEST(ProviderJson, DoesNotMindMembersItDoesNotKnow) {
  auto file = json::parse(node_open);
  file["provider"]["more"] = json::array({1, 2});
  file["even_more"] = "x";
  EXPECT_EQ(refusal_of(file), "");
}

}  // namespace
}  // namespace quote_lab::storage
