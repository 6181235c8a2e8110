// The lab without its sockets: requests are handed to the service, as the HTTP server does, and answers come
// back as data. The provider answers at once unless it is told otherwise; there is no wait between attempts,
// so no test takes real time. Called by: the tests of the endpoints.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>

#include "api/lab.hpp"
#include "api/service.hpp"
#include "http/target.hpp"
#include "storage/provider_json.hpp"
#include "storage/telemetry_json.hpp"
#include "support/gated_provider.hpp"
#include "support/run_loop.hpp"
#include "support/temp_dir.hpp"

namespace quote_lab::test {

using json = nlohmann::ordered_json;

/// A request on its way. Must live until it has its answer.
struct pending {
  std::optional<http::response> answer;
  std::exception_ptr thrown;
  boost::asio::cancellation_signal leave;
};

inline std::string header_of(const http::response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

inline std::vector<std::string> names_in(const json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

class lab_bench {
 public:
  using clock = api::lab::clock;

  lab_bench() : lab_bench("/04") {}
  explicit lab_bench(const std::string& prefix) : service(std::make_unique<api::service>(lab, prefix)) {
    lab.policies[quote::mode::resilient].backoff_base = std::chrono::milliseconds(0);
    lab.max_quotes_in_flight = 10;
    dependency.listen([this] { state_file.touch(); },
                      [this](const resilience::transition&) { state_file.touch_urgently(); });
    telemetry.listen([this] { telemetry_file.touch(); });
  }
  ~lab_bench() {
    free_the_disk();
    writer.join();
  }
  lab_bench(const lab_bench&) = delete;
  lab_bench& operator=(const lab_bench&) = delete;

  static http::request request(const std::string& target, http::verb method = http::verb::get,
                               std::vector<http::header> headers = {}) {
    http::request made;
    made.method = method;
    auto parsed = std::get<http::target>(http::parse_target(method, target));
    made.path = std::move(parsed.path);
    made.query = std::move(parsed.query);
    made.headers = std::move(headers);
    return made;
  }

  /// Begins, and runs as far as it goes by itself.
  std::unique_ptr<pending> begin(http::request asked) {
    auto waits = std::make_unique<pending>();
    auto answer = service->handle(std::move(asked));
    if (auto* ready = std::get_if<http::response>(&answer)) {
      waits->answer = std::move(*ready);
      return waits;
    }
    auto work = std::get<boost::asio::awaitable<http::response>>(std::move(answer));
    const auto ended = [to = waits.get()](std::exception_ptr thrown, http::response response) {
      to->thrown = thrown;
      if (!thrown) to->answer = std::move(response);
    };
    auto token = boost::asio::bind_cancellation_slot(waits->leave.slot(), ended);
    boost::asio::co_spawn(loop, std::move(work), std::move(token));
    run_ready();
    return waits;
  }

  http::response finish(pending& waits) {
    run_loop_until(loop, [&] { return waits.answer || waits.thrown; });
    if (waits.thrown) std::rethrow_exception(waits.thrown);
    return *waits.answer;
  }

  http::response send(http::request asked) { return finish(*begin(std::move(asked))); }
  http::response get(const std::string& target) { return send(request(target)); }
  json get_json(const std::string& target) { return json::parse(get(target).body); }

  void run_ready() {
    loop.restart();
    loop.poll();
  }

  /// The writer's thread does nothing until the disk is free again.
  void block_the_disk() {
    boost::asio::post(writer, [free = disk_free_.get_future().share()] { free.wait(); });
    blocked_ = true;
  }
  void free_the_disk() {
    if (std::exchange(blocked_, false)) disk_free_.set_value();
  }

  static quote::wall_time wall_now() { return quote::from_iso8601("2026-11-30T15:44:01.930Z").value(); }
  static resilience::breaker_config breaker() {
    resilience::breaker_config config;
    config.rule = resilience::consecutive_failures{2};
    config.open_for = std::chrono::hours(1);
    return config;
  }

  temp_dir folder;
  boost::asio::io_context loop{1};
  boost::asio::thread_pool writer{1};
  std::mt19937_64 engine{1};
  quote::dependency<clock> dependency{breaker(), wall_now};
  gated_provider source;
  quote::flow<clock> flow{source, dependency, engine, {}, wall_now};
  quote_lab::telemetry::recorder telemetry{{}, wall_now};
  storage::saved_file state_file{loop.get_executor(), writer, folder / "dependency_state.json",
                                 [this]() -> storage::encoder {
                                   return [record = dependency.record()] {
                                     return storage::dependency_state_json(record).dump();
                                   };
                                 },
                                 std::chrono::hours(1)};
  storage::saved_file telemetry_file{loop.get_executor(), writer, folder / "telemetry.json",
                                     [this]() -> storage::encoder {
                                       return [state = telemetry.now()] {
                                         return storage::telemetry_json(state).dump();
                                       };
                                     },
                                     std::chrono::hours(1)};
  api::lab lab{.dependency = dependency,
               .flow = flow,
               .provider = source,
               .telemetry = telemetry,
               .state_file = state_file,
               .telemetry_file = telemetry_file,
               .engine = engine,
               .policies = quote::default_policies};
  std::unique_ptr<api::service> service;

 private:
  std::promise<void> disk_free_;
  bool blocked_ = false;
};

}  // namespace quote_lab::test
