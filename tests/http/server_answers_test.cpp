// Requests and answers over a socket: versions, kept connections, pipelines, bodies.
#include "server_fixture.hpp"

namespace quote_lab::http {
namespace {

class server_answers : public server_test {};

TEST_F(server_answers, answers_a_request_and_keeps_the_connection) {
  auto client = connect();
  for (int i = 0; i < 3; ++i) {
    client.get("/health?a=b");
    const auto reply = client.receive();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "GET /health ");
    EXPECT_EQ(reply.field("Content-Type"), "text/plain");
    EXPECT_EQ(reply.field("Content-Length"), "12");
    EXPECT_EQ(reply.field("Connection"), std::nullopt);
    EXPECT_TRUE(reply.field("Date").has_value());
  }
  EXPECT_EQ(under_test->stats().counted.connections_accepted, 1U);
  EXPECT_EQ(under_test->stats().counted.requests, 3U);
}

TEST_F(server_answers, answers_head_with_the_fields_of_get_and_no_body) {
  auto client = connect();
  client.get("/health");
  const auto whole = client.receive();
  client.send("HEAD /health HTTP/1.1\r\nHost: h\r\n\r\n");
  const auto reply = client.receive(false);
  EXPECT_EQ(reply.field("Content-Length"), "13");  // "HEAD /health "
  EXPECT_EQ(reply.fields.size(), whole.fields.size());
  client.get("/next");
  EXPECT_EQ(client.receive().body, "GET /next ");
}

TEST_F(server_answers, sends_no_body_and_no_length_with_204) {
  auto client = connect();
  client.get("/no-content");
  client.get("/next");
  const auto reply = client.receive(false);
  EXPECT_EQ(reply.status, 204);
  EXPECT_EQ(reply.field("Content-Length"), std::nullopt);
  EXPECT_EQ(client.receive().body, "GET /next ");
}

TEST_F(server_answers, answers_one_request_that_comes_byte_by_byte) {
  auto client = connect();
  for (const char c : std::string("GET /health HTTP/1.1\r\nHost: h\r\n\r\n")) client.send(std::string(1, c));
  EXPECT_EQ(client.receive().body, "GET /health ");
  EXPECT_EQ(program.seen.size(), 1U);
}

TEST_F(server_answers, answers_pipelined_requests_in_order_though_the_first_is_slow) {
  auto client = connect();
  client.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\nGET /second HTTP/1.1\r\nHost: h\r\n\r\nGET /third HTT");
  run_until_in_flight(1);
  client.send("P/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(program.seen.size(), 1U);
  program.works.at(0)->release();
  EXPECT_EQ(client.receive().body, "released");
  EXPECT_EQ(client.receive().body, "GET /second ");
  EXPECT_EQ(client.receive().body, "GET /third ");
}

TEST_F(server_answers, reads_the_next_request_after_a_slow_one) {
  auto client = connect();
  for (std::size_t i = 0; i < 3; ++i) {
    client.get("/wait");
    run_until_in_flight(1);
    program.works.at(i)->release();
    EXPECT_EQ(client.receive().body, "released");
    client.get("/between");
    EXPECT_EQ(client.receive().body, "GET /between ");
  }
}

TEST_F(server_answers, answers_work_that_need_not_wait) {
  auto client = connect();
  for (int i = 0; i < 3; ++i) {
    client.get("/soon");
    EXPECT_EQ(client.receive().body, "soon");
  }
}

TEST_F(server_answers, closes_after_http_1_0_unless_asked_to_keep) {
  auto once = connect();
  once.send("GET /health HTTP/1.0\r\n\r\n");
  EXPECT_EQ(once.receive().field("Connection"), "close");
  bool clean = false;
  EXPECT_EQ(once.receive_until_closed(&clean), "");
  EXPECT_TRUE(clean);

  auto kept = connect();
  kept.send("GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(kept.receive().field("Connection"), "keep-alive");
  kept.get("/next");
  EXPECT_EQ(kept.receive().body, "GET /next ");
}

TEST_F(server_answers, closes_when_the_client_or_the_service_says_so) {
  auto client = connect();
  client.get("/health", "Connection: foo, CLOSE\r\n");
  EXPECT_EQ(client.receive().field("Connection"), "close");
  EXPECT_EQ(client.receive_until_closed(), "");

  auto other = connect();
  other.get("/close");
  EXPECT_EQ(other.receive().field("Connection"), "close");
  EXPECT_EQ(other.receive_until_closed(), "");
}

TEST_F(server_answers, closes_after_as_many_requests_as_are_allowed) {
  limits bounds;
  bounds.max_requests_per_connection = 2;
  start(bounds);
  auto client = connect();
  client.get("/one");
  EXPECT_EQ(client.receive().field("Connection"), std::nullopt);
  client.get("/two");
  EXPECT_EQ(client.receive().field("Connection"), "close");
  EXPECT_EQ(client.receive_until_closed(), "");
}

TEST_F(server_answers, reads_a_body_that_no_route_wants_and_goes_on) {
  auto client = connect();
  client.send("GET /one HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody");
  EXPECT_EQ(client.receive().body, "GET /one body");
  client.send("POST /two HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nmore\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive().body, "POST /two more");
  client.get("/three");
  EXPECT_EQ(client.receive().body, "GET /three ");
}

TEST_F(server_answers, never_runs_a_body_that_looks_like_a_request) {
  auto client = connect();
  const std::string inner = "GET /reset-lab HTTP/1.1\r\nHost: h\r\n\r\n";
  client.send("POST /one HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(inner.size()) +
              "\r\n\r\n" + inner);
  client.get("/two");
  client.receive();
  EXPECT_EQ(client.receive().body, "GET /two ");
  ASSERT_EQ(program.seen.size(), 2U);
}

TEST_F(server_answers, sends_a_100_to_a_client_that_waits_for_it) {
  auto client = connect();
  client.send("POST /one HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  client.send("body");
  EXPECT_EQ(client.receive().body, "POST /one body");
}

TEST_F(server_answers, sends_an_answer_that_is_larger_than_the_socket_takes_at_once) {
  auto client = connect();
  client.get("/big");
  EXPECT_EQ(client.receive().body.size(), 32U << 20U);
  client.get("/next");
  EXPECT_EQ(client.receive().body, "GET /next ");
}

TEST_F(server_answers, answers_a_fault_of_the_service_with_500_and_lives_on) {
  for (const std::string path : {"/throw", "/throw-soon"}) {
    auto client = connect();
    client.get(path);
    EXPECT_EQ(client.receive().status, 500) << path;
    EXPECT_EQ(client.receive_until_closed(), "");
  }
  auto client = connect();
  client.get("/throw-later");
  run_until_in_flight(1);
  program.works.at(0)->release();
  EXPECT_EQ(client.receive().status, 500);
  EXPECT_EQ(refused_for(refusal_reason::fault), 3U);
}

TEST_F(server_answers, answers_a_client_that_closed_its_half_after_what_needs_no_wait) {
  auto client = connect();
  client.get("/one");
  client.get("/two");
  client.close_half();
  EXPECT_EQ(client.receive().body, "GET /one ");
  EXPECT_EQ(client.receive().body, "GET /two ");
  EXPECT_EQ(client.receive_until_closed(), "");
}

}  // namespace
}  // namespace quote_lab::http
