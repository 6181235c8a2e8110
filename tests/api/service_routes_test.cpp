// Which request leads where, and the shape that every answer has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/lab_bench.hpp"
#include "api/routes.hpp"

namespace quote_lab::test {
namespace {

using http::verb;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> last_three(const json& document) {
  auto names = names_in(document);
  return {names.end() - 3, names.end()};
}

std::size_t counted_under(const lab_bench& bench, std::string_view route) {
  const auto& routes = bench.telemetry.now().routes;
  const auto found = routes.find(route);
  return found == routes.end() ? 0 : found->second.values().size();
}

TEST(ServiceRoutes, EachAnswersAtItsPathAndUnderThePrefix) {
  lab_bench bench;
  for (const auto& route : api::routes()) {
    for (const std::string prefix : {"", "/04"}) {
      const auto response = bench.get(prefix + std::string(route.path) + std::string(route.example));
      EXPECT_EQ(response.code, http::status::ok) << prefix << route.path;
    }
  }
}

TEST(ServiceRoutes, EachJsonAnswerEndsInTheSameThreeMembers) {
  lab_bench bench;
  for (const auto& route : api::routes()) {
    if (route.path == "/metrics-prometheus") continue;
    const auto response = bench.get(std::string(route.path));
    EXPECT_EQ(response.content_type, "application/json; charset=utf-8") << route.path;
    EXPECT_THAT(last_three(json::parse(response.body)), ElementsAre("elapsed_ms", "timestamp_utc", "pid"))
        << route.path;
    EXPECT_FALSE(response.body.ends_with('\n'));
    EXPECT_TRUE(response.body.starts_with("{\n  \"")) << "indented by two";
    EXPECT_EQ(header_of(response, "Cache-Control"), "no-store");
  }
}

TEST(ServiceRoutes, EachIsCountedUnderItsPathWithoutThePrefixOrNotAtAll) {
  for (const auto& route : api::routes()) {
    lab_bench bench;
    bench.get("/04" + std::string(route.path));
    EXPECT_EQ(counted_under(bench, route.path), route.counted ? 1U : 0U) << route.path;
    EXPECT_EQ(bench.telemetry.now().requests, route.counted ? 1U : 0U) << route.path;
  }
  EXPECT_FALSE(api::find_route("/metrics")->counted);
  EXPECT_FALSE(api::find_route("/metrics-prometheus")->counted);
  EXPECT_FALSE(api::find_route("/reset-lab")->counted);
  EXPECT_TRUE(api::find_route("/health")->counted);
}

TEST(ServiceRoutes, ThePrefixAloneIsTheRoot) {
  lab_bench bench;
  EXPECT_EQ(bench.get_json("/04")["lab"], bench.get_json("/")["lab"]);
  EXPECT_EQ(bench.get_json("/04/")["lab"], bench.get_json("/")["lab"]);
}

TEST(ServiceRoutes, APrefixThatIsSwitchedOffIsNoRoute) {
  lab_bench bench("");
  EXPECT_EQ(bench.get("/04/health").code, http::status::not_found);
  EXPECT_EQ(bench.get("/health").code, http::status::ok);
}

TEST(ServiceRoutes, WhatIsNoRouteIsA404WithThePathAlone) {
  lab_bench bench;
  for (const std::string path : {"/nowhere", "/health/", "/HEALTH", "//", "/040/health"}) {
    const auto response = bench.get(path + "?secret=1");
    const auto document = json::parse(response.body);
    EXPECT_EQ(response.code, http::status::not_found);
    EXPECT_THAT(names_in(document), ElementsAre("error", "path", "elapsed_ms", "timestamp_utc", "pid"));
    EXPECT_EQ(document["path"], path);
  }
  EXPECT_EQ(counted_under(bench, telemetry::unmatched_route), 5U) << "all in one place";
  EXPECT_EQ(bench.telemetry.now().routes.size(), 1U);
  EXPECT_EQ(bench.telemetry.now().status_counts[1], 5U);
}

TEST(ServiceRoutes, AMethodThatARouteHasNotIsA405ThatNamesThoseItHas) {
  lab_bench bench;
  const auto response = bench.send(bench.request("/04/health", verb::post));
  const auto document = json::parse(response.body);
  EXPECT_EQ(response.code, http::status::method_not_allowed);
  EXPECT_EQ(header_of(response, "Allow"), "GET, HEAD, OPTIONS");
  EXPECT_THAT(names_in(document),
              ElementsAre("error", "message", "path", "elapsed_ms", "timestamp_utc", "pid"));
  EXPECT_THAT(document["message"].get<std::string>(), HasSubstr("POST"));
  EXPECT_EQ(document["path"], "/health");
  EXPECT_EQ(counted_under(bench, "/health"), 1U);
}

TEST(ServiceRoutes, OptionsTellsTheMethodsAndDoesNothing) {
  lab_bench bench;
  const auto of_reset = bench.send(bench.request("/reset-lab", verb::options));
  EXPECT_EQ(of_reset.code, http::status::no_content);
  EXPECT_EQ(header_of(of_reset, "Allow"), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(of_reset.body, "");
  const auto of_all = bench.send(bench.request("*", verb::options));
  EXPECT_EQ(of_all.code, http::status::no_content);
  EXPECT_EQ(header_of(of_all, "Allow"), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(bench.send(bench.request("/nowhere", verb::options)).code, http::status::not_found);
}

TEST(ServiceRoutes, HeadHasTheFieldsOfGet) {
  lab_bench bench;
  for (const auto* path : {"/", "/health", "/dependency/state", "/incidents", "/metrics"}) {
    const auto got = bench.get(path);
    const auto head = bench.send(bench.request(path, verb::head));
    EXPECT_EQ(head.code, got.code) << path;
    EXPECT_EQ(head.content_type, got.content_type) << path;
    EXPECT_EQ(names_in(json::parse(head.body)), names_in(json::parse(got.body))) << "its length is told";
  }
}

TEST(ServiceRoutes, TheRequestIdThatCameIsAnswered) {
  lab_bench bench;
  const auto response =
      bench.send(bench.request("/health", verb::get, {{"X-Request-Id", "from-the-client_1.2"}}));
  EXPECT_EQ(header_of(response, "X-Request-Id"), "from-the-client_1.2");
  const auto forged = bench.send(bench.request("/health", verb::get, {{"X-Request-Id", "a\"b"}}));
  EXPECT_THAT(header_of(forged, "X-Request-Id"), ::testing::MatchesRegex("req-[0-9a-f]{8}"));
}

TEST(ServiceRoutes, WhatCouldNotBeReadIsRefusedInTheSameShape) {
  lab_bench bench;
  http::refusal why;
  why.code = http::status::uri_too_long;
  why.reason = "target_too_large";
  why.message = "The target is 9000 bytes; allowed are 8192.";
  why.path = "/04/health";
  const auto response = bench.service->refuse(why);
  const auto document = json::parse(response.body);
  EXPECT_EQ(response.code, http::status::uri_too_long);
  EXPECT_THAT(names_in(document),
              ElementsAre("error", "message", "path", "elapsed_ms", "timestamp_utc", "pid"));
  EXPECT_EQ(document["message"], why.message);
  EXPECT_EQ(document["path"], "/health");
  EXPECT_EQ(bench.telemetry.now().status_counts[1], 1U);
}

TEST(ServiceRoutes, ABrowserGetsThePageAndAProgramTheDocument) {
  lab_bench bench;
  const auto page = bench.send(bench.request("/", verb::get, {{"Accept", "text/html,*/*;q=0.8"}}));
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(header_of(page, "Vary"), "Accept");
  EXPECT_NE(header_of(page, "Content-Security-Policy"), "");
  const auto document = bench.send(bench.request("/", verb::get, {{"Accept", "*/*"}}));
  EXPECT_EQ(document.content_type, "application/json; charset=utf-8");
  EXPECT_EQ(header_of(document, "Vary"), "Accept");
}

}  // namespace
}  // namespace quote_lab::test
