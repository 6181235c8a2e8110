#include "api/exchange.hpp"

#include <boost/asio/this_coro.hpp>
#include <unistd.h>

#include "quote/wall_time.hpp"
#include "storage/provider_json.hpp"

namespace asio = boost::asio;

namespace quote_lab::api {
namespace {

/// Counts the answer, and gives it what every answer carries.
http::response finish(lab& lab, const exchange& ex, http::status code, quote::milliseconds elapsed) {
  if (ex.counted) lab.telemetry.count_request(ex.route, ex.path, static_cast<int>(code), elapsed);
  http::response response;
  response.code = code;
  response.headers = {{"Cache-Control", "no-store"},
                      {"X-Request-Id", ex.who.request_id},
                      {"traceparent", ex.who.traceparent}};
  return response;
}

}  // namespace

std::string json_text(const json& document) {
  return document.dump(2, ' ', false, json::error_handler_t::replace);
}

http::response answer_json(lab& lab, const exchange& ex, http::status code, json document) {
  const auto elapsed = ex.elapsed();
  if (!ex.warnings.empty()) document["warnings"] = ex.warnings;
  document["elapsed_ms"] = storage::ms_json(elapsed.count());
  document["timestamp_utc"] = quote::iso8601(std::chrono::system_clock::now());
  document["pid"] = ::getpid();
  auto response = finish(lab, ex, code, elapsed);
  response.content_type = json_content_type;
  response.body = json_text(document);
  return response;
}

http::response answer_text(lab& lab, const exchange& ex, http::status code, std::string_view content_type,
                           std::string body) {
  auto response = finish(lab, ex, code, ex.elapsed());
  response.content_type = content_type;
  response.body = std::move(body);
  return response;
}

http::response answer_refusal(lab& lab, const exchange& ex, http::status code, std::string_view message) {
  json document{{"error", std::string(boost::beast::http::obsolete_reason(code))},
                {"message", message},
                {"path", ex.path}};
  return answer_json(lab, ex, code, std::move(document));
}

std::optional<http::response> finish_reading(lab& lab, exchange& ex, query_values values) {
  const bool strict = values.strict() || lab.strict;
  auto warnings = std::move(values).warnings();
  if (!strict || warnings.empty()) {
    ex.warnings = std::move(warnings);
    return std::nullopt;
  }
  ++lab.refused_strict;
  std::string message;
  for (const auto& sentence : warnings) message.append(message.empty() ? "" : " ").append(sentence);
  return answer_refusal(lab, ex, http::status::bad_request, message);
}

asio::awaitable<http::response> settle_then(lab& lab, std::function<http::response()> make) {
  // A client that leaves meanwhile is no fault of the lab's: the answer is made all the same.
  co_await asio::this_coro::throw_if_cancelled(false);
  co_await lab.state_file.settled();
  co_return make();
}

}  // namespace quote_lab::api
