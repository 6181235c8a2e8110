// Requests as bytes, whole and in pieces, without a socket.
#include "http/request_reader.hpp"

#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace quote_lab::http {
namespace {

using namespace std::string_literals;
using step = request_reader::step;

class reading {
 public:
  explicit reading(const limits& bounds = {}) : bounds_(bounds) {}

  /// Gives the bytes in pieces, as they might come, until the reader says something. The rest is left in the
  /// buffer.
  step feed(std::string_view bytes, std::size_t piece = 1'000'000) {
    step now = reader.resume(in);
    while (now == step::need_more && !bytes.empty()) {
      const auto room = in.prepare(reader.max_buffered_bytes());
      const auto count = std::min({piece, room.size(), bytes.size()});
      bytes.copy(room.data(), count);
      in.commit(count);
      bytes.remove_prefix(count);
      now = reader.resume(in);
    }
    left = bytes;
    return now;
  }

 private:
  limits bounds_;

 public:
  receive_buffer in;
  request_reader reader{bounds_};
  std::string left;
};

const std::string get_health = "GET /health?a=1 HTTP/1.1\r\nHost: h\r\nX-One: 1\r\n\r\n";

std::string post(const std::string& fields, const std::string& body) {
  return "POST /reset-lab HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n" + body;
}

TEST(request_reader, takes_method_path_query_headers_and_body) {
  reading one;
  ASSERT_EQ(one.feed(post("Content-Length: 5\r\nX-Two:  b c \r\n", "hello")), step::complete);
  const auto& taken = one.reader.taken();
  EXPECT_EQ(taken.method, verb::post);
  EXPECT_EQ(taken.path, "/reset-lab");
  EXPECT_TRUE(taken.query.empty());
  EXPECT_EQ(taken.find_header("x-two"), "b c");
  EXPECT_EQ(taken.headers.front().name, "Host");
  EXPECT_EQ(taken.body, "hello");
}

struct sound_row {
  std::string name;
  std::string bytes;
  std::string body;
};
std::ostream& operator<<(std::ostream& out, const sound_row& row) {
  return out << row.name;
}

class sound_request : public testing::TestWithParam<sound_row> {};

TEST_P(sound_request, is_read_whole_and_leaves_what_follows) {
  reading one;
  ASSERT_EQ(one.feed(GetParam().bytes + get_health), step::complete);
  EXPECT_EQ(one.reader.taken().body, GetParam().body);
  one.reader.restart();
  ASSERT_EQ(one.feed(""), step::complete);
  EXPECT_EQ(one.reader.taken().path, "/health");
  EXPECT_TRUE(one.in.empty());
}

TEST_P(sound_request, is_the_same_request_when_it_comes_byte_by_byte) {
  reading one;
  ASSERT_EQ(one.feed(GetParam().bytes, 1), step::complete);
  EXPECT_EQ(one.reader.taken().body, GetParam().body);
  EXPECT_TRUE(one.left.empty());
  EXPECT_TRUE(one.in.empty());
}

INSTANTIATE_TEST_SUITE_P(
    rows, sound_request,
    testing::Values(
        sound_row{"get", get_health, ""}, sound_row{"leading_empty_line", "\r\n" + get_health, ""},
        sound_row{"body_on_get", "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc", "abc"},
        sound_row{"length_0", post("Content-Length: 0\r\n", ""), ""},
        sound_row{"same_length_twice", post("Content-Length: 2\r\nContent-Length: 2\r\n", "ab"), "ab"},
        sound_row{"chunked",
                  post("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n"),
                  "abc0123456789"},
        sound_row{"empty_chunked", post("Transfer-Encoding: chunked\r\n", "0\r\n\r\n"), ""},
        sound_row{"chunked_with_trailers",
                  post("Transfer-Encoding: chunked\r\n", "1\r\na\r\n0\r\nX-Trailer: t\r\n\r\n"), "a"},
        sound_row{"body_like_a_request",
                  post("Content-Length: 41\r\n", "GET /reset-lab HTTP/1.1\r\nHost: attacker\r\n"),
                  "GET /reset-lab HTTP/1.1\r\nHost: attacker\r\n"}));

TEST(request_reader, does_not_take_trailers_for_headers) {
  reading one;
  ASSERT_EQ(one.feed(post("Transfer-Encoding: chunked\r\n", "0\r\nX-Request-Id: late\r\n\r\n")),
            step::complete);
  EXPECT_EQ(one.reader.taken().find_header("X-Request-Id"), std::nullopt);
}

struct refused_row {
  std::string bytes;
  std::string reason;
};
std::ostream& operator<<(std::ostream& out, const refused_row& row) {
  return out << row.reason << ": " << row.bytes.substr(0, 120);
}

class refused_request : public testing::TestWithParam<refused_row> {};

TEST_P(refused_request, is_refused_in_words_about_the_request) {
  for (const std::size_t piece : {std::size_t{1'000'000}, std::size_t{1}}) {
    reading one;
    ASSERT_EQ(one.feed(GetParam().bytes, piece), step::refused) << "in pieces of " << piece;
    EXPECT_EQ(one.reader.why().reason, GetParam().reason);
    for (const auto* word : {"Beast", "beast", "Boost", "boost", "parser", "error"})
      EXPECT_EQ(one.reader.why().message.find(word), std::string::npos) << one.reader.why().message;
  }
}

INSTANTIATE_TEST_SUITE_P(targets, refused_request,
                         testing::Values(refused_row{"GET health HTTP/1.1\r\nHost: h\r\n\r\n", "bad_target"},
                                         refused_row{"GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n", "bad_target"},
                                         refused_row{"GET /\xc3\xa9 HTTP/1.1\r\nHost: h\r\n\r\n",
                                                     "bad_target"},
                                         refused_row{"GET * HTTP/1.1\r\nHost: h\r\n\r\n", "bad_target"},
                                         refused_row{"GET /a\tb HTTP/1.1\r\nHost: h\r\n\r\n", "bad_target"}));

INSTANTIATE_TEST_SUITE_P(
    lengths, refused_request,
    testing::Values(refused_row{post("Content-Length: 1\r\nContent-Length: 2\r\n", "ab"),
                                "bad_content_length"},
                    refused_row{post("Content-Length: 1, 2\r\n", "ab"), "bad_content_length"},
                    refused_row{post("Content-Length: +2\r\n", "ab"), "bad_content_length"},
                    refused_row{post("Content-Length: -2\r\n", "ab"), "bad_content_length"},
                    refused_row{post("Content-Length: 0x2\r\n", "ab"), "bad_content_length"},
                    refused_row{post("Content-Length: 2 2\r\n", "ab"), "bad_content_length"},
                    refused_row{post("Content-Length:\r\n", "ab"), "bad_content_length"},
                    refused_row{post("Content-Length: 99999999999999999999\r\n", "ab"), "bad_content_length"},
                    refused_row{post("Content-Length: 18446744073709551617\r\n", "a"), "bad_content_length"},
                    refused_row{post("Content-Length: 65537\r\n", ""), "body_too_large"},
                    refused_row{post("Transfer-Encoding: chunked\r\n", "10001\r\n"), "body_too_large"}));

INSTANTIATE_TEST_SUITE_P(
    chunks, refused_request,
    testing::Values(
        refused_row{post("Transfer-Encoding: chunked\r\n", "x\r\nabc"), "bad_chunk"},
        refused_row{post("Transfer-Encoding: chunked\r\n", "\r\nabc\r\n"), "bad_chunk"},
        refused_row{post("Transfer-Encoding: chunked\r\n", "-1\r\nabc\r\n"), "bad_chunk"},
        refused_row{post("Transfer-Encoding: chunked\r\n", "1\r\nab\r\n0\r\n\r\n"), "bad_chunk"},
        refused_row{post("Transfer-Encoding: chunked\r\n", "11111111111111111\r\nab\r\n"), "bad_chunk"},
        refused_row{post("Transfer-Encoding: chunked\r\n", "1;" + std::string(20'000, 'x')), "bad_chunk"},
        refused_row{post("Transfer-Encoding: chunked\r\n", "0\r\nX: " + std::string(20'000, 'x')),
                    "bad_chunk"}));

INSTANTIATE_TEST_SUITE_P(others, refused_request,
                         testing::Values(refused_row{post("Expect: wonders\r\n", ""),
                                                     "expectation_not_supported"},
                                         refused_row{post("Connection: @\r\n", ""), "bad_header"},
                                         refused_row{"\r" + get_health, "bad_request_line"}));

TEST(request_reader, tells_the_path_of_a_refused_request_where_it_is_known) {
  const std::pair<std::string, std::string> rows[] = {
      {post("Content-Length: x\r\n", ""), "/reset-lab"},
      {post("X : y\r\n", ""), "/reset-lab"},
      {"BREW /pot?a HTTP/1.1\r\n", "/pot"},
      {"CONNECT h:443 HTTP/1.1\r\n", ""},
      {"GET /\xff HTTP/1.1\r\nHost: h\r\n\r\n", ""},
      {"\x80", ""},
  };
  for (const auto& [bytes, path] : rows) {
    reading one;
    ASSERT_EQ(one.feed(bytes), step::refused);
    EXPECT_EQ(one.reader.why().path, path) << bytes;
  }
}

TEST(request_reader, asks_for_a_100_once_and_only_when_the_body_is_not_there_yet) {
  const auto head = post("Expect: 100-Continue\r\nContent-Length: 2\r\n", "");
  reading waiting;
  EXPECT_EQ(waiting.feed(head), step::send_continue);
  EXPECT_EQ(waiting.feed("a"), step::need_more);
  EXPECT_EQ(waiting.feed("b"), step::complete);

  reading eager;
  EXPECT_EQ(eager.feed(head + "ab"), step::complete);
  reading without_body;
  EXPECT_EQ(without_body.feed(post("Expect: 100-continue\r\n", "")), step::complete);
  reading too_large;
  EXPECT_EQ(too_large.feed(post("Expect: 100-continue\r\nContent-Length: 70000\r\n", "")), step::refused);
  reading old;
  EXPECT_EQ(old.feed("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"),
            step::need_more);
}

TEST(request_reader, knows_whether_the_connection_may_be_kept) {
  const std::pair<std::string, bool> rows[] = {
      {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", true},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: foo, CLOSE\r\n\r\n", false},
      {"GET / HTTP/1.0\r\n\r\n", false},
      {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true},
  };
  for (const auto& [bytes, kept] : rows) {
    reading one;
    ASSERT_EQ(one.feed(bytes), step::complete);
    EXPECT_EQ(one.reader.keep_alive(), kept) << bytes;
  }
}

TEST(request_reader, has_not_begun_a_request_while_only_empty_lines_came) {
  reading one;
  EXPECT_EQ(one.feed("\r\n\r\n\r"), step::need_more);
  EXPECT_EQ(one.reader.now_at(), request_reader::phase::waiting);
  EXPECT_EQ(one.feed("\nG"), step::need_more);
  EXPECT_EQ(one.reader.now_at(), request_reader::phase::head);
}

}  // namespace
}  // namespace quote_lab::http
