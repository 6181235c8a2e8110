#include "quote/wall_time.hpp"

#include <array>
#include <cstdio>

namespace quote_lab::quote {

using std::chrono::milliseconds;

std::string iso8601(wall_time time) {
  const auto ms = std::chrono::floor<milliseconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(ms);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(ms - day);
  std::array<char, 64> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return std::string(text.data(), static_cast<std::size_t>(length));
}

std::optional<wall_time> from_iso8601(std::string_view text) {
  constexpr std::string_view shape = "dddd-dd-ddTdd:dd:dd.dddZ";
  if (text.size() != shape.size()) return std::nullopt;
  std::array<int, 7> fields{};
  std::size_t field = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 'd') {
      if (text[i] != shape[i]) return std::nullopt;
      ++field;
    } else if (text[i] < '0' || text[i] > '9') {
      return std::nullopt;
    } else {
      fields[field] = fields[field] * 10 + (text[i] - '0');
    }
  }
  const std::chrono::year_month_day date{std::chrono::year(fields[0]),
                                         std::chrono::month(static_cast<unsigned>(fields[1])),
                                         std::chrono::day(static_cast<unsigned>(fields[2]))};
  // The clock counts nanoseconds in 64 bits, from September 1677 to April 2262.
  constexpr int first_year = 1678;
  constexpr int last_year = 2261;
  if (fields[0] < first_year || fields[0] > last_year) return std::nullopt;
  if (!date.ok() || fields[3] > 23 || fields[4] > 59 || fields[5] > 59) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(fields[3]) + std::chrono::minutes(fields[4]) +
         std::chrono::seconds(fields[5]) + milliseconds(fields[6]);
}

std::int64_t epoch_ms(wall_time time) {
  return std::chrono::floor<milliseconds>(time).time_since_epoch().count();
}

wall_time from_epoch_ms(std::int64_t ms) {
  return wall_time(milliseconds(ms));
}

}  // namespace quote_lab::quote
