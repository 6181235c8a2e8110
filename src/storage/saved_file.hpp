// One file that follows the lab's memory. Changes are written together, at most once an interval; an urgent
// change is written at once, and whoever must not speak of it before it is on the disk waits for settled().
// The disk is touched by the writer's thread alone. A write that fails is tried again each second, with what
// is true by then. Called by: app/ and api/, on the event loop's thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <system_error>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

namespace quote_lab::storage {

/// What is written, made in two steps: `take` copies the data on the event loop; what it returns makes the
/// bytes, on the writer's thread.
using encoder = std::function<std::string()>;
using take_data = std::function<encoder()>;

struct write_health {
  bool failing = false;
  std::string error;  ///< of the last write, when failing
  std::uint64_t failures = 0;
};

class saved_file {
 public:
  /// Hears when writing begins to fail (with the error) and when it works again (without).
  using on_health = std::function<void(const saved_file&, std::error_code)>;

  /// The pool must have one thread and be joined before the file is destroyed.
  saved_file(boost::asio::any_io_executor loop, boost::asio::thread_pool& writer, std::filesystem::path path,
             take_data take, std::chrono::milliseconds interval);
  saved_file(const saved_file&) = delete;
  saved_file& operator=(const saved_file&) = delete;

  void listen(on_health heard) { heard_ = std::move(heard); }

  /// Something changed: on disk within the interval and the time of a write.
  void touch();
  /// Something changed that no client may hear of before it is on disk.
  void touch_urgently();

  /// Whether every urgent change is on disk, or its writing was tried and failed: the lab goes on without its
  /// disk.
  bool is_settled() const { return tried_ >= urgent_; }
  boost::asio::awaitable<void> settled();

  /// Writes on the spot, blocking: at the start, and at the end when the loop has stopped.
  std::error_code write_now();

  const std::filesystem::path& path() const { return path_; }
  const write_health& health() const { return health_; }
  void reset_counters() { health_.failures = 0; }

 private:
  void write_soon(std::chrono::milliseconds delay);
  void begin_write();
  void end_write(std::uint64_t version, std::error_code error);
  void note(std::error_code error);

  boost::asio::any_io_executor loop_;
  boost::asio::thread_pool& writer_;
  std::filesystem::path path_;
  take_data take_;
  std::chrono::milliseconds interval_;
  on_health heard_ = [](const saved_file&, std::error_code) {};

  boost::asio::steady_timer due_;          ///< when the next write begins
  boost::asio::steady_timer write_ended_;  ///< never expires; cancelled to wake those who wait
  bool scheduled_ = false;
  bool writing_ = false;
  std::uint64_t changed_ = 0;  ///< versions: the last change,
  std::uint64_t urgent_ = 0;   ///< the last urgent one,
  std::uint64_t tried_ = 0;    ///< and the last that was written, or tried in vain
  write_health health_;
};

}  // namespace quote_lab::storage
