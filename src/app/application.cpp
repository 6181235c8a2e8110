#include "app/application.hpp"

#include <csignal>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "api/routes.hpp"
#include "app/version.hpp"
#include "storage/load.hpp"
#include "storage/provider_json.hpp"
#include "storage/telemetry_json.hpp"
#include "telemetry/log.hpp"

namespace asio = boost::asio;

namespace quote_lab::app {
namespace {

using telemetry::log;
using telemetry::log_level;

quote::wall_time wall_now() {
  return std::chrono::system_clock::now();
}

std::uint64_t fresh_seed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

/// A connection is a descriptor: take as many as the system lets us have without asking, and leave some for
/// the files.
config with_descriptors(config settings) {
  constexpr rlim_t kept_back = 24;
  constexpr rlim_t least = 4;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return settings;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  settings.limits.max_sockets = limit.rlim_cur > kept_back + least ? limit.rlim_cur - kept_back : least;
  return settings;
}

std::string pretty(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

storage::encoder take_state(quote::dependency<std::chrono::steady_clock>& dependency) {
  return [record = dependency.record()] { return pretty(storage::dependency_state_json(record)); };
}

/// No indentation: it is for programs, and up to eight thousand samples long.
storage::encoder take_telemetry(const telemetry::recorder& recorder) {
  return [state = recorder.now()] {
    return storage::telemetry_json(state).dump(-1, ' ', false,
                                               nlohmann::ordered_json::error_handler_t::replace);
  };
}

void log_file_health(const storage::saved_file& file, std::error_code error) {
  if (error) {
    log(log_level::error, "state_write_failed",
        {{"file", file.path().string()}, {"error", error.message()}, {"retry_after_ms", 1000}});
  } else {
    log(log_level::info, "state_write_recovered", {{"file", file.path().string()}});
  }
}

void fill_server_gauges(const http::server& server, telemetry::gauges& gauges) {
  const auto stats = server.stats();
  gauges.connections_open = stats.connections_open;
  gauges.connections_accepted = stats.counted.connections_accepted;
  const auto labels = http::all_refusal_labels();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    gauges.refused.push_back({std::string(labels[i]), stats.counted.refused[i]});
  }
  gauges.log_lines_dropped = telemetry::log_lines_dropped();
  gauges.version = version;
  gauges.compiler = compiler;
}

}  // namespace

application::application(config settings)
    : settings_(with_descriptors(std::move(settings))),
      engine_(settings_.seed.value_or(fresh_seed())),
      dependency_(settings_.breaker(), wall_now),
      provider_(engine_),
      flow_(provider_, dependency_, engine_, settings_.jitter, wall_now),
      telemetry_(settings_.keep, wall_now),
      state_file_(
          loop_.get_executor(), writer_, settings_.data_dir / "tmp" / "dependency_state.json",
          [this] { return take_state(dependency_); }, settings_.flush_interval),
      telemetry_file_(
          loop_.get_executor(), writer_, settings_.data_dir / "tmp" / "telemetry.json",
          [this] { return take_telemetry(telemetry_); }, settings_.flush_interval),
      lab_{.dependency = dependency_,
           .flow = flow_,
           .provider = provider_,
           .telemetry = telemetry_,
           .state_file = state_file_,
           .telemetry_file = telemetry_file_,
           .engine = engine_,
           .policies = settings_.policies,
           .strict = settings_.strict,
           .max_quotes_in_flight = settings_.max_quotes_in_flight},
      service_(lab_, settings_.prefix),
      server_(loop_, service_, {settings_.address, settings_.port, settings_.limits}),
      signals_(loop_, SIGINT, SIGTERM),
      breaker_due_(loop_),
      drain_over_(loop_) {}

std::optional<std::string> application::run() {
  // The port first: where it is taken, another lab may be at work on the same files. Nobody is answered
  // before the loop runs.
  if (auto problem = open_port()) return problem;
  if (auto problem = open_storage()) return problem;
  connect_parts();
  log_listening();
  watch_signals();
  watch_breaker();
  loop_.run();
  writer_.join();
  state_file_.write_now();
  telemetry_file_.write_now();
  log(log_level::info, "stopped", nlohmann::ordered_json::object());
  return std::nullopt;
}

std::optional<std::string> application::open_storage() {
  const auto folder = state_file_.path().parent_path();
  const auto problem = [&](const std::string& why) {
    return "The data folder " + folder.string() + " cannot be used: " + why +
           ". Name another with --data-dir or QUOTE_LAB_DATA_DIR.";
  };
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return problem(error.message());
  error = lock_.take(settings_.data_dir);
  if (error == std::errc::resource_unavailable_try_again) return problem("another quote-lab is using it");
  if (error) return problem(error.message());
  try {
    take_over(state_file_.path(),
              [this](const auto& file) { dependency_.restore(storage::read_dependency_state(file)); });
    take_over(telemetry_file_.path(), [this](const auto& file) {
      const auto is_route = [](std::string_view path) { return api::find_route(path) != nullptr; };
      telemetry_.restore(storage::read_telemetry(file, settings_.keep, is_route));
    });
  } catch (const std::system_error& failure) {
    return problem(failure.what());
  }
  for (auto* file : {&state_file_, &telemetry_file_}) {
    if ((error = file->write_now())) return problem(error.message());
  }
  return std::nullopt;
}

void application::take_over(const std::filesystem::path& file,
                            const std::function<void(const nlohmann::ordered_json&)>& read) {
  const auto aside = storage::load_json(file, read);
  if (!aside) return;
  ++lab_.files_moved_aside;
  log(log_level::warning, "state_file_moved_aside",
      {{"file", aside->from.string()}, {"to", aside->to.string()}, {"reason", aside->reason}});
}

void application::connect_parts() {
  dependency_.listen([this] { state_file_.touch(); }, [this](const auto& change) { transitioned(change); });
  telemetry_.listen([this] { telemetry_file_.touch(); });
  state_file_.listen(log_file_health);
  telemetry_file_.listen(log_file_health);
  lab_.fill_server_gauges = [this](telemetry::gauges& gauges) { fill_server_gauges(server_, gauges); };
  lab_.reset_server_counters = [this] { server_.reset_stats(); };
}

std::optional<std::string> application::open_port() {
  if (const auto error = server_.listen()) {
    const auto place = settings_.address + " port " + std::to_string(settings_.port);
    if (error == asio::error::address_in_use) {
      return "Cannot listen on " + place +
             ": something else listens there. Stop it, or choose another port with "
             "--port or QUOTE_LAB_PORT (0 takes a free one).";
    }
    return "Cannot listen on " + place + ": " + error.message() + ".";
  }
  return std::nullopt;
}

void application::log_listening() const {
  const auto port = server_.local_port();
  const bool is_v6 = settings_.address.find(':') != std::string::npos;
  const auto host = is_v6 ? "[" + settings_.address + "]" : settings_.address;
  log(log_level::info, "listening",
      {{"address", settings_.address},
       {"port", port},
       {"url", "http://" + host + ":" + std::to_string(port) + "/"},
       {"prefix", settings_.prefix},
       {"version", version}});
}

/// The first signal drains; a second one is from somebody who will not wait.
void application::watch_signals() {
  signals_.async_wait([this](boost::system::error_code error, int) {
    if (error) return;
    if (draining_) {
      drain_over_.cancel();
    } else {
      draining_ = true;
      asio::co_spawn(loop_, drain_and_stop(), asio::detached);
    }
    watch_signals();
  });
}

asio::awaitable<void> application::drain_and_stop() {
  log(log_level::info, "draining", {{"drain_time_ms", settings_.drain_time.count()}});
  drain_over_.expires_after(settings_.drain_time);
  drain_over_.async_wait([this](boost::system::error_code) {
    lab_.stopping = true;
    server_.cancel_all();
  });
  server_.begin_drain();
  co_await server_.drained();
  loop_.stop();
}

/// The breaker itself arms nothing. This timer makes the end of the open period a transition that is logged
/// and written when it happens, and not when somebody next asks.
void application::watch_breaker() {
  const auto remaining = dependency_.open_remaining();
  if (!remaining) return;
  breaker_due_.expires_after(*remaining);
  breaker_due_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    dependency_.circuit();
    watch_breaker();
  });
}

void application::transitioned(const resilience::transition& change) {
  log(change.to == resilience::breaker_state::open ? log_level::warning : log_level::info, "transition",
      {{"from", to_string(change.from)},
       {"to", to_string(change.to)},
       {"cause", to_string(change.cause)},
       {"consecutive_failures", change.consecutive_failures}});
  state_file_.touch_urgently();
  if (change.to == resilience::breaker_state::open) watch_breaker();
}

}  // namespace quote_lab::app
