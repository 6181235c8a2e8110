#include "telemetry/log.hpp"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>
#include <spdlog/async.h>
#include <spdlog/async_logger.h>

#include "quote/wall_time.hpp"
#include "telemetry/patient_stdout.hpp"

namespace quote_lab::telemetry {
namespace {

constexpr std::size_t queue_lines = 8192;
/// How long the end of the program waits for a reader of stdout that does not read.
constexpr std::chrono::milliseconds patience_at_the_end{500};

struct running_log {
  std::shared_ptr<spdlog::details::thread_pool> pool;
  std::shared_ptr<patient_stdout> sink;
  std::shared_ptr<spdlog::async_logger> logger;
  log_level least;
  log_format format;
};

/// The one log of the process; null before log_start and after log_stop.
std::unique_ptr<running_log> current;

std::string_view name_of(log_level level) {
  switch (level) {
    case log_level::debug:
      return "debug";
    case log_level::info:
      return "info";
    case log_level::warning:
      return "warning";
    case log_level::error:
      return "error";
  }
  return "";
}

std::string as_json(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

bool is_plain(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c <= '~' && c != '"' && c != '\\' && c != '=';
  });
}

std::string as_text(const nlohmann::ordered_json& value) {
  if (value.is_string() && is_plain(value.get_ref<const std::string&>())) return value.get<std::string>();
  // ASCII only: a terminal must not be steered by what a client sent.
  return value.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string log_line(log_format format, std::string_view time, log_level level, std::string_view event,
                     const nlohmann::ordered_json& fields) {
  if (format == log_format::json) {
    nlohmann::ordered_json line{{"time", time}, {"level", name_of(level)}, {"event", event}};
    line.update(fields);
    return as_json(line);
  }
  std::string line(time);
  line.append(" ").append(name_of(level)).append(" ").append(event);
  for (const auto& [key, value] : fields.items())
    line.append(" ").append(key).append("=").append(as_text(value));
  return line;
}

void log_start(log_level least, log_format format) {
  auto pool = std::make_shared<spdlog::details::thread_pool>(queue_lines, 1);
  auto sink = std::make_shared<patient_stdout>();
  auto logger = std::make_shared<spdlog::async_logger>("quote-lab", sink, pool,
                                                       spdlog::async_overflow_policy::overrun_oldest);
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::trace);
  current = std::make_unique<running_log>(
      running_log{std::move(pool), std::move(sink), std::move(logger), least, format});
}

void log_stop() {
  if (current) current->sink->stop_within(patience_at_the_end);
  current.reset();
}

bool log_wants(log_level level) {
  return current && level >= current->least;
}

void log(log_level level, std::string_view event, const nlohmann::ordered_json& fields) {
  if (!log_wants(level)) return;
  current->logger->info(
      log_line(current->format, quote::iso8601(std::chrono::system_clock::now()), level, event, fields));
}

std::uint64_t log_lines_dropped() {
  return current ? current->pool->overrun_counter() : 0;
}

}  // namespace quote_lab::telemetry
