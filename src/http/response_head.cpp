#include "http/response_head.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace quote_lab::http {
namespace {

bool fits_on_a_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

void add_field(std::string& head, std::string_view name, std::string_view value) {
  if (!fits_on_a_line(name) || !fits_on_a_line(value)) return;
  head.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

std::string make_head(const response& reply, const head_options& options) {
  std::string head;
  head.reserve(512);
  const auto reason = boost::beast::http::obsolete_reason(reply.code);
  head.append("HTTP/1.1 ").append(std::to_string(static_cast<unsigned>(reply.code))).append(" ");
  head.append(reason.data(), reason.size()).append("\r\n");
  add_field(head, "Date", options.date);
  if (!reply.content_type.empty()) add_field(head, "Content-Type", reply.content_type);
  if (reply.code != status::no_content) add_field(head, "Content-Length", std::to_string(reply.body.size()));
  for (const header& field : reply.headers) add_field(head, field.name, field.value);
  if (!options.keep_alive) {
    add_field(head, "Connection", "close");
  } else if (options.to_http_1_0) {
    add_field(head, "Connection", "keep-alive");
  }
  head.append("\r\n");
  return head;
}

/// Not by strftime, whose names of days and months depend on the locale.
std::string http_date(std::time_t now) {
  static constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                days[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                months[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour, utc.tm_min,
                utc.tm_sec);
  return text.data();
}

}  // namespace quote_lab::http
