#include "http/response_head.hpp"

#include <gtest/gtest.h>

namespace quote_lab::http {
namespace {

response json_reply() {
  response reply;
  reply.content_type = "application/json; charset=utf-8";
  reply.body = "{}";
  return reply;
}

TEST(response_head, has_the_fields_of_every_answer_in_one_block) {
  auto reply = json_reply();
  reply.headers.push_back({"X-Request-Id", "req-1"});
  EXPECT_EQ(make_head(reply, {true, false, "Sun, 06 Nov 1994 08:49:37 GMT"}),
            "HTTP/1.1 200 OK\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            "Content-Type: application/json; charset=utf-8\r\n"
            "Content-Length: 2\r\n"
            "X-Request-Id: req-1\r\n"
            "\r\n");
}

TEST(response_head, says_what_becomes_of_the_connection_where_the_version_does_not) {
  EXPECT_NE(make_head(json_reply(), {false, false, ""}).find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_NE(make_head(json_reply(), {false, true, ""}).find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_NE(make_head(json_reply(), {true, true, ""}).find("\r\nConnection: keep-alive\r\n"),
            std::string::npos);
  EXPECT_EQ(make_head(json_reply(), {true, false, ""}).find("Connection"), std::string::npos);
}

TEST(response_head, has_no_length_where_there_can_be_no_body) {
  response reply;
  reply.code = status::no_content;
  reply.headers.push_back({"Allow", "GET"});
  const auto head = make_head(reply, {});
  EXPECT_TRUE(head.starts_with("HTTP/1.1 204 No Content\r\n"));
  EXPECT_EQ(head.find("Content-"), std::string::npos);
}

TEST(response_head, tells_an_empty_body) {
  EXPECT_NE(make_head(response(), {}).find("\r\nContent-Length: 0\r\n"), std::string::npos);
}

TEST(response_head, leaves_out_a_field_that_would_end_its_line_early) {
  auto reply = json_reply();
  reply.headers.push_back({"X-Echo", "a\r\nSet-Cookie: b"});
  reply.headers.push_back({"X-Bad\nName", "a"});
  reply.headers.push_back({"X-Kept", "c"});
  const auto head = make_head(reply, {});
  EXPECT_EQ(head.find("Set-Cookie"), std::string::npos);
  EXPECT_EQ(head.find("Bad"), std::string::npos);
  EXPECT_NE(head.find("\r\nX-Kept: c\r\n"), std::string::npos);
}

TEST(http_date, is_written_as_the_rfc_has_it) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(http_date(4102444799), "Thu, 31 Dec 2099 23:59:59 GMT");
}

}  // namespace
}  // namespace quote_lab::http
