// The provider of the teaching case: each scenario is a range of latencies and an outcome. It never
// saturates. Called by: the flows. Time is the Clock's, chance the engine's, so that a test can step through
// it.
#pragma once

#include <chrono>
#include <random>

#include "provider/provider.hpp"

namespace quote_lab::provider {

/// What one call will do, decided before it is done.
struct behaviour {
  std::chrono::duration<double, std::milli> latency;
  bool success;
};

/// Latency drawn evenly from the scenario's range.
behaviour draw_behaviour(quote::scenario scenario, std::uint32_t attempt, std::mt19937_64& engine);

template <class Clock>
class simulated_provider final : public provider {
 public:
  /// The engine must outlive the provider.
  explicit simulated_provider(std::mt19937_64& engine) : engine_(engine) {}

  boost::asio::awaitable<provider_reply> call(provider_call what) override;
  std::uint32_t in_flight(quote::mode mode) const override { return in_flight_[mode]; }

 private:
  std::mt19937_64& engine_;
  quote::by_mode<std::uint32_t> in_flight_;
};

}  // namespace quote_lab::provider
