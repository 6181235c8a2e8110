#include "provider/simulated_provider.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <resilience/manual_clock.hpp>

#include "quote/in_flight_mark.hpp"

namespace asio = boost::asio;

namespace quote_lab::provider {
namespace {

struct range_ms {
  double least;
  double most;
};

struct plan {
  range_ms latency;
  bool success;
};

plan plan_for(quote::scenario scenario, std::uint32_t attempt) {
  switch (scenario) {
    case quote::scenario::ok:
      return {{115, 150}, true};
    case quote::scenario::slow_provider:
      return {{640, 730}, false};
    case quote::scenario::provider_down:
      return {{1000, 1000}, false};
    case quote::scenario::flaky_provider:
      if (attempt == 1) return {{520, 560}, false};
      return {{150, 195}, true};
    case quote::scenario::burst_then_recover:
      if (attempt <= 2) return {{500, 580}, false};
      return {{130, 180}, true};
  }
  return {{115, 150}, true};
}

}  // namespace

behaviour draw_behaviour(quote::scenario scenario, std::uint32_t attempt, std::mt19937_64& engine) {
  const auto [latency, success] = plan_for(scenario, attempt);
  std::uniform_real_distribution<double> evenly(latency.least, latency.most);
  return {std::chrono::duration<double, std::milli>(evenly(engine)), success};
}

template <class Clock>
asio::awaitable<provider_reply> simulated_provider<Clock>::call(provider_call what) {
  const auto executor = co_await asio::this_coro::executor;
  const quote::in_flight_mark mark(in_flight_[what.mode]);
  const auto [latency, success] = draw_behaviour(what.scenario, what.attempt, engine_);

  asio::basic_waitable_timer<Clock> answer_is_due(executor);
  answer_is_due.expires_after(std::chrono::duration_cast<typename Clock::duration>(latency));
  const auto [error] = co_await answer_is_due.async_wait(asio::as_tuple(asio::use_awaitable));
  if (error) co_return provider_reply::cancelled;
  co_return success ? provider_reply::success : provider_reply::failure;
}

template class simulated_provider<std::chrono::steady_clock>;
template class simulated_provider<resilience::manual_clock>;

}  // namespace quote_lab::provider
