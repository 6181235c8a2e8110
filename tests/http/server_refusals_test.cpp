// What is no request, or over a limit, as the client sees it. Each rule by itself is in head_check_test and
// request_reader_test; here it is that the answer arrives, and what becomes of the connection.
#include "server_fixture.hpp"

namespace quote_lab::http {
namespace {

class server_refusals : public server_test {
 protected:
  /// Sends the bytes and a whole request after them, which must never run.
  test::raw_client refused_client(const std::string& bytes, int status) {
    auto client = connect();
    client.send(bytes);
    client.get("/smuggled");
    const auto reply = client.receive();
    EXPECT_EQ(reply.status, status) << bytes.substr(0, 100);
    EXPECT_EQ(reply.field("Connection"), "close");
    client.close_half();
    bool clean = false;
    EXPECT_EQ(client.receive_until_closed(&clean), "");
    EXPECT_TRUE(clean) << "the answer could have been lost to a reset";
    EXPECT_TRUE(program.seen.empty());
    return client;
  }
};

TEST_F(server_refusals, are_answered_and_close_the_connection) {
  const std::string post = "POST / HTTP/1.1\r\nHost: h\r\n";
  refused_client("GET health HTTP/1.1\r\nHost: h\r\n\r\n", 400);
  refused_client("GET / HTTP/1.1\r\n\r\n", 400);
  refused_client(post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
  refused_client(post + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n", 400);
  refused_client(post + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400);
  refused_client(post + "Expect: wonders\r\n\r\n", 417);
  refused_client("GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(9000, 'a') + "\r\n\r\n", 431);
  refused_client("BREW / HTTP/1.1\r\nHost: h\r\n\r\n", 501);
  refused_client(post + "Transfer-Encoding: gzip\r\n\r\n", 501);
  refused_client("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505);
}

TEST_F(server_refusals, of_a_large_body_reach_a_client_that_is_still_sending) {
  auto client = connect();
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n");
  for (int i = 0; i < 100; ++i) client.send(std::string(10'000, 'x'));
  EXPECT_EQ(client.receive().status, 413);
}

TEST_F(server_refusals, of_a_target_without_end_come_before_its_end) {
  auto client = connect();
  client.send("GET /" + std::string(8192, 'a'));
  EXPECT_EQ(client.receive().status, 414);
}

TEST_F(server_refusals, of_head_requests_have_no_body) {
  auto client = connect();
  client.send("HEAD / HTTP/1.1\r\n\r\n");
  const auto reply = client.receive(false);
  EXPECT_EQ(reply.status, 400);
  EXPECT_NE(reply.field("Content-Length"), "0");
  client.close_half();
  EXPECT_EQ(client.receive_until_closed(), "");
}

TEST_F(server_refusals, do_not_take_back_the_answers_before_them) {
  auto client = connect();
  client.get("/one");
  client.send("GET two HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(client.receive().status, 400);
}

TEST_F(server_refusals, are_counted_by_reason_until_the_counters_are_reset) {
  refused_client("GET health HTTP/1.1\r\nHost: h\r\n\r\n", 400);
  refused_client("BREW / HTTP/1.1\r\nHost: h\r\n\r\n", 501);
  EXPECT_EQ(refused_for(refusal_reason::bad_target), 1U);
  EXPECT_EQ(refused_for(refusal_reason::method_not_implemented), 1U);
  EXPECT_EQ(refused_for(refusal_reason::bad_host), 0U);
  under_test->reset_stats();
  EXPECT_EQ(refused_for(refusal_reason::bad_target), 0U);
  EXPECT_EQ(under_test->stats().counted.connections_accepted, 0U);
}

TEST_F(server_refusals, tell_nothing_to_who_speaks_another_protocol_or_leaves_in_the_middle) {
  auto tls = connect();
  tls.send("\x16\x03\x01\x02\x00\x01");
  EXPECT_EQ(tls.receive_until_closed(), "");
  EXPECT_EQ(under_test->stats().counted.not_http, 1U);

  auto half = connect();
  half.send("GET /one HTT");
  half.close_half();
  EXPECT_EQ(half.receive_until_closed(), "");
  EXPECT_TRUE(program.refused.empty());
}

TEST_F(server_refusals, follow_an_answer_with_close_without_losing_it) {
  auto client = connect();
  client.send("GET /close HTTP/1.1\r\nHost: h\r\n\r\nGET /never HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.receive().body, "GET /close ");
  client.close_half();
  bool clean = false;
  EXPECT_EQ(client.receive_until_closed(&clean), "");
  EXPECT_TRUE(clean);
  EXPECT_EQ(program.seen.size(), 1U);
}

}  // namespace
}  // namespace quote_lab::http
