// A flow on the bench: everything it needs, under the manual clock, so that a storm of a second and a half
// takes a millisecond and ends at the same nanosecond each time. Called by: the tests of the flow.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <resilience/manual_clock.hpp>

#include "provider/simulated_provider.hpp"
#include "quote/flow.hpp"
#include "resilience/support/stepped.hpp"
#include "support/scripted_provider.hpp"
#include "support/wall_clock.hpp"

namespace quote_lab::test {

using resilience::manual_clock;

/// One event in words, without its durations.
struct event_in_words {
  static std::string number(std::uint32_t n) { return std::to_string(n); }

  std::string operator()(const quote::attempt_failed& e) const {
    return "attempt " + number(e.attempt) + " failed: " + std::string(to_string(e.reason));
  }
  std::string operator()(const quote::attempt_success& e) const {
    return "attempt " + number(e.attempt) + " succeeded";
  }
  std::string operator()(const quote::attempt_cancelled& e) const {
    return "attempt " + number(e.attempt) + (e.begun ? " cancelled" : " cancelled before it began");
  }
  std::string operator()(const quote::backed_off& e) const { return "waited for " + number(e.attempt); }
  std::string operator()(const quote::circuit_opened& e) const {
    return "opened at " + number(e.attempt) + " after " + number(e.consecutive_failures);
  }
  std::string operator()(const quote::short_circuited& e) const { return "refused at " + number(e.attempt); }
  std::string operator()(const quote::fallback_used&) const { return "fell back"; }
};

inline std::vector<std::string> story_of(const quote::outcome& outcome) {
  std::vector<std::string> story;
  for (const auto& each : outcome.events) story.push_back(std::visit(event_in_words{}, each));
  return story;
}

/// A quote that was asked for. Must live until it has ended or its context is gone.
struct asked_quote {
  manual_clock::time_point began = manual_clock::now();
  std::optional<quote::outcome> at_once;  ///< set when no coroutine was needed
  resilience::testing::started<quote::outcome> work;

  bool ended() const { return at_once.has_value() || work.ended; }
  const quote::outcome& result() const { return at_once ? *at_once : work.value.value(); }
  quote::milliseconds took() const { return at_once ? quote::milliseconds{0} : work.ended_at - began; }
  void cancel() { work.cancel.emit(boost::asio::cancellation_type::terminal); }
};

class flow_bench {
 public:
  using quote_ptr = std::unique_ptr<asked_quote>;
  using scripted = scripted_provider<manual_clock>;

  explicit flow_bench(std::uint64_t seed = 1, resilience::breaker_config breaker = lab_breaker())
      : engine(seed), dependency(std::move(breaker), wall.reader()) {}

  /// Two failures in a row, 30 s, one probe: what the lab runs with.
  static resilience::breaker_config lab_breaker() {
    resilience::breaker_config config;
    config.rule = resilience::consecutive_failures{2};
    config.open_for = std::chrono::seconds(30);
    return config;
  }

  /// From now on calls do what the plan says, and no longer what the scenario says.
  void script(std::function<scripted::step(const provider::provider_call&)> plan) {
    source.plan = std::move(plan);
    in_use_ = &over_scripted_;
  }
  void script(manual_clock::duration latency, bool success) {
    script([=](const auto&) { return scripted::step{latency, success}; });
  }
  void unscript() { in_use_ = &over_simulated_; }

  quote_ptr ask(quote::mode mode, quote::scenario scenario, const quote::policy& rules) {
    auto asked = std::make_unique<asked_quote>();
    quote::quote_request request;
    request.mode = mode;
    request.scenario = scenario;
    auto begun = in_use_->start(request, rules);
    if (auto* work = std::get_if<boost::asio::awaitable<quote::outcome>>(&begun)) {
      resilience::testing::start(*context, asked->work, std::move(*work));
    } else {
      asked->at_once = std::get<quote::outcome>(std::move(begun));
    }
    return asked;
  }
  quote_ptr ask(quote::mode mode, quote::scenario scenario) {
    return ask(mode, scenario, quote::default_policies[mode]);
  }
  quote_ptr ask_legacy(quote::scenario scenario) { return ask(quote::mode::legacy, scenario); }
  quote_ptr ask_resilient(quote::scenario scenario) { return ask(quote::mode::resilient, scenario); }

  /// Asks, and lets time pass until the quote has ended.
  quote::outcome finish(quote_ptr asked) {
    resilience::run_until_idle(*context);
    return asked->result();
  }

  void run_for(manual_clock::duration span) { resilience::run_for(*context, span); }
  void run_ready() { resilience::run_ready(*context); }
  void run_until_idle() { resilience::run_until_idle(*context); }

  std::uint32_t calls_in_flight() const {
    std::uint32_t count = 0;
    for (const auto mode : quote::all_modes) count += simulated_.in_flight(mode) + source.in_flight(mode);
    return count;
  }

  /// Opens it the way it opens in the lab: a resilient quote that fails twice.
  void open_the_breaker() {
    finish(ask_resilient(quote::scenario::provider_down));
    ASSERT_EQ(dependency.circuit(), resilience::breaker_state::open);
  }
  void make_half_open() {
    open_the_breaker();
    manual_clock::advance(std::chrono::seconds(30));
    ASSERT_EQ(dependency.circuit(), resilience::breaker_state::half_open);
  }

 private:
  resilience::testing::from_the_epoch at_the_epoch_;

 public:
  wall_clock wall;
  std::mt19937_64 engine;
  quote::dependency<manual_clock> dependency;
  scripted source;

 private:
  provider::simulated_provider<manual_clock> simulated_{engine};
  quote::flow<manual_clock> over_simulated_{simulated_, dependency, engine, {}, wall.reader()};
  quote::flow<manual_clock> over_scripted_{source, dependency, engine, {}, wall.reader()};
  quote::flow<manual_clock>* in_use_ = &over_simulated_;

 public:
  /// The first to go: what still runs lives in it, and uses the rest.
  std::unique_ptr<boost::asio::io_context> context = std::make_unique<boost::asio::io_context>(1);
};

}  // namespace quote_lab::test
