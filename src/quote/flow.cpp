#include "quote/flow.hpp"

#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <resilience/manual_clock.hpp>
#include <resilience/timeout.hpp>

#include "quote/ids.hpp"

namespace asio = boost::asio;

namespace quote_lab::quote {

template <class Clock>
flow<Clock>::flow(provider::provider& source, dependency<Clock>& about, std::mt19937_64& engine,
                  jitter_range jitter, std::function<wall_time()> wall_now)
    : provider_(source),
      dependency_(about),
      engine_(engine),
      jitter_(jitter),
      wall_now_(std::move(wall_now)) {}

template <class Clock>
std::variant<outcome, asio::awaitable<outcome>> flow<Clock>::start(const quote_request& request,
                                                                   const policy& rules) {
  if (!rules.use_circuit_breaker) return run(request, rules, std::nullopt);
  auto permit = dependency_.try_acquire();
  if (permit) return run(request, rules, std::move(permit));
  outcome refused;
  refused.events.emplace_back(short_circuited{0});
  fall_back(refused, rules);
  return refused;
}

/// Parameters by value: the coroutine starts after start() has returned.
template <class Clock>
asio::awaitable<outcome> flow<Clock>::run(quote_request request, policy rules, maybe_permit permit) {
  // A cancelled quote still has an outcome, so cancellation must not throw here.
  co_await asio::this_coro::throw_if_cancelled(false);
  quote_run current{request, rules, std::move(permit), {}};
  for (bool again = true; again;) {
    again = co_await attempt(current);
    if (again) again = co_await wait_for_retry(current);
  }
  if (current.result.status == quote_status::failed) fall_back(current.result, rules);
  co_return std::move(current.result);
}

/// True when it failed and another may follow.
template <class Clock>
asio::awaitable<bool> flow<Clock>::attempt(quote_run& current) {
  const auto began = Clock::now();
  const auto number = ++current.result.attempts;
  auto work = provider_.call({current.request.mode, current.request.scenario, number});
  const auto reply = co_await resilience::with_timeout<Clock>(std::move(work), current.rules.timeout);
  const milliseconds elapsed = Clock::now() - began;

  if (!reply) co_return fail(current, failure_reason::timeout, elapsed);
  switch (*reply) {
    case provider::provider_reply::success:
      succeed(current, elapsed);
      break;
    case provider::provider_reply::failure:
      co_return fail(current, failure_reason::provider_error, elapsed);
    case provider::provider_reply::cancelled:
      cancel(current, {number, elapsed, true});
      break;
  }
  co_return false;
}

/// Waits as the policy has it, then asks the breaker. False when the client left or the breaker refuses.
template <class Clock>
asio::awaitable<bool> flow<Clock>::wait_for_retry(quote_run& current) {
  const auto began = Clock::now();
  const auto next = current.result.attempts + 1;
  const auto cancellation = co_await asio::this_coro::cancellation_state;
  if (cancellation.cancelled() != asio::cancellation_type::none) {
    cancel(current, {next, milliseconds(0), false});
    co_return false;
  }
  const resilience::backoff waits{current.rules.backoff_base, jitter_.least, jitter_.most};
  const milliseconds wait = waits.delay_before(current.result.attempts, engine_);
  if (wait.count() > 0) {
    const bool waited = co_await sleep(wait);
    if (!waited) {
      cancel(current, {next, Clock::now() - began, false});
      co_return false;
    }
    current.result.events.emplace_back(backed_off{next, wait});
  }
  if (!current.rules.use_circuit_breaker) co_return true;
  current.permit = dependency_.try_acquire();
  if (!current.permit) current.result.events.emplace_back(short_circuited{next});
  co_return current.permit.has_value();
}

/// False when it was cancelled.
template <class Clock>
asio::awaitable<bool> flow<Clock>::sleep(milliseconds wait) {
  const auto executor = co_await asio::this_coro::executor;
  asio::basic_waitable_timer<Clock> over(executor);
  over.expires_after(std::chrono::ceil<typename Clock::duration>(wait));
  const auto [error] = co_await over.async_wait(asio::as_tuple(asio::use_awaitable));
  co_return !error;
}

template <class Clock>
void flow<Clock>::succeed(quote_run& current, milliseconds elapsed) {
  auto& result = current.result;
  result.events.emplace_back(attempt_success{result.attempts, elapsed});
  known_quote live{quote_id(engine_), 47.8, "USD", wall_now_()};
  // Before the report, which may close the breaker: what is written then has the quote already.
  dependency_.remember(live);
  dependency_.report(std::exchange(current.permit, std::nullopt), resilience::outcome::success, elapsed);
  result.quote = given_quote{std::move(live), quote_source::live};
  result.status = quote_status::completed;
}

/// True when another attempt may follow. Where there is a fallback, an open breaker ends the attempts.
template <class Clock>
bool flow<Clock>::fail(quote_run& current, failure_reason reason, milliseconds elapsed) {
  auto& result = current.result;
  ++result.failed_attempts;
  result.events.emplace_back(attempt_failed{result.attempts, reason, elapsed});
  const auto recorded =
      dependency_.report(std::exchange(current.permit, std::nullopt), resilience::outcome::failure, elapsed);
  if (recorded.change && recorded.change->to == resilience::breaker_state::open) {
    result.events.emplace_back(circuit_opened{result.attempts, recorded.consecutive_failures});
  }
  const auto& rules = current.rules;
  if (rules.use_circuit_breaker && rules.allow_fallback &&
      dependency_.circuit() == resilience::breaker_state::open) {
    return false;
  }
  return result.attempts < rules.max_attempts;
}

/// A cancelled attempt says nothing about the provider: its permit is dropped.
template <class Clock>
void flow<Clock>::cancel(quote_run& current, attempt_cancelled how) {
  current.permit.reset();
  current.result.events.emplace_back(how);
  current.result.status = quote_status::cancelled;
}

template <class Clock>
void flow<Clock>::fall_back(outcome& result, const policy& rules) {
  if (!rules.allow_fallback) return;
  result.quote = given_quote{dependency_.cached(), quote_source::fallback};
  result.status = quote_status::degraded;
  if (!result.has<short_circuited>()) result.events.emplace_back(fallback_used{});
}

template class flow<std::chrono::steady_clock>;
template class flow<resilience::manual_clock>;

}  // namespace quote_lab::quote
