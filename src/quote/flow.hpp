// The way from a request for a quote to its outcome: attempts, waits, breaker, fallback, as the policy has
// it. One flow serves both modes; what tells them apart is the policy. Called by: api/. One thread.
#pragma once

#include <random>
#include <variant>

#include <boost/asio/awaitable.hpp>

#include <resilience/backoff.hpp>

#include "provider/provider.hpp"
#include "quote/dependency.hpp"
#include "quote/outcome.hpp"
#include "quote/policy.hpp"

namespace quote_lab::quote {

/// The range that is added to each wait.
struct jitter_range {
  std::chrono::milliseconds least{15};
  std::chrono::milliseconds most{45};
};

template <class Clock>
class flow {
 public:
  /// All of them must outlive the flow and what it has started.
  flow(provider::provider& source, dependency<Clock>& about, std::mt19937_64& engine, jitter_range jitter,
       std::function<wall_time()> wall_now);

  /// A short circuit is an outcome at once, without a coroutine. Anything else is work: terminal cancellation
  /// ends the attempt or wait that is going on, and the work still ends in an outcome, `cancelled`.
  std::variant<outcome, boost::asio::awaitable<outcome>> start(const quote_request& request,
                                                               const policy& rules);

 private:
  using maybe_permit = std::optional<resilience::permit>;

  /// A quote under way.
  struct quote_run {
    quote_request request;
    policy rules;
    maybe_permit permit;
    outcome result;
  };

  boost::asio::awaitable<outcome> run(quote_request request, policy rules, maybe_permit permit);
  boost::asio::awaitable<bool> attempt(quote_run& current);
  boost::asio::awaitable<bool> wait_for_retry(quote_run& current);
  boost::asio::awaitable<bool> sleep(milliseconds wait);

  void succeed(quote_run& current, milliseconds elapsed);
  bool fail(quote_run& current, failure_reason reason, milliseconds elapsed);
  void cancel(quote_run& current, attempt_cancelled how);
  void fall_back(outcome& result, const policy& rules);

  provider::provider& provider_;
  dependency<Clock>& dependency_;
  std::mt19937_64& engine_;
  jitter_range jitter_;
  std::function<wall_time()> wall_now_;
};

}  // namespace quote_lab::quote
