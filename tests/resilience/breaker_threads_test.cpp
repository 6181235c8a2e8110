// One breaker and many threads. Right in every build; under ThreadSanitizer it also shows that there is no
// race.
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <resilience/circuit_breaker.hpp>

#include "resilience/support/print.hpp"
#include "resilience/support/shared_clock.hpp"

namespace resilience {
namespace {

using namespace std::chrono_literals;
using testing::shared_clock;
using breaker_type = circuit_breaker<shared_clock>;

void on_threads(int count, const std::function<void(int)>& work) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&work, i] { work(i); });
}

class ProbeLimit : public ::testing::TestWithParam<std::uint32_t> {};

// All of them ask before any probe comes back, and nobody waits: each call returns before the gate opens
// again.
TEST_P(ProbeLimit, HoldsForAHundredCallersAtTheInstantTheOpenPeriodEnds) {
  constexpr int callers = 100;
  constexpr int rounds = 20;
  const std::uint32_t limit = GetParam();
  breaker_type breaker({.rule = consecutive_failures{1}, .open_for = 1s, .half_open_probes = limit});
  std::atomic<std::uint32_t> probes = 0;
  std::barrier gate(callers);
  on_threads(callers, [&](int caller) {
    for (int round = 0; round < rounds; ++round) {
      if (caller == 0) {
        breaker.trip();
        shared_clock::advance(1s);
        probes = 0;
      }
      gate.arrive_and_wait();
      const auto leave = breaker.try_acquire();
      if (leave) ++probes;
      gate.arrive_and_wait();
      if (caller == 0) {
        EXPECT_EQ(probes, limit);
        EXPECT_EQ(breaker.snapshot().probes_out, limit);
      }
      gate.arrive_and_wait();
    }
  });
  const auto seen = breaker.snapshot();
  EXPECT_EQ(seen.permits_out, 0U);
  EXPECT_EQ(seen.totals.permitted, std::uint64_t{rounds} * limit);
  EXPECT_EQ(seen.totals.rejected, std::uint64_t{rounds} * (callers - limit));
}

INSTANTIATE_TEST_SUITE_P(Probes, ProbeLimit, ::testing::Values(1, 3));

bool legal(const transition& change) {
  switch (change.cause) {
    case transition_cause::threshold_reached:
      return change.from == breaker_state::closed && change.to == breaker_state::open;
    case transition_cause::probe_failed:
      return change.from == breaker_state::half_open && change.to == breaker_state::open;
    case transition_cause::probes_succeeded:
      return change.from == breaker_state::half_open && change.to == breaker_state::closed;
    case transition_cause::open_period_over:
      return change.from == breaker_state::open && change.to == breaker_state::half_open;
    case transition_cause::tripped:
      return change.from != breaker_state::open && change.to == breaker_state::open;
    case transition_cause::reset:
      return change.from != breaker_state::closed && change.to == breaker_state::closed;
  }
  return false;
}

void expect_one_unbroken_line(const std::vector<transition>& heard) {
  auto state = breaker_state::closed;
  std::uint64_t generation = 0;
  auto at = shared_clock::time_point::min();
  for (const auto& change : heard) {
    EXPECT_TRUE(legal(change)) << to_string(change.from) << " to " << to_string(change.to) << " by "
                               << to_string(change.cause);
    EXPECT_EQ(change.from, state);
    EXPECT_GT(change.generation, generation);
    EXPECT_GE(change.at, at);
    state = change.to;
    generation = change.generation;
    at = change.at;
  }
}

