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

enum class ending { success, timeout, provider_error, cancelled };

template <class Clock>
struct flow<Clock>::attempt_end {
  ending how = ending::cancelled;
  std::uint32_t number = 0;
  milliseconds elapsed{0};
};

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
  const resilience::backoff waits{rules.backoff_base, jitter_.least, jitter_.most};
  outcome so_far;
  for (std::uint32_t number = 1; number <= rules.max_attempts; ++number) {
    if (number > 1) {
      const milliseconds wait = waits.delay_before(number - 1, engine_);
      if (wait.count() > 0) {
        const auto began = Clock::now();
        const bool waited = co_await wait_for(wait);
        if (!waited) {
          so_far.events.emplace_back(attempt_cancelled{number, Clock::now() - began, false});
          so_far.status = quote_status::cancelled;
          co_return so_far;
        }
        so_far.events.emplace_back(backed_off{number, wait});
      }
      if (rules.use_circuit_breaker) {
        permit = dependency_.try_acquire();
        if (!permit) {
          so_far.events.emplace_back(short_circuited{number});
          break;
        }
      }
    }
    so_far.attempts = number;
    const provider::provider_call call(request.mode, request.scenario, number);
    const attempt_end end = co_await attempt(call, rules.timeout);
    if (end.how == ending::cancelled) {
      so_far.events.emplace_back(attempt_cancelled{number, end.elapsed, true});
      so_far.status = quote_status::cancelled;
      co_return so_far;
    }
    if (end.how == ending::success) {
      succeed(so_far, end, std::move(permit));
      co_return so_far;
    }
    fail(so_far, end, rules, std::exchange(permit, std::nullopt));
    if (rules.use_circuit_breaker && rules.allow_fallback &&
        dependency_.circuit() == resilience::breaker_state::open)
      break;
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) {
      so_far.status = quote_status::cancelled;
      co_return so_far;
    }
  }
  fall_back(so_far, rules);
  co_return so_far;
}

template <class Clock>
asio::awaitable<typename flow<Clock>::attempt_end> flow<Clock>::attempt(provider::provider_call call,
                                                                        std::chrono::milliseconds timeout) {
  const auto began = Clock::now();
  auto work = provider_.call(call);
  const auto reply = co_await resilience::with_timeout<Clock>(std::move(work), timeout);
  attempt_end end;
  end.number = call.attempt;
  end.elapsed = Clock::now() - began;
  if (!reply) {
    end.how = ending::timeout;
  } else if (*reply == provider::provider_reply::success) {
    end.how = ending::success;
  } else if (*reply == provider::provider_reply::failure) {
    end.how = ending::provider_error;
  }
  co_return end;
}

/// False when it was cancelled.
template <class Clock>
asio::awaitable<bool> flow<Clock>::wait_for(milliseconds wait) {
  const auto executor = co_await asio::this_coro::executor;
  asio::basic_waitable_timer<Clock> over(executor);
  over.expires_after(std::chrono::ceil<typename Clock::duration>(wait));
  const auto [error] = co_await over.async_wait(asio::as_tuple(asio::use_awaitable));
  co_return !error;
}

template <class Clock>
void flow<Clock>::succeed(outcome& so_far, const attempt_end& end, maybe_permit permit) {
  so_far.events.emplace_back(attempt_success{end.number, end.elapsed});
  dependency_.report(std::move(permit), resilience::outcome::success, end.elapsed);
  known_quote live{quote_id(engine_), 47.8, "USD", wall_now_()};
  dependency_.remember(live);
  so_far.quote = given_quote{std::move(live), quote_source::live};
  so_far.status = quote_status::completed;
}

template <class Clock>
void flow<Clock>::fail(outcome& so_far, const attempt_end& end, const policy& rules, maybe_permit permit) {
  const auto reason = end.how == ending::timeout ? failure_reason::timeout : failure_reason::provider_error;
  ++so_far.failed_attempts;
  so_far.events.emplace_back(attempt_failed{end.number, reason, end.elapsed});
  const auto recorded = dependency_.report(std::move(permit), resilience::outcome::failure, end.elapsed);
  if (rules.use_circuit_breaker && recorded.change &&
      recorded.change->to == resilience::breaker_state::open) {
    so_far.events.emplace_back(circuit_opened{end.number, recorded.consecutive_failures});
  }
}

template <class Clock>
void flow<Clock>::fall_back(outcome& so_far, const policy& rules) {
  if (!rules.allow_fallback) return;
  so_far.quote = given_quote{dependency_.record().cached, quote_source::fallback};
  so_far.status = quote_status::degraded;
  if (!so_far.has<short_circuited>()) so_far.events.emplace_back(fallback_used{});
}

template class flow<std::chrono::steady_clock>;
template class flow<resilience::manual_clock>;

}  // namespace quote_lab::quote
