// Every tunable of the program, with its default. Filled from the environment and the command line by
// settings.cpp, checked once, and handed down by value: nothing below app/ reads the environment.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <resilience/breaker_config.hpp>

#include "http/limits.hpp"
#include "quote/flow.hpp"
#include "quote/policy.hpp"
#include "telemetry/log.hpp"
#include "telemetry/state.hpp"

namespace quote_lab::app {

/// automatic: text on a terminal, JSON otherwise.
enum class log_format_choice { automatic, text, json };
enum class trip_rule_choice { consecutive_failures, failure_rate };

struct config {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8300;  ///< 0: a free one, told in the log
  std::filesystem::path data_dir = ".";
  std::string prefix = "/04";         ///< empty: off
  std::optional<std::uint64_t> seed;  ///< none: a new one each time
  bool strict = false;

  telemetry::log_level log_level = telemetry::log_level::info;
  log_format_choice log_format = log_format_choice::automatic;

  std::chrono::milliseconds drain_time{8000};
  std::chrono::milliseconds flush_interval{150};

  http::limits limits;
  std::uint32_t max_quotes_in_flight = 20'000;
  telemetry::retention keep;

  quote::policies policies = quote::default_policies;
  quote::jitter_range jitter;

  trip_rule_choice breaker_rule = trip_rule_choice::consecutive_failures;
  resilience::consecutive_failures breaker_run{2};
  resilience::failure_rate breaker_rate;
  std::chrono::milliseconds breaker_open{30'000};
  std::uint32_t breaker_probes = 1;
  std::uint32_t breaker_successes_to_close = 1;

  resilience::breaker_config breaker() const;
};

/// What each value alone does not show: the first thing that cannot work together, as a sentence.
std::optional<std::string> problem_with(const config& settings);

}  // namespace quote_lab::app