/// What one thread does to the breaker: mostly calls, a little of everything else.
void hammer(breaker_type& breaker, std::uint32_t seed, int times, bool with_reset) {
  std::minstd_rand engine(seed);
  std::optional<permit> kept;
  for (int i = 0; i < times; ++i) {
    const auto drawn = engine() % 100;
    const auto how = engine() % 3 == 0 ? outcome::success : outcome::failure;
    if (drawn < 60) {
      if (auto leave = breaker.try_acquire()) breaker.record(std::move(*leave), how);
    } else if (drawn < 75) {
      kept = breaker.try_acquire();  // drops the one kept before
    } else if (drawn < 80) {
      if (kept) breaker.record(std::move(*kept), how);
    } else if (drawn < 85) {
      breaker.observe(how);
    } else if (drawn < 95) {
      shared_clock::advance(1ms);
    } else if (drawn < 97) {
      breaker.snapshot();
    } else if (drawn < 98) {
      breaker.trip();
    } else if (drawn < 99 && with_reset) {
      breaker.reset();
    } else {
      breaker.state();
    }
  }
}

breaker_config eventful(bool by_rate) {
  breaker_config config{.open_for = 5ms, .half_open_probes = 2, .successes_to_close = 2};
  if (by_rate) {
    config.rule = failure_rate{.bucket = 2ms, .buckets = 5, .threshold = 0.5, .minimum_calls = 4};
  } else {
    config.rule = consecutive_failures{3};
  }
  return config;
}

class ManyThreads : public ::testing::TestWithParam<bool> {};

TEST_P(ManyThreads, SeeOneUnbrokenLineOfLegalTransitionsEachToldOnce) {
  breaker_type breaker(eventful(GetParam()));
  // No lock of its own: the breaker calls its listeners one at a time.
  std::vector<transition> heard;
  breaker.on_transition([&heard](const transition& change) { heard.push_back(change); });
  on_threads(8, [&](int i) { hammer(breaker, static_cast<std::uint32_t>(i + 1), 5'000, false); });
  const auto seen = breaker.snapshot();
  expect_one_unbroken_line(heard);
  std::uint64_t counted = 0;
  for (const auto& from : seen.totals.transitions) {
    for (const auto number : from) counted += number;
  }
  EXPECT_EQ(heard.size(), counted);
  EXPECT_GT(counted, 100U);
  EXPECT_EQ(seen.generation, 1 + counted);
}

TEST_P(ManyThreads, LoseNoPermitAndNoResult) {
  breaker_type breaker(eventful(GetParam()));
  on_threads(8, [&](int i) { hammer(breaker, static_cast<std::uint32_t>(i + 1), 5'000, false); });
  const auto seen = breaker.snapshot();
  const auto& totals = seen.totals;
  EXPECT_EQ(seen.permits_out, 0U);
  EXPECT_EQ(seen.probes_out, 0U);
  EXPECT_EQ(totals.permitted, totals.successes + totals.failures + totals.stale + totals.neutral);
  EXPECT_GT(totals.rejected, 0U);
}

TEST_P(ManyThreads, StayInLineThoughListenersThrowAndCallTheBreakerAndResetsCome) {
  breaker_type breaker(eventful(GetParam()));
  std::vector<transition> heard;
  breaker.on_transition([&](const transition& change) {
    if (auto leave = breaker.try_acquire()) breaker.record(std::move(*leave), outcome::failure);
    if (change.generation % 3 == 0) breaker.reset();
    throw std::runtime_error("a listener's own trouble");
  });
  breaker.on_transition([&heard](const transition& change) { heard.push_back(change); });
  on_threads(8, [&](int i) { hammer(breaker, static_cast<std::uint32_t>(i + 1), 2'000, true); });
  expect_one_unbroken_line(heard);
  EXPECT_GT(heard.size(), 100U);
  EXPECT_EQ(breaker.snapshot().permits_out, 0U);
}

TEST_P(ManyThreads, MayAddListenersWhileOthersAreCalled) {
  breaker_type breaker(eventful(GetParam()));
  std::atomic<int> calls = 0;
  on_threads(4, [&](int i) {
    for (int n = 0; n < 20; ++n) {
      breaker.on_transition([&calls](const transition&) { ++calls; });
      hammer(breaker, static_cast<std::uint32_t>(100 * i + n + 1), 100, false);
    }
  });
  EXPECT_GT(calls, 0);
}

INSTANTIATE_TEST_SUITE_P(Rules, ManyThreads, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "FailureRate" : "ConsecutiveFailures"; });

}  // namespace
}  // namespace resilience
