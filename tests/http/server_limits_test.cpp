// More connections than are allowed, or than there are descriptors; addresses that cannot be listened on.
#include <sys/resource.h>
#include <unistd.h>

#include "server_fixture.hpp"

namespace quote_lab::http {
namespace {

class server_limits : public server_test {};

TEST_F(server_limits, tell_the_client_that_is_one_too_many) {
  limits bounds;
  bounds.max_connections = 2;
  start(bounds);
  auto first = connect();
  auto second = connect();
  run_until([this] { return under_test->stats().connections_open == 2; });
  auto third = connect();
  third.get("/one");
  const auto reply = third.receive();
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.field("Retry-After"), "1");
  EXPECT_EQ(reply.field("Connection"), "close");
  EXPECT_EQ(program.refused.at(0).reason, "too_many_connections");
  EXPECT_TRUE(program.seen.empty());
  third.close();

  first.close();
  run_until([this] { return under_test->stats().connections_open == 1; });
  auto fourth = connect();
  fourth.get("/two");
  EXPECT_EQ(fourth.receive().status, 200);
}

TEST_F(server_limits, close_without_a_word_when_too_many_are_being_told) {
  limits bounds;
  bounds.max_connections = 1;
  bounds.max_turned_away_at_once = 1;
  start(bounds);
  auto served = connect();
  run_until([this] { return under_test->stats().connections_open == 1; });
  auto told = connect();
  EXPECT_EQ(told.receive().status, 503);
  auto not_told = connect();
  EXPECT_EQ(not_told.receive_until_closed(), "");
  served.get("/one");
  EXPECT_EQ(served.receive().status, 200);
}

/// Lets the process open no descriptor more for as long as it lives.
class no_more_descriptors {
 public:
  no_more_descriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now = before_;
    const int lowest_free = ::dup(0);
    ::close(lowest_free);
    now.rlim_cur = static_cast<rlim_t>(lowest_free);
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~no_more_descriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  no_more_descriptors(const no_more_descriptors&) = delete;
  no_more_descriptors& operator=(const no_more_descriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_F(server_limits, leave_a_client_in_the_backlog_until_a_descriptor_is_free) {
  auto first = connect();
  run_until([this] { return under_test->stats().connections_open == 1; });
  auto second = connect();
  {
    const no_more_descriptors none;
    run_until([this] { return under_test->stats().counted.accept_pauses == 1; });
    test::run_ready(context);
    EXPECT_EQ(under_test->stats().counted.accept_pauses, 1U) << "it spins";
    first.get("/one");
    EXPECT_EQ(first.receive().status, 200);
  }
  second.get("/two");
  EXPECT_EQ(second.receive().status, 200);
}

TEST(server_listen, tells_an_address_in_use_by_an_error) {
  boost::asio::io_context context;
  scripted_service program;
  server first(context, program, {});
  ASSERT_FALSE(first.listen());
  server_config taken;
  taken.port = first.local_port();
  server second(context, program, taken);
  EXPECT_EQ(second.listen(), boost::system::errc::address_in_use);
}

TEST(server_listen, tells_an_address_that_is_none_by_an_error) {
  boost::asio::io_context context;
  scripted_service program;
  server_config wrong;
  wrong.address = "not an address";
  server refused(context, program, wrong);
  EXPECT_TRUE(refused.listen());
  EXPECT_EQ(refused.local_port(), 0);
}

}  // namespace
}  // namespace quote_lab::http
