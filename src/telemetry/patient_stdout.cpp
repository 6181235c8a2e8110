#include "telemetry/patient_stdout.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>

#include <poll.h>
#include <unistd.h>

namespace quote_lab::telemetry {

void patient_stdout::stop_within(std::chrono::milliseconds patience) {
  give_up_at_ = (clock::now() + patience).time_since_epoch().count();
}

void patient_stdout::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  write({line.data(), line.size()});
}

/// Looks every 50 ms whether the log is stopping meanwhile.
bool patient_stdout::wait_until_writable() const {
  constexpr int look_every_ms = 50;
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  while (clock::now().time_since_epoch().count() < give_up_at_) {
    const int ready = ::poll(&out, 1, look_every_ms);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
  }
  return false;
}

/// A pipe that polls as writable takes PIPE_BUF bytes without blocking, and no more is written at once.
void patient_stdout::write(std::string_view bytes) const {
  while (!bytes.empty() && wait_until_writable()) {
    const auto written = ::write(STDOUT_FILENO, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return;  // nobody is there to be told
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace quote_lab::telemetry
