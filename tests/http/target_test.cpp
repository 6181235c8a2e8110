#include "http/target.hpp"

#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace quote_lab::http {
namespace {

using namespace std::string_literals;

struct path_row {
  std::string sent;
  std::string path;
};
std::ostream& operator<<(std::ostream& out, const path_row& row) {
  return out << row.sent;
}

class target_path : public testing::TestWithParam<path_row> {};

TEST_P(target_path, is_taken_out_of_the_target) {
  const auto parsed = parse_target(verb::get, GetParam().sent);
  ASSERT_TRUE(std::holds_alternative<target>(parsed)) << std::get<target_problem>(parsed).message;
  EXPECT_EQ(std::get<target>(parsed).path, GetParam().path);
}

INSTANTIATE_TEST_SUITE_P(plain, target_path,
                         testing::Values(path_row{"/", "/"}, path_row{"/health", "/health"},
                                         path_row{"/health/", "/health/"}, path_row{"/HEALTH", "/HEALTH"},
                                         path_row{"/health?", "/health"}, path_row{"/a?b?c", "/a"}));

INSTANTIATE_TEST_SUITE_P(empty_segments_name_no_host, target_path,
                         testing::Values(path_row{"//", "//"}, path_row{"//x/health", "//x/health"},
                                         path_row{"/a//b", "/a//b"}));

INSTANTIATE_TEST_SUITE_P(
    dot_segments, target_path,
    testing::Values(path_row{"/./health", "/health"}, path_row{"/a/../health", "/health"},
                    path_row{"/../../health", "/health"}, path_row{"/a/b/../../health", "/health"},
                    path_row{"/%2e/health", "/health"}, path_row{"/a/%2E%2e/health", "/health"},
                    path_row{"/a/.%2e/health", "/health"}, path_row{"/health/.", "/health/"},
                    path_row{"/health/x/..", "/health/"}, path_row{"/..", "/"}, path_row{"/.", "/"},
                    path_row{"/.../health", "/.../health"}, path_row{"/.health", "/.health"},
                    path_row{"/..health", "/..health"}, path_row{"//../health", "/health"},
                    path_row{"/health?/../x", "/health"}));

INSTANTIATE_TEST_SUITE_P(escapes_stay_as_sent, target_path,
                         testing::Values(path_row{"/%zz", "/%zz"}, path_row{"/%", "/%"},
                                         path_row{"/%FF", "/%FF"}, path_row{"/%68ealth", "/%68ealth"},
                                         path_row{"/a%2fb", "/a%2fb"}, path_row{"/a\"b\\c", "/a\"b\\c"}));

INSTANTIATE_TEST_SUITE_P(absolute_form, target_path,
                         testing::Values(path_row{"http://h/health", "/health"},
                                         path_row{"HTTP://h:80/health", "/health"},
                                         path_row{"https://h/health", "/health"}, path_row{"http://h", "/"},
                                         path_row{"http://h?scenario=ok", "/"},
                                         path_row{"http://[::1]:8080/a/../health", "/health"}));

class bad_target : public testing::TestWithParam<std::string> {};

TEST_P(bad_target, is_told_in_words_about_the_request) {
  const auto parsed = parse_target(verb::get, GetParam());
  ASSERT_TRUE(std::holds_alternative<target_problem>(parsed));
  EXPECT_TRUE(std::get<target_problem>(parsed).message.starts_with("The request target"));
}

INSTANTIATE_TEST_SUITE_P(rows, bad_target,
                         testing::Values("", "health", "health/", "?a=b", "*", "/a#b", "#", "/a b", "/\x01",
                                         "/\x7f", "/\x80", "/?a=\xc3\xa9", "ftp://h/health", "http:///health",
                                         "http://", "http://h:port/health", "h:443", "/a\0b"s, "/a\tb"));

TEST(target, takes_a_star_from_options_only) {
  const auto parsed = parse_target(verb::options, "*");
  ASSERT_TRUE(std::holds_alternative<target>(parsed));
  EXPECT_EQ(std::get<target>(parsed).path, "*");
}

struct query_row {
  std::string sent;
  std::vector<std::pair<std::string, std::string>> params;
};
std::ostream& operator<<(std::ostream& out, const query_row& row) {
  return out << row.sent;
}

class target_query : public testing::TestWithParam<query_row> {};

TEST_P(target_query, is_decoded_in_the_order_sent) {
  const auto parsed = parse_target(verb::get, "/quote-legacy?" + GetParam().sent);
  ASSERT_TRUE(std::holds_alternative<target>(parsed));
  std::vector<std::pair<std::string, std::string>> params;
  for (const auto& [key, value] : std::get<target>(parsed).query) params.emplace_back(key, value);
  EXPECT_EQ(params, GetParam().params);
}

INSTANTIATE_TEST_SUITE_P(
    plain, target_query,
    testing::Values(query_row{"", {}}, query_row{"scenario=ok&items=3", {{"scenario", "ok"}, {"items", "3"}}},
                    query_row{"a=1&a=2", {{"a", "1"}, {"a", "2"}}}, query_row{"strict", {{"strict", ""}}},
                    query_row{"a=", {{"a", ""}}}, query_row{"=b", {{"", "b"}}},
                    query_row{"&&a=1&", {{"a", "1"}}}, query_row{"a=b=c", {{"a", "b=c"}}},
                    query_row{"a=b?c/d", {{"a", "b?c/d"}}}));

INSTANTIATE_TEST_SUITE_P(
    escapes, target_query,
    testing::Values(query_row{"scenario=o%2Bk", {{"scenario", "o+k"}}},
                    query_row{"limit=+5", {{"limit", " 5"}}}, query_row{"limit=%0A5", {{"limit", "\n5"}}},
                    query_row{"a+b=c%20d", {{"a b", "c d"}}}, query_row{"a=%FF", {{"a", "\xff"}}},
                    query_row{"a=x%00y", {{"a", "x\0y"s}}}, query_row{"a=%C3%28", {{"a", "\xc3("}}},
                    query_row{"a%26b=%3D", {{"a&b", "="}}}));

INSTANTIATE_TEST_SUITE_P(what_is_no_escape_is_taken_literally, target_query,
                         testing::Values(query_row{"a=%", {{"a", "%"}}}, query_row{"a=%z", {{"a", "%z"}}},
                                         query_row{"a=%zz", {{"a", "%zz"}}}, query_row{"a=%4", {{"a", "%4"}}},
                                         query_row{"a=100%&b=1", {{"a", "100%"}, {"b", "1"}}},
                                         query_row{"a=%%41", {{"a", "%A"}}},
                                         query_row{"a=\"b\\c%0Ad", {{"a", "\"b\\c\nd"}}},
                                         query_row{"a={}|^`<>", {{"a", "{}|^`<>"}}},
                                         query_row{"a[0]=1", {{"a[0]", "1"}}}));

}  // namespace
}  // namespace quote_lab::http
