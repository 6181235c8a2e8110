// The stages of a shutdown.
#include "server_fixture.hpp"

namespace quote_lab::http {
namespace {

class server_drain : public server_test {
 protected:
  void begin_drain() {
    under_test->begin_drain();
    boost::asio::co_spawn(context, under_test->drained(), [this](std::exception_ptr) { is_drained = true; });
    test::run_ready(context);
  }
  bool is_drained = false;
};

TEST_F(server_drain, ends_at_once_when_there_are_only_idle_connections) {
  std::vector<test::raw_client> clients;
  for (int i = 0; i < 10; ++i) clients.push_back(connect());
  for (auto& client : clients) {
    client.get("/one");
    client.receive();
  }
  begin_drain();
  run_until([this] { return is_drained; });
  for (auto& client : clients) EXPECT_EQ(client.receive_until_closed(), "");
}

TEST_F(server_drain, ends_at_once_when_there_is_no_connection) {
  start();
  begin_drain();
  EXPECT_TRUE(is_drained);
}

TEST_F(server_drain, lets_running_requests_end_and_then_closes) {
  auto client = connect();
  client.get("/wait");
  run_until_in_flight(1);
  begin_drain();
  EXPECT_FALSE(is_drained);
  program.works.at(0)->release();
  const auto reply = client.receive();
  EXPECT_EQ(reply.body, "released");
  EXPECT_EQ(reply.field("Connection"), "close");
  EXPECT_EQ(client.receive_until_closed(), "");
  run_until([this] { return is_drained; });
}

TEST_F(server_drain, accepts_no_more) {
  auto client = connect();
  client.get("/wait");
  run_until_in_flight(1);
  begin_drain();
  EXPECT_THROW(connect(), boost::system::system_error);
}

TEST_F(server_drain, answers_a_request_that_was_on_its_way) {
  auto client = connect();
  client.get("/one");
  client.receive();
  auto half = connect();
  half.send("GET /half HTT");
  run_until([this] { return under_test->stats().connections_open == 2; });
  test::run_ready(context);
  client.get("/two");  // in the kernel, not read yet
  begin_drain();
  half.send("P/1.1\r\nHost: h\r\n\r\n");
  for (auto* one : {&client, &half}) {
    const auto reply = one->receive();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.field("Connection"), "close");
  }
  run_until([this] { return is_drained; });
}

/// However far the server has got with it: in the kernel, read, looked at, being answered.
TEST_F(server_drain, answers_every_request_that_was_sent_before) {
  for (const bool after_a_slow_one : {false, true}) {
    for (int handlers = 0; handlers < 8; ++handlers) {
      start();
      auto client = connect();
      if (after_a_slow_one) {
        client.get("/wait");
        run_until_in_flight(1);
        program.works.back()->release();
      } else {
        client.get("/one");
      }
      client.receive();
      test::run_ready(context);
      client.send_only("GET /two HTTP/1.1\r\nHost: h\r\n\r\n");
      context.restart();
      for (int i = 0; i < handlers; ++i) context.poll_one();
      under_test->begin_drain();
      EXPECT_EQ(client.receive().body, "GET /two ") << handlers << " handlers";
      EXPECT_EQ(client.receive_until_closed(), "");
    }
  }
}

TEST_F(server_drain, is_not_held_up_by_half_a_request_or_a_refused_client_that_stays) {
  auto half = connect();
  half.send("GET /half HTT");
  auto body = connect();
  body.send("POST /one HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc");
  auto refused = connect();
  refused.send("BREW / HTTP/1.1\r\n");
  EXPECT_EQ(refused.receive().status, 501);
  test::run_ready(context);
  begin_drain();
  EXPECT_EQ(under_test->stats().connections_open, 3U);
  under_test->check_deadlines(clock::now() + std::chrono::milliseconds(501));
  run_until([this] { return is_drained; });
  EXPECT_EQ(half.receive_until_closed(), "");
  EXPECT_EQ(body.receive_until_closed(), "");
}

TEST_F(server_drain, begins_no_pipelined_request) {
  auto client = connect();
  client.get("/wait");
  client.get("/never");
  run_until_in_flight(1);
  begin_drain();
  program.works.at(0)->release();
  EXPECT_EQ(client.receive().field("Connection"), "close");
  client.close_half();
  EXPECT_EQ(client.receive_until_closed(), "");
  EXPECT_EQ(program.seen.size(), 1U);
}

TEST_F(server_drain, cancels_what_still_runs_when_its_time_is_over_and_tells_the_client) {
  auto client = connect();
  client.get("/wait");
  run_until_in_flight(1);
  begin_drain();
  under_test->cancel_all();
  const auto reply = client.receive();
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.body, "cancelled");
  EXPECT_EQ(reply.field("Connection"), "close");
  run_until([this] { return is_drained; });
  EXPECT_EQ(under_test->stats().counted.clients_left, 0U);
}

TEST_F(server_drain, drops_half_read_requests_and_refused_clients_when_its_time_is_over) {
  auto half = connect();
  half.send("GET /half HTT");
  auto refused = connect();
  refused.send("BREW / HTTP/1.1\r\n");
  EXPECT_EQ(refused.receive().status, 501);
  begin_drain();
  EXPECT_FALSE(is_drained);
  under_test->cancel_all();
  run_until([this] { return is_drained; });
  EXPECT_EQ(half.receive_until_closed(), "");
}

TEST_F(server_drain, keeps_the_deadline_of_an_answer_being_written_when_its_time_is_over) {
  auto client = connect();
  client.get("/big");
  run_until([this] { return program.seen.size() == 1; });
  test::run_ready(context);
  begin_drain();
  under_test->cancel_all();
  test::run_ready(context);
  EXPECT_FALSE(is_drained);
  skip(std::chrono::seconds(11));
  run_until([this] { return is_drained; });
}

TEST_F(server_drain, may_be_followed_by_the_end_of_the_server) {
  auto client = connect();
  client.get("/one");
  client.receive();
  begin_drain();
  run_until([this] { return is_drained; });
  under_test.reset();
  test::run_ready(context);
}

TEST_F(server_drain, is_not_needed_before_the_end_of_the_server_when_the_context_runs_on) {
  auto idle = connect();
  auto running = connect();
  running.get("/wait");
  auto writing = connect();
  writing.get("/big");
  run_until_in_flight(1);
  test::run_ready(context);
  under_test.reset();
  EXPECT_EQ(idle.receive_until_closed(), "");
  run_until_in_flight(0);
  running.receive_until_closed();
  test::run_ready(context);
}

TEST(server_lifetime, ends_with_the_context_while_requests_run) {
  scripted_service program;
  auto context = std::make_unique<boost::asio::io_context>(1);
  auto under_test = std::make_unique<server>(*context, program, server_config());
  ASSERT_FALSE(under_test->listen());
  {
    test::raw_client client(*context, under_test->local_port());
    client.get("/wait");
    test::run_until(*context, [&] { return program.in_flight() == 1; });
    test::run_ready(*context);
  }
  under_test.reset();
  program.works.clear();  // their timers are of that context
  context.reset();
}

}  // namespace
}  // namespace quote_lab::http
