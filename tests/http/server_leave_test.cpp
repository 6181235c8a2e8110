// Clients that leave while their request runs, in each way there is.
#include <functional>

#include "server_fixture.hpp"

namespace quote_lab::http {
namespace {

struct way {
  const char* name;
  std::function<void(test::raw_client&)> leave;
};

class server_leave : public server_test, public testing::WithParamInterface<way> {};

TEST_P(server_leave, cancels_the_work_of_a_client_that_is_gone) {
  auto client = connect();
  client.get("/wait");
  run_until_in_flight(1);
  GetParam().leave(client);
  run_until_in_flight(0);
  EXPECT_TRUE(program.works.at(0)->cancelled);
  run_until([this] { return under_test->stats().connections_open == 0; });
  EXPECT_EQ(under_test->stats().counted.clients_left, 1U);
  EXPECT_EQ(program.seen.size(), 1U);
}

const std::string next_request = "GET /next HTTP/1.1\r\nHost: h\r\n\r\n";

INSTANTIATE_TEST_SUITE_P(ways, server_leave,
                         testing::Values(way{"fin", [](test::raw_client& client) { client.close(); }},
                                         way{"rst", [](test::raw_client& client) { client.reset(); }},
                                         way{"half_close",
                                             [](test::raw_client& client) { client.close_half(); }},
                                         way{"pipelined_then_fin",
                                             [](test::raw_client& client) {
                                               client.send(next_request);
                                               client.close();
                                             }},
                                         way{"pipelined_then_rst",
                                             [](test::raw_client& client) {
                                               client.send(next_request);
                                               client.reset();
                                             }},
                                         way{"half_a_request_then_fin",
                                             [](test::raw_client& client) {
                                               client.send("GET /next HT");
                                               client.close();
                                             }}),
                         [](const auto& each) { return each.param.name; });

class server_leaving : public server_test {};

TEST_F(server_leaving, a_client_that_closed_only_its_half_still_reads_the_answer) {
  auto client = connect();
  client.get("/wait");
  run_until_in_flight(1);
  client.close_half();
  const auto reply = client.receive();
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.body, "cancelled");
  EXPECT_EQ(reply.field("Connection"), "close");
  bool clean = false;
  EXPECT_EQ(client.receive_until_closed(&clean), "");
  EXPECT_TRUE(clean);
}

TEST_F(server_leaving, is_noticed_when_the_client_was_gone_before_the_work_began) {
  auto client = connect();
  client.get("/wait");
  client.close();
  run_until([this] { return under_test->stats().counted.clients_left == 1; });
  run_until_in_flight(0);
}

TEST_F(server_leaving, is_noticed_in_the_second_slow_request_of_a_connection) {
  auto client = connect();
  client.get("/wait");
  run_until_in_flight(1);
  program.works.at(0)->release();
  client.receive();
  client.get("/wait");
  run_until([this] { return program.works.size() == 2; });
  client.close();
  run_until_in_flight(0);
  EXPECT_FALSE(program.works.at(0)->cancelled);
  EXPECT_TRUE(program.works.at(1)->cancelled);
}

TEST_F(server_leaving, is_noticed_behind_more_pipelined_bytes_than_are_read_ahead) {
  auto client = connect();
  client.get("/wait");
  run_until_in_flight(1);
  std::string many;
  while (many.size() < 40'000) many += next_request;
  client.send(many);
  test::run_ready(context);
  EXPECT_EQ(program.in_flight(), 1U);
  client.close();
  skip(std::chrono::seconds(0));
  run_until_in_flight(0);
  EXPECT_TRUE(program.works.at(0)->cancelled);
}

TEST_F(server_leaving, more_pipelined_bytes_than_are_read_ahead_are_all_answered) {
  auto client = connect();
  client.get("/wait");
  run_until_in_flight(1);
  std::string many;
  std::size_t count = 0;
  for (; many.size() < 40'000; ++count) many += next_request;
  client.send(many);
  test::run_ready(context);
  skip(std::chrono::seconds(0));
  EXPECT_LE(under_test->stats().counted.bytes_received, limits().max_pipelined_bytes + 100);
  program.works.at(0)->release();
  EXPECT_EQ(client.receive().body, "released");
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(client.receive().body, "GET /next ");
}

TEST_F(server_leaving, work_that_ended_does_not_cancel_the_next) {
  auto client = connect();
  client.get("/wait");
  run_until_in_flight(1);
  program.works.at(0)->release();
  client.receive();
  client.get("/wait");
  run_until([this] { return program.works.size() == 2; });
  test::run_ready(context);
  EXPECT_FALSE(program.works.at(1)->ended);
  program.works.at(1)->release();
  EXPECT_EQ(client.receive().body, "released");
}

TEST_F(server_leaving, many_clients_leave_nothing_behind) {
  std::vector<test::raw_client> clients;
  for (int i = 0; i < 50; ++i) {
    clients.push_back(connect());
    clients.back().get("/wait");
  }
  run_until_in_flight(50);
  EXPECT_EQ(under_test->stats().requests_running, 50U);
  for (auto& client : clients) client.close();
  run_until_in_flight(0);
  run_until([this] { return under_test->stats().connections_open == 0; });
  EXPECT_EQ(under_test->stats().counted.clients_left, 50U);
}

}  // namespace
}  // namespace quote_lab::http
