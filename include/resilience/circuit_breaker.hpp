// The circuit breaker that callers use: a clock, the locked core, and permits.
// Who calls it: whoever calls a server that may fail. Thread-safe throughout; a breaker shared by all threads
// of a server is the normal case. It starts no thread and arms no timer: time passes only when it is called,
// so nothing of it keeps a process alive. Durations come from the steady clock alone; a wall clock that jumps
// changes nothing.
//
//   if (auto leave = breaker.try_acquire()) {
//     const bool fine = call_the_server();
//     breaker.record(std::move(*leave), fine ? outcome::success : outcome::failure);
//   }
//
// Limits: it must outlive its permits and the coroutines of execute(). It can be neither copied nor moved.
// Clock must give steady_clock's time points: steady_clock itself, or manual_clock in tests and simulations.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/system/errc.hpp>
#include <boost/system/result.hpp>
#include <boost/system/system_error.hpp>

#include <resilience/awaitable_value.hpp>
#include <resilience/breaker_config.hpp>
#include <resilience/breaker_shell.hpp>
#include <resilience/breaker_snapshot.hpp>
#include <resilience/breaker_state.hpp>
#include <resilience/error.hpp>
#include <resilience/permit.hpp>
#include <resilience/transition.hpp>

namespace resilience {

struct record_result {
  bool used = false;                       ///< false: stale, the permit was of an earlier generation
  std::optional<transition> change{};      ///< the transition that this very result caused
  std::uint32_t consecutive_failures = 0;  ///< the run after it
};

/// For execute(): each value is a success.
struct no_value_fails {
  template <class T>
  constexpr bool operator()(const T&) const noexcept {
    return false;
  }
};

template <class Clock = std::chrono::steady_clock>
class circuit_breaker {
  static_assert(std::is_same_v<typename Clock::time_point, std::chrono::steady_clock::time_point>,
                "a breaker measures durations, and a clock that can be put back does not");

 public:
  /// Throws std::invalid_argument with the sentence of problem_with(config). The only method that refuses its
  /// input.
  explicit circuit_breaker(breaker_config config = {}) : shell_(std::move(config)) {}

  /// Leave for one call, or nothing when the call is refused: it is open, or half-open with all probes out.
  /// Refusing neither throws nor allocates nor waits; it is counted as rejected.
  std::optional<permit> try_acquire() {
    if (const auto generation = shell_.acquire(Clock::now())) return permit(shell_, *generation);
    return std::nullopt;
  }

  /// Hands the permit back with the call's result. A failure while closed may open it, a probe's result may
  /// close or reopen it. A permit that is empty, or another breaker's, is not used and not counted here; the
  /// other gets it back.
  record_result record(permit&& leave, outcome how) {
    permit taken = std::move(leave);
    if (taken.giver_ != &shell_) return {.consecutive_failures = shell_.failures_in_a_row()};
    taken.giver_ = nullptr;
    const record_step step = shell_.record(taken.generation_, how, Clock::now());
    return {.used = step.used, .change = step.by_call, .consecutive_failures = step.consecutive_failures};
  }

  /// The result of a call that went round the breaker, while another policy watches the same server. It moves
  /// the run of failures and, while closed, the window; it never changes the state. What it adds counts at
  /// the next failure that is recorded.
  void observe(outcome how) { shell_.observe(how, Clock::now()); }

  /// Opens it for a whole open period, whatever happened; permits given before are stale. False, and no
  /// change, when it is open already.
  bool trip() { return shell_.trip(Clock::now()).by_call.has_value(); }

  /// Afresh: closed, run, window and totals 0. Permits given before are stale, and stay counted as out until
  /// they come back. Raises a transition if it was not closed.
  void reset() { shell_.reset(Clock::now()); }

  /// Like every call but observe(), lets time pass first: open whose period is over is half_open, which
  /// raises the transition then and there.
  breaker_state state() { return shell_.state(Clock::now()); }

  /// Lets time pass, and hands out the transition that this made. For callers who want the transition when it
  /// is due and not at the next call: call it when open_remaining() is over.
  std::optional<transition> advance() { return shell_.advance(Clock::now()); }

  /// How long it stays open; nothing unless it is open.
  std::optional<typename Clock::duration> open_remaining() { return shell_.open_remaining(Clock::now()); }

  /// All its numbers at one moment.
  breaker_snapshot snapshot() { return shell_.snapshot(Clock::now()); }

  /// Goes on where another breaker was, perhaps that of a process before this one: state, run, and how long
  /// it stays open, which is taken as it comes, neither cut to open_for nor stretched to it (ignored unless
  /// open; below 0 is 0). Raises no transition and counts none: what is restored happened before, and was
  /// told then. So restore first and add listeners afterwards. Permits given before are stale; the window is
  /// empty.
  void restore(breaker_state state, std::chrono::nanoseconds open_remaining,
               std::uint32_t failures_in_a_row) {
    shell_.restore(state, open_remaining, failures_in_a_row, Clock::now());
  }

  /// Adds a listener for good; it hears the transitions told from now on, each once, in the order they
  /// happened. It is called outside the lock by the thread that caused the transition, before that call
  /// returns; unless another listener is being called at that moment, then by that one's thread, after it. It
  /// may call the breaker. What it throws is swallowed.
  void on_transition(std::function<void(const transition&)> heard) { shell_.on_transition(std::move(heard)); }

  /// Runs `f`, which returns an awaitable<T>, if the breaker permits it; errc::circuit_open if not, and f is
  /// not called.
  /// - f's value is a success, unless `failed(value)` is true; it is handed out either way;
  /// - an exception out of f is a failure, and is carried on;
  /// - operation_aborted is neutral, for the caller left: the permit is dropped, the exception carried on.
  ///   So a time limit inside f must end in another error (errc::timeout), or the breaker does not learn of
  ///   it. circuit_open out of f, a breaker further in, is neutral too.
  /// If `failed` throws, the call is neutral. g++ 12: hand over a named lambda with std::move, not a
  /// temporary that captures something with a destructor.
  template <class F, class Failed = no_value_fails>
  auto execute(F f, Failed failed = {})
      -> boost::asio::awaitable<boost::system::result<detail::value_of_call<F>>> {
    using value_type = detail::value_of_call<F>;
    using result_type = boost::system::result<value_type>;
    auto leave = try_acquire();
    if (!leave) co_return result_type(boost::system::in_place_error, make_error_code(errc::circuit_open));

    std::optional<detail::kept_value<value_type>> value;
    try {
      if constexpr (std::is_void_v<value_type>) {
        co_await f();
        value.emplace();
      } else {
        value.emplace(co_await f());
      }
    } catch (const boost::system::system_error& thrown) {
      if (!is_neutral(thrown.code())) record(std::move(*leave), outcome::failure);
      throw;
    } catch (...) {
      record(std::move(*leave), outcome::failure);
      throw;
    }
    if constexpr (std::is_void_v<value_type>) {
      record(std::move(*leave), outcome::success);
      co_return result_type();
    } else {
      record(std::move(*leave), failed(std::as_const(*value)) ? outcome::failure : outcome::success);
      co_return result_type(boost::system::in_place_value, std::move(*value));
    }
  }

 private:
  static bool is_neutral(const boost::system::error_code& error) {
    return error == boost::system::errc::operation_canceled || error == errc::circuit_open;
  }

  breaker_shell shell_;
};

}  // namespace resilience
