// What the endpoints work on. The application owns all of it; every reference outlives every request.
#pragma once

#include <chrono>
#include <functional>
#include <random>

#include "quote/dependency.hpp"
#include "quote/flow.hpp"
#include "storage/saved_file.hpp"
#include "telemetry/gauges.hpp"
#include "telemetry/recorder.hpp"

namespace quote_lab::api {

struct lab {
  using clock = std::chrono::steady_clock;

  quote::dependency<clock>& dependency;
  quote::flow<clock>& flow;
  provider::provider& provider;
  telemetry::recorder& telemetry;
  storage::saved_file& state_file;
  storage::saved_file& telemetry_file;
  std::mt19937_64& engine;
  quote::policies policies;

  bool stopping = false;  ///< the drain time is over, and what is cancelled is cancelled by the lab
  bool strict = false;    ///< what is not taken as sent is refused, not warned of
  std::uint32_t max_quotes_in_flight = 0;

  /// What the server above knows of itself, put into the gauges of a scrape.
  std::function<void(telemetry::gauges&)> fill_server_gauges = [](telemetry::gauges&) {};
  /// Called by a reset for what the lab does not own.
  std::function<void()> reset_server_counters = [] {};

  std::uint64_t files_moved_aside = 0;
  quote::by_mode<std::uint32_t> quotes_in_flight{};
  /// Refusals of the lab's own, beside those of the HTTP layer.
  std::uint64_t refused_too_many_quotes = 0;
  std::uint64_t refused_strict = 0;
};

}  // namespace quote_lab::api
