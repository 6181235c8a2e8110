// The log: one event a line on stdout, as text for a person or as JSON for a machine. Values are escaped, so
// that nothing a client sends can forge a line. A reader of stdout that does not read cannot hold the lab up:
// the lines wait in a bounded queue, and the oldest are dropped and counted when it is full.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace quote_lab::telemetry {

enum class log_level { debug, info, warning, error };
enum class log_format { text, json };

/// Starts the log's own thread. Before it, and after log_stop, lines go nowhere.
void log_start(log_level least, log_format format);
/// Writes out what is waiting, then stops.
void log_stop();

/// `event` is a fixed word, snake_case; `fields` an object with what belongs to it, in order.
void log(log_level level, std::string_view event, const nlohmann::ordered_json& fields);
bool log_wants(log_level level);
std::uint64_t log_lines_dropped();

/// The line itself, without its end. Pure, for the tests.
std::string log_line(log_format format, std::string_view time, log_level level, std::string_view event,
                     const nlohmann::ordered_json& fields);

}  // namespace quote_lab::telemetry
