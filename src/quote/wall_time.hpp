// Wall clock times as people and files have them: 2026-11-30T15:44:01.930Z.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quote_lab::quote {

using wall_time = std::chrono::system_clock::time_point;

/// ISO 8601, UTC, milliseconds.
std::string iso8601(wall_time time);
/// Reads what iso8601 writes, for the years 1678 to 2261; nothing for anything else.
std::optional<wall_time> from_iso8601(std::string_view text);

std::int64_t epoch_ms(wall_time time);
wall_time from_epoch_ms(std::int64_t ms);

}  // namespace quote_lab::quote
