// The head as it lies on the wire, whole and in pieces. What Beast's parser refuses by itself is in
// request_reader_test.
#include "http/head_check.hpp"

#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace quote_lab::http {
namespace {

using namespace std::string_literals;
using state = head_check::state;

std::string with_fields(const std::string& fields) {
  return "GET /health HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n";
}

/// All at once.
head_check checked(const std::string& head, state expected, const limits& bounds) {
  head_check check(bounds);
  EXPECT_EQ(check.resume(head), expected) << head.substr(0, 200);
  return check;
}

struct refused_row {
  std::string head;
  std::string reason;
};
std::ostream& operator<<(std::ostream& out, const refused_row& row) {
  return out << row.reason << ": " << row.head.substr(0, 100);
}

class refused_head : public testing::TestWithParam<refused_row> {
 protected:
  limits bounds;
};

TEST_P(refused_head, is_refused_for_its_reason) {
  const auto check = checked(GetParam().head, state::refused, bounds);
  EXPECT_EQ(check.why().reason, GetParam().reason);
  EXPECT_TRUE(check.why().message.ends_with("."));
}

TEST_P(refused_head, is_refused_for_the_same_reason_when_it_comes_byte_by_byte) {
  head_check check(bounds);
  for (std::size_t count = 1; count <= GetParam().head.size(); ++count) {
    const auto now = check.resume(std::string_view(GetParam().head).substr(0, count));
    if (now == state::incomplete) continue;
    ASSERT_EQ(now, state::refused);
    EXPECT_EQ(check.why().reason, GetParam().reason);
    return;
  }
  FAIL() << "never refused";
}

INSTANTIATE_TEST_SUITE_P(request_line, refused_head,
                         testing::Values(refused_row{"\r\n\r\n", "bad_request_line"},
                                         refused_row{"GET\r\n\r\n", "bad_request_line"},
                                         refused_row{"GET /\r\n\r\n", "bad_request_line"},
                                         refused_row{" GET / HTTP/1.1\r\n", "bad_request_line"},
                                         refused_row{"GET / HTTP/1.1 \r\n", "bad_request_line"},
                                         refused_row{"GET  / HTTP/1.1\r\n", "bad_request_line"},
                                         refused_row{"GET / x HTTP/1.1\r\n", "bad_request_line"},
                                         refused_row{"GET / http/1.1\r\n", "bad_request_line"},
                                         refused_row{"GET / HTTP/1\x01\r\n", "bad_request_line"},
                                         refused_row{"G\x80T / HTTP/1.1\r\n", "bad_request_line"},
                                         refused_row{"GET / HTTP/1.1\n\n", "bad_header"},
                                         refused_row{"\x80\x2e\x01", "bad_request_line"}));

INSTANTIATE_TEST_SUITE_P(version, refused_head,
                         testing::Values(refused_row{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                                                     "version_not_supported"},
                                         refused_row{"GET / HTTP/2.0\r\n", "version_not_supported"},
                                         refused_row{"GET / HTTP/2\r\n", "version_not_supported"},
                                         refused_row{"GET / HTTP/3\r\n", "version_not_supported"},
                                         refused_row{"GET / HTTP/0.9\r\n", "version_not_supported"},
                                         refused_row{"GET / HTTP/1.2\r\n", "version_not_supported"}));

INSTANTIATE_TEST_SUITE_P(method, refused_head,
                         testing::Values(refused_row{"BREW / HTTP/1.1\r\n", "method_not_implemented"},
                                         refused_row{"get / HTTP/1.1\r\n", "method_not_implemented"},
                                         refused_row{"CONNECT h:443 HTTP/1.1\r\n", "method_not_implemented"},
                                         refused_row{"TRACE / HTTP/1.1\r\n", "method_not_implemented"},
                                         refused_row{std::string(100, 'A') + " / HTTP/1.1\r\n",
                                                     "method_not_implemented"}));

INSTANTIATE_TEST_SUITE_P(
    sizes, refused_head,
    testing::Values(refused_row{"GET /" + std::string(8192, 'a'), "target_too_large"},
                    refused_row{"GET /" + std::string(8192, 'a') + " HTTP/1.1\r\n", "target_too_large"},
                    refused_row{"GET / " + std::string(100, 'H'), "bad_request_line"},
                    refused_row{"GET / HTTP/1.1\r\nX: " + std::string(8200, 'a'), "head_too_large"},
                    refused_row{with_fields("X: " + std::string(8192, 'a') + "\r\n"), "head_too_large"},
                    refused_row{with_fields([] {
                                  std::string many;
                                  for (int i = 0; i < 100; ++i) many += "a:\r\n";
                                  return many;
                                }()),
                                "head_too_large"}));

INSTANTIATE_TEST_SUITE_P(fields, refused_head,
                         testing::Values(refused_row{with_fields("X: a\r\n b\r\n"), "bad_header"},
                                         refused_row{with_fields("X: a\r\n\tb\r\n"), "bad_header"},
                                         refused_row{"GET / HTTP/1.1\r\n Host: h\r\n\r\n", "bad_header"},
                                         refused_row{with_fields("X : a\r\n"), "bad_header"},
                                         refused_row{with_fields("X\t: a\r\n"), "bad_header"},
                                         refused_row{with_fields(": a\r\n"), "bad_header"},
                                         refused_row{with_fields("X a\r\n"), "bad_header"},
                                         refused_row{with_fields("X(: a\r\n"), "bad_header"},
                                         refused_row{with_fields("X: a\rb\r\n"), "bad_header"},
                                         refused_row{with_fields("X: a\0b\r\n"s), "bad_header"},
                                         refused_row{with_fields("X: \x7f\r\n"), "bad_header"},
                                         refused_row{with_fields("X: a\n"), "bad_header"},
                                         refused_row{with_fields("X: a\r\r\n"), "bad_header"}));

INSTANTIATE_TEST_SUITE_P(host, refused_head,
                         testing::Values(refused_row{"GET / HTTP/1.1\r\n\r\n", "bad_host"},
                                         refused_row{with_fields("Host: h\r\n"), "bad_host"},
                                         refused_row{"GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n",
                                                     "bad_host"}));

INSTANTIATE_TEST_SUITE_P(
    lengths, refused_head,
    testing::Values(
        refused_row{with_fields("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), "ambiguous_length"},
        refused_row{with_fields("transfer-encoding: chunked\r\ncontent-length: 1\r\n"), "ambiguous_length"},
        refused_row{with_fields("Transfer-Encoding: gzip\r\nContent-Length: 1\r\n"), "ambiguous_length"},
        refused_row{"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "bad_transfer_encoding"},
        refused_row{with_fields("Transfer-Encoding: gzip\r\n"), "transfer_encoding_not_implemented"},
        refused_row{with_fields("Transfer-Encoding: gzip, chunked\r\n"), "transfer_encoding_not_implemented"},
        refused_row{with_fields("Transfer-Encoding: xchunked\r\n"), "transfer_encoding_not_implemented"},
        refused_row{with_fields("Transfer-Encoding: identity\r\n"), "transfer_encoding_not_implemented"},
        refused_row{with_fields("Transfer-Encoding: chunked, gzip\r\n"), "bad_transfer_encoding"},
        refused_row{with_fields("Transfer-Encoding: chunked, chunked\r\n"), "bad_transfer_encoding"},
        refused_row{with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
                    "bad_transfer_encoding"},
        refused_row{with_fields("Transfer-Encoding:\r\n"), "bad_transfer_encoding"},
        refused_row{with_fields("Transfer-Encoding: ,\r\n"), "bad_transfer_encoding"}));

class sound_head : public testing::TestWithParam<std::string> {
 protected:
  limits bounds;
};

TEST_P(sound_head, is_complete_at_its_empty_line) {
  const auto check = checked(GetParam() + "what follows", state::complete, bounds);
  EXPECT_EQ(check.size(), GetParam().size());
}

TEST_P(sound_head, is_complete_at_its_last_byte_and_not_before) {
  head_check check(bounds);
  for (std::size_t count = 0; count < GetParam().size(); ++count)
    ASSERT_EQ(check.resume(std::string_view(GetParam()).substr(0, count)), state::incomplete) << count;
  EXPECT_EQ(check.resume(GetParam()), state::complete);
  EXPECT_EQ(check.size(), GetParam().size());
}

INSTANTIATE_TEST_SUITE_P(
    rows, sound_head,
    testing::Values(with_fields(""), "GET / HTTP/1.0\r\n\r\n", with_fields("X:\r\nY: a b\tc \r\n"),
                    with_fields("X: caf\xc3\xa9\r\n"), with_fields("Transfer-Encoding: Chunked\r\n"),
                    with_fields("Transfer-Encoding: , chunked ,\r\n"), with_fields("Content-Length: 5\r\n"),
                    "GET /" + std::string(8191, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(8192 - 16, 'a') + "\r\n\r\n"));

TEST(head_check, takes_a_tls_hello_for_what_it_is) {
  const limits bounds;
  checked("\x16\x03\x01\x02\x00\x01", state::not_http, bounds);
  checked("\x16", state::not_http, bounds);
}

TEST(head_check, knows_method_and_target_of_a_head_refused_for_its_fields) {
  const limits bounds;
  const std::string head = "HEAD /a?b HTTP/1.1\r\nX : c\r\n\r\n";
  const auto check = checked(head, state::refused, bounds);
  EXPECT_EQ(check.method(), verb::head);
  EXPECT_EQ(check.target_in(head), "/a?b");
}

TEST(head_check, tells_the_bound_that_was_passed) {
  limits bounds;
  bounds.max_target_bytes = 20;
  bounds.max_head_bytes = 50;
  EXPECT_NE(checked("GET /" + std::string(20, 'a'), state::refused, bounds).why().message.find("20 bytes"),
            std::string::npos);
  EXPECT_NE(checked("GET / HTTP/1.1\r\n" + std::string(51, 'a'), state::refused, bounds)
                .why()
                .message.find("50 bytes"),
            std::string::npos);
}

}  // namespace
}  // namespace quote_lab::http
