// The whole program while it serves: owns every part, in the order in which they need each other, starts
// them, drains them at a signal, and stops. Called by: main().
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include "api/lab.hpp"
#include "api/service.hpp"
#include "app/config.hpp"
#include "http/server.hpp"
#include "provider/simulated_provider.hpp"
#include "storage/folder_lock.hpp"

namespace quote_lab::app {

class application {
 public:
  explicit application(config settings);
  application(const application&) = delete;
  application& operator=(const application&) = delete;

  /// Serves until SIGTERM or SIGINT. Gives what went wrong, as a line for a person, or nothing.
  std::optional<std::string> run();

 private:
  using clock = api::lab::clock;

  std::optional<std::string> open_port();
  std::optional<std::string> open_storage();
  void log_listening() const;
  void take_over(const std::filesystem::path& file,
                 const std::function<void(const nlohmann::ordered_json&)>& read);
  void connect_parts();
  void watch_signals();
  void watch_breaker();
  void transitioned(const resilience::transition& change);
  boost::asio::awaitable<void> drain_and_stop();

  config settings_;
  std::mt19937_64 engine_;
  boost::asio::io_context loop_{1};
  boost::asio::thread_pool writer_{1};  ///< the one thread that may block: it writes the files

  storage::folder_lock lock_;

  quote::dependency<clock> dependency_;
  provider::simulated_provider<clock> provider_;
  quote::flow<clock> flow_;
  telemetry::recorder telemetry_;
  storage::saved_file state_file_;
  storage::saved_file telemetry_file_;
  api::lab lab_;
  api::service service_;
  http::server server_;

  boost::asio::signal_set signals_;
  boost::asio::steady_timer
      breaker_due_;  ///< when the open period is over, so that the change is seen at once
  boost::asio::steady_timer drain_over_;
  bool draining_ = false;
};

}  // namespace quote_lab::app
