#include "http/router.hpp"

#include <gtest/gtest.h>

namespace quote_lab::http {
namespace {

router lab_routes(std::string prefix) {
  std::vector<route> routes;
  routes.push_back({"/", {verb::get}, {}});
  routes.push_back({"/health", {verb::get}, {}});
  routes.push_back({"/reset-lab", {verb::get, verb::post}, {}});
  return router(std::move(routes), std::move(prefix));
}

const route* route_found(const lookup& looked_up) {
  const auto* hit = std::get_if<found>(&looked_up.result);
  return hit == nullptr ? nullptr : hit->to;
}

TEST(router, finds_a_route_by_its_whole_path) {
  const auto routes = lab_routes("");
  const auto hit = routes.find(verb::get, "/health");
  ASSERT_NE(route_found(hit), nullptr);
  EXPECT_EQ(route_found(hit)->path, "/health");
  for (const std::string_view path :
       {"/health/", "/HEALTH", "/healt", "/healthy", "//", "//x/health", "", "/%zz"})
    EXPECT_TRUE(std::holds_alternative<not_found>(routes.find(verb::get, path).result)) << path;
}

TEST(router, allows_head_wherever_get_is) {
  const auto routes = lab_routes("");
  EXPECT_NE(route_found(routes.find(verb::head, "/reset-lab")), nullptr);
  EXPECT_NE(route_found(routes.find(verb::post, "/reset-lab")), nullptr);
}

TEST(router, tells_a_method_that_a_route_has_not_from_a_path_that_is_none) {
  const auto routes = lab_routes("");
  const auto refused = routes.find(verb::delete_, "/reset-lab");
  ASSERT_TRUE(std::holds_alternative<method_not_allowed>(refused.result));
  EXPECT_EQ(std::get<method_not_allowed>(refused.result).allow, "GET, HEAD, POST, OPTIONS");
  EXPECT_TRUE(std::holds_alternative<not_found>(routes.find(verb::delete_, "/nothing").result));
  EXPECT_TRUE(std::holds_alternative<not_found>(routes.find(verb::options, "/nothing").result));
}

TEST(router, names_each_allowed_method_once) {
  const auto routes = lab_routes("");
  EXPECT_EQ(std::get<options_asked>(routes.find(verb::options, "/health").result).allow,
            "GET, HEAD, OPTIONS");
  EXPECT_EQ(std::get<options_asked>(routes.find(verb::options, "*").result).allow,
            "GET, HEAD, POST, OPTIONS");

  std::vector<route> doubled;
  doubled.push_back({"/x", {verb::get, verb::head, verb::get, verb::options}, {}});
  const router once(std::move(doubled));
  EXPECT_EQ(std::get<method_not_allowed>(once.find(verb::put, "/x").result).allow, "GET, HEAD, OPTIONS");
}

TEST(router, reaches_each_route_with_and_without_the_prefix) {
  const auto routes = lab_routes("/04");
  EXPECT_EQ(route_found(routes.find(verb::get, "/04"))->path, "/");
  EXPECT_EQ(route_found(routes.find(verb::get, "/04/"))->path, "/");
  EXPECT_EQ(route_found(routes.find(verb::get, "/04/health"))->path, "/health");
  EXPECT_EQ(route_found(routes.find(verb::get, "/health"))->path, "/health");
  EXPECT_EQ(route_found(routes.find(verb::get, "/04health")), nullptr);
  EXPECT_EQ(route_found(routes.find(verb::get, "/04/04/health")), nullptr);
  EXPECT_EQ(routes.find(verb::get, "/04/nothing").path, "/nothing");
  EXPECT_EQ(routes.find(verb::get, "/04health").path, "/04health");
}

TEST(router, knows_no_prefix_when_it_is_empty) {
  const auto routes = lab_routes("");
  EXPECT_EQ(route_found(routes.find(verb::get, "/04/health")), nullptr);
  EXPECT_EQ(routes.find(verb::get, "/04/health").path, "/04/health");
}

TEST(router, runs_what_a_route_was_given) {
  std::vector<route> routes;
  routes.push_back({"/greet", {verb::get}, [](request& asked) {
                      response reply;
                      reply.body = "hello " + asked.path;
                      return answer(std::move(reply));
                    }});
  const router greeting(std::move(routes));
  request asked;
  asked.path = "/greet";
  const auto given = route_found(greeting.find(verb::get, asked.path))->run(asked);
  EXPECT_EQ(std::get<response>(given).body, "hello /greet");
}

}  // namespace
}  // namespace quote_lab::http
