// What a scrape tells beside the telemetry: read off the parts of the lab at that moment, as plain data, and
// kept nowhere else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <resilience/breaker_snapshot.hpp>

#include "quote/mode.hpp"

namespace quote_lab::telemetry {

struct reason_count {
  std::string reason;
  std::uint64_t count = 0;
};

struct file_gauges {
  std::string file;  ///< its name, without the folder
  bool healthy = true;
  std::uint64_t write_failures = 0;
};

struct gauges {
  std::string provider;
  quote::by_mode<std::uint32_t> provider_calls_in_flight;
  quote::by_mode<std::uint32_t> quotes_in_flight;
  resilience::breaker_snapshot breaker;

  std::vector<file_gauges> files;
  std::uint64_t files_moved_aside = 0;

  std::uint64_t connections_open = 0;
  std::uint64_t connections_accepted = 0;
  std::vector<reason_count> refused;  ///< each reason there is, also those never used
  std::uint64_t log_lines_dropped = 0;

  std::string version;
  std::string compiler;
};

}  // namespace quote_lab::telemetry
