// One request on its way to its answer, and the one shape that every JSON answer has. Moves along with the
// work, so that a quote of a second and a half and a health check are finished by the same few lines. Called
// by: the endpoints.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "api/identity.hpp"
#include "api/lab.hpp"
#include "api/query_values.hpp"
#include "http/message.hpp"

namespace quote_lab::api {

using json = nlohmann::ordered_json;

struct exchange {
  http::request request;
  std::string path;        ///< as asked for, without the prefix
  std::string_view route;  ///< the path of the route, from the table, or telemetry::unmatched_route
  bool counted = true;     ///< whether the telemetry hears of it
  identity who;
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  std::optional<std::chrono::steady_clock::time_point>
      ended{};  ///< set where several numbers must agree on it
  std::vector<std::string> warnings{};

  /// From when the handler began to now, or to when it ended.
  quote::milliseconds elapsed() const { return ended.value_or(std::chrono::steady_clock::now()) - began; }
  bool is_head() const { return request.method == http::verb::head; }
};

inline constexpr std::string_view json_content_type = "application/json; charset=utf-8";

/// Indented by two spaces; what is not UTF-8 is replaced, so that no query value can spoil an answer.
std::string json_text(const json& document);

/// The answer: warnings, then elapsed_ms, timestamp_utc and pid are put at the end of the document, the ids
/// into the headers, and the request is counted with that same elapsed time.
http::response answer_json(lab& lab, const exchange& ex, http::status code, json document);
http::response answer_text(lab& lab, const exchange& ex, http::status code, std::string_view content_type,
                           std::string body);

/// The shape of every refusal: `error`, `message`, `path`.
http::response answer_refusal(lab& lab, const exchange& ex, http::status code, std::string_view message);

/// Ends the reading of the parameters: what was not taken as sent becomes warnings or, where the request or
/// the lab is strict, a 400.
std::optional<http::response> finish_reading(lab& lab, exchange& ex, query_values values);

/// Waits until every transition is on the disk, then makes the answer.
boost::asio::awaitable<http::response> settle_then(lab& lab, std::function<http::response()> make);

/// For answers that tell of the breaker: at once when every transition is on the disk, and then without an
/// allocation of its own; else as soon as it is. What is told is read off the breaker before the call, never
/// in `make`: while the disk is waited for the breaker may move on, and that would be told too early.
template <class Make>
http::answer when_settled(lab& lab, Make make) {
  if (lab.state_file.is_settled()) return make();
  return settle_then(lab, std::move(make));
}

}  // namespace quote_lab::api
