// Clients that are slow, silent, or do not read. The time is skipped, not waited for.
#include "server_fixture.hpp"

namespace quote_lab::http {
namespace {

using std::chrono::seconds;

class server_deadlines : public server_test {};

TEST_F(server_deadlines, closes_an_idle_connection_without_a_word) {
  auto fresh = connect();
  auto used = connect();
  used.get("/one");
  used.receive();
  auto chatty = connect();
  chatty.send("\r\n\r\n");  // begins no request
  run_until([this] { return under_test->stats().counted.connections_accepted == 3; });
  test::run_ready(context);
  skip(seconds(59));
  test::run_ready(context);
  EXPECT_EQ(under_test->stats().connections_open, 3U);
  skip(seconds(61));
  for (auto* client : {&fresh, &used, &chatty}) EXPECT_EQ(client->receive_until_closed(), "");
  EXPECT_EQ(under_test->stats().counted.idle_timeouts, 3U);
  EXPECT_TRUE(program.refused.empty());
}

TEST_F(server_deadlines, tells_a_client_whose_head_does_not_end) {
  auto client = connect();
  client.send("GET /one HTTP/1.1\r\nHo");
  run_until([this] { return under_test->stats().counted.bytes_received > 0; });
  skip(seconds(9));
  client.send("st: h\r\n");  // what comes late does not put the deadline off
  test::run_ready(context);
  EXPECT_TRUE(program.refused.empty());
  skip(seconds(11));
  const auto reply = client.receive();
  EXPECT_EQ(reply.status, 408);
  EXPECT_EQ(reply.field("Connection"), "close");
  EXPECT_EQ(program.refused.at(0).reason, "head_timeout");
}

TEST_F(server_deadlines, does_not_serve_the_rest_of_a_request_that_was_given_up) {
  auto client = connect();
  client.send("GET /one HTTP/1.1\r\nHo");
  run_until([this] { return under_test->stats().counted.bytes_received > 0; });
  skip(seconds(11));
  EXPECT_EQ(client.receive().status, 408);
  client.send("st: h\r\n\r\n");
  client.get("/two");
  test::run_ready(context);
  EXPECT_TRUE(program.seen.empty());
  client.close_half();
  bool clean = false;
  EXPECT_EQ(client.receive_until_closed(&clean), "");
  EXPECT_TRUE(clean);
}

TEST_F(server_deadlines, tells_a_client_whose_body_does_not_end) {
  auto client = connect();
  client.send("POST /one HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc");
  run_until([this] { return under_test->stats().counted.bytes_received > 0; });
  skip(seconds(11));
  EXPECT_EQ(client.receive().status, 408);
  EXPECT_EQ(program.refused.at(0).reason, "body_timeout");
  EXPECT_EQ(program.refused.at(0).path, "/one");
}

TEST_F(server_deadlines, leave_a_request_that_runs_alone) {
  auto client = connect();
  client.get("/wait");
  run_until_in_flight(1);
  skip(seconds(3600));
  test::run_ready(context);
  EXPECT_EQ(program.in_flight(), 1U);
  program.works.at(0)->release();
  EXPECT_EQ(client.receive().body, "released");
}

TEST_F(server_deadlines, begin_afresh_for_the_request_after_a_slow_one) {
  auto client = connect();
  client.get("/wait");
  run_until_in_flight(1);
  skip(seconds(3600));
  program.works.at(0)->release();
  client.receive();
  skip(seconds(61));  // the look-ahead of the slow request is what waits for the next one now
  EXPECT_EQ(client.receive_until_closed(), "");
  EXPECT_EQ(under_test->stats().counted.idle_timeouts, 1U);
}

TEST_F(server_deadlines, cut_off_a_client_that_does_not_read) {
  auto client = connect();
  client.get("/big");
  run_until([this] { return program.seen.size() == 1; });
  test::run_ready(context);
  skip(seconds(11));
  run_until([this] { return under_test->stats().connections_open == 0; });
  EXPECT_EQ(under_test->stats().counted.write_timeouts, 1U);
  bool clean = true;
  client.receive_until_closed(&clean);
  EXPECT_FALSE(clean);
}

TEST_F(server_deadlines, end_the_wait_for_a_refused_client_to_leave) {
  auto client = connect();
  client.send("BREW /pot HTTP/1.1\r\n");
  EXPECT_EQ(client.receive().status, 501);
  test::run_ready(context);
  EXPECT_EQ(under_test->stats().connections_open, 1U);
  skip(seconds(3));
  run_until([this] { return under_test->stats().connections_open == 0; });
}

}  // namespace
}  // namespace quote_lab::http
