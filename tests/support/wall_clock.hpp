// A wall clock for tests: it runs with the manual clock, and a test may set it back or forward, as an
// operator or a time server does. Called by: tests of whatever shows or saves a time of day.
#pragma once

#include <chrono>
#include <functional>

#include <resilience/manual_clock.hpp>

#include "quote/wall_time.hpp"

namespace quote_lab::test {

struct wall_clock {
  /// What it shows when the manual clock stands at its epoch.
  quote::wall_time at_epoch = quote::from_iso8601("2026-11-30T12:00:00.000Z").value();

  quote::wall_time now() const {
    const auto passed = resilience::manual_clock::now().time_since_epoch();
    return at_epoch + std::chrono::duration_cast<quote::wall_time::duration>(passed);
  }
  void set_by(std::chrono::seconds step) { at_epoch += step; }

  /// The clock must outlive the reader.
  std::function<quote::wall_time()> reader() const {
    return [this] { return now(); };
  }
};

}  // namespace quote_lab::test
