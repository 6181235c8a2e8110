// circuit_breaker::execute: which end of a coroutine is a success, a failure, or neither.
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/result.hpp>
#include <gtest/gtest.h>

#include <resilience/circuit_breaker.hpp>
#include <resilience/manual_clock.hpp>
#include <resilience/timeout.hpp>

#include "resilience/support/print.hpp"
#include "resilience/support/stepped.hpp"

namespace resilience {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using testing::sleep_for;
using testing::start;
using testing::started;

using breaker_type = circuit_breaker<manual_clock>;
template <class T>
using guarded = started<boost::system::result<T>>;

awaitable<int> answer_after(manual_clock::duration span, int value) {
  co_await sleep_for(span);
  co_return value;
}

awaitable<int> throw_code(boost::system::error_code error) {
  co_await sleep_for(1ms);
  throw boost::system::system_error(error);
}

class Execute : public ::testing::Test, testing::from_the_epoch {
 protected:
  boost::asio::io_context context;
  breaker_type breaker{{.rule = consecutive_failures{1}, .open_for = 30s}};

  void make_half_open() {
    breaker.trip();
    manual_clock::advance(30s);
    ASSERT_EQ(breaker.state(), breaker_state::half_open);
  }
};

TEST_F(Execute, GivesTheValueAndRecordsASuccess) {
  guarded<int> call;
  start(context, call, breaker.execute([] { return answer_after(10ms, 7); }));
  run_until_idle(context);
  EXPECT_EQ(call.value.value().value(), 7);
  EXPECT_EQ(breaker.snapshot().totals.successes, 1U);
}

TEST_F(Execute, WorksForACallWithoutAValue) {
  guarded<void> call;
  start(context, call, breaker.execute([] { return sleep_for(10ms); }));
  run_until_idle(context);
  EXPECT_TRUE(call.value.value().has_value());
  EXPECT_EQ(breaker.snapshot().totals.successes, 1U);
}

TEST_F(Execute, RefusesAtOnceWithCircuitOpenAndNeverMakesTheCallWhileOpen) {
  breaker.trip();
  int made = 0;
  guarded<int> call;
  start(context, call, breaker.execute([&made] {
    ++made;
    return answer_after(10ms, 7);
  }));
  run_ready(context);
  EXPECT_EQ(call.value.value().error(), errc::circuit_open);
  EXPECT_EQ(made, 0);
}

TEST_F(Execute, TakesAnExceptionForAFailureAndCarriesItOn) {
  guarded<int> call;
  start(context, call, breaker.execute([] { return throw_code(boost::asio::error::connection_refused); }));
  run_until_idle(context);
  EXPECT_EQ(call.error(), boost::asio::error::connection_refused);
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

TEST_F(Execute, TakesAnyOtherExceptionForAFailureToo) {
  guarded<int> call;
  start(context, call, breaker.execute([]() -> awaitable<int> { throw std::logic_error("not of Asio"); }));
  run_until_idle(context);
  EXPECT_THROW(std::rethrow_exception(call.thrown), std::logic_error);
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

TEST_F(Execute, AsksThePredicateWhichValueIsAFailureAndHandsTheValueOutEitherWay) {
  const auto is_server_error = [](int status) { return status >= 500; };
  guarded<int> fine;
  start(context, fine, breaker.execute([] { return answer_after(1ms, 404); }, is_server_error));
  run_until_idle(context);
  EXPECT_EQ(breaker.state(), breaker_state::closed);
  guarded<int> bad;
  start(context, bad, breaker.execute([] { return answer_after(1ms, 503); }, is_server_error));
  run_until_idle(context);
  EXPECT_EQ(bad.value.value().value(), 503);
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

TEST_F(Execute, TakesAPredicateThatThrowsForNeutral) {
  guarded<int> call;
  const auto broken = [](int) -> bool { throw std::logic_error("the predicate's own"); };
  start(context, call, breaker.execute([] { return answer_after(1ms, 1); }, broken));
  run_until_idle(context);
  EXPECT_THROW(std::rethrow_exception(call.thrown), std::logic_error);
  EXPECT_EQ(breaker.snapshot().totals.neutral, 1U);
  EXPECT_EQ(breaker.state(), breaker_state::closed);
}

TEST_F(Execute, StaysClosedWhenAHundredCallersCancel) {
  for (int i = 0; i < 100; ++i) {
    guarded<int> call;
    start(context, call, breaker.execute([] { return answer_after(1h, 7); }));
    run_for(context, 1ms);
    call.cancel.emit(boost::asio::cancellation_type::terminal);
    run_ready(context);
    ASSERT_EQ(call.error(), boost::asio::error::operation_aborted);
  }
  EXPECT_EQ(breaker.snapshot().totals.neutral, 100U);
  EXPECT_EQ(breaker.snapshot().consecutive_failures, 0U);
  EXPECT_EQ(breaker.state(), breaker_state::closed);
}

TEST_F(Execute, LeavesTheFailuresOfBeforeWhenACallerCancels) {
  breaker.observe(outcome::failure);
  guarded<int> call;
  start(context, call, breaker.execute([] { return answer_after(1h, 7); }));
  run_ready(context);
  call.cancel.emit(boost::asio::cancellation_type::terminal);
  run_ready(context);
  EXPECT_EQ(breaker.snapshot().consecutive_failures, 1U);
}

TEST_F(Execute, TakesTheRefusalOfABreakerFurtherInForNeutral) {
  breaker_type inner;
  inner.trip();
  for (int i = 0; i < 100; ++i) {
    guarded<int> call;
    start(context, call, breaker.execute([&inner]() -> awaitable<int> {
      const auto made = co_await inner.execute([] { return answer_after(1ms, 7); });
      co_return made.value();
    }));
    run_until_idle(context);
    ASSERT_EQ(call.error(), errc::circuit_open);
  }
  EXPECT_EQ(breaker.state(), breaker_state::closed);
  EXPECT_EQ(breaker.snapshot().totals.neutral, 100U);
}

TEST_F(Execute, FreesTheProbesPlaceWhenTheProbeIsCutByAShorterTimeoutOutside) {
  make_half_open();
  started<std::optional<boost::system::result<int>>> probe;
  auto guarded_call = breaker.execute([] { return answer_after(1h, 7); });
  start(context, probe, with_timeout<manual_clock>(std::move(guarded_call), 100ms));
  run_ready(context);
  EXPECT_EQ(breaker.snapshot().probes_out, 1U);
  run_for(context, 100ms);
  EXPECT_TRUE(probe.ended);
  EXPECT_EQ(probe.value.value(), std::nullopt);
  EXPECT_EQ(breaker.snapshot().probes_out, 0U);
  EXPECT_EQ(breaker.state(), breaker_state::half_open);

  guarded<int> next;
  start(context, next, breaker.execute([] { return answer_after(1ms, 7); }));
  run_until_idle(context);
  EXPECT_EQ(next.value.value().value(), 7);
  EXPECT_EQ(breaker.state(), breaker_state::closed);
}

TEST_F(Execute, LearnsOfATimeoutInsideTheCallThatEndsInItsOwnError) {
  guarded<int> call;
  start(context, call, breaker.execute([]() -> awaitable<int> {
    const auto in_time = co_await with_timeout<manual_clock>(answer_after(1h, 7), 100ms);
    if (!in_time) throw boost::system::system_error(make_error_code(errc::timeout));
    co_return *in_time;
  }));
  run_for(context, 100ms);
  EXPECT_EQ(call.error(), errc::timeout);
  EXPECT_EQ(breaker.state(), breaker_state::open);
}

TEST_F(Execute, KeepsNothingWaitingWhileTheBreakerIsOpen) {
  guarded<int> call;
  start(context, call, breaker.execute([] { return throw_code(boost::asio::error::connection_refused); }));
  run_for(context, 1ms);
  ASSERT_EQ(breaker.state(), breaker_state::open);
  EXPECT_EQ(run_ready(context), std::nullopt);
  context.restart();
  EXPECT_EQ(context.run(), 0U) << "no timer and no work of the breaker's keeps a process alive";
}

TEST_F(Execute, GivesThePermitBackWhenTheContextIsDestroyedInTheMiddle) {
  auto own = std::make_unique<boost::asio::io_context>();
  guarded<int> call;
  start(*own, call, breaker.execute([] { return answer_after(1h, 7); }));
  run_ready(*own);
  EXPECT_EQ(breaker.snapshot().permits_out, 1U);
  own.reset();
  EXPECT_EQ(breaker.snapshot().permits_out, 0U);
}

struct without_default {
  explicit without_default(std::string text) : said(std::move(text)) {}
  std::string said;
};

TEST_F(Execute, BearsAValueWithoutADefaultAndACallThatOwnsThings) {
  guarded<std::string> call;
  auto work = [text = std::string(100, 'x')]() -> awaitable<without_default> {
    co_await sleep_for(1ms);
    co_return without_default(text);
  };
  const auto caller = [](breaker_type& guard, auto made) -> awaitable<boost::system::result<std::string>> {
    auto answer = co_await guard.execute(std::move(made));
    co_return answer.value().said;
  };
  start(context, call, caller(breaker, std::move(work)));
  run_until_idle(context);
  EXPECT_EQ(call.value.value().value(), std::string(100, 'x'));
}

}  // namespace
}  // namespace resilience
