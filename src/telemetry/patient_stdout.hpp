// Writes lines to stdout, and waits while nobody reads it; but no longer once the log is stopping, so that a
// full pipe cannot hold up the end of the program. Called by: the log's own thread.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string_view>

#include <spdlog/sinks/base_sink.h>

namespace quote_lab::telemetry {

class patient_stdout final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  /// From now on at most `patience` more is waited, for all lines together. From any thread.
  void stop_within(std::chrono::milliseconds patience);

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

 private:
  bool wait_until_writable() const;
  void write(std::string_view bytes) const;

  using clock = std::chrono::steady_clock;
  std::atomic<clock::rep> give_up_at_{clock::time_point::max().time_since_epoch().count()};
};

}  // namespace quote_lab::telemetry
