// The two flows over HTTP: parameters in, outcome to answer, counters, incident and log line.
#include <boost/asio/awaitable.hpp>

#include "api/endpoints.hpp"
#include "quote/in_flight_mark.hpp"
#include "storage/event_json.hpp"
#include "storage/provider_json.hpp"
#include "telemetry/log.hpp"

namespace asio = boost::asio;

namespace quote_lab::api {
namespace {

using quote::quote_status;

/// What a client that left would have got; nginx's number for it. On the wire it is a 503, for whoever still
/// reads.
constexpr int client_closed_request = 499;

json quote_or_null(const std::optional<quote::given_quote>& given) {
  if (!given) return nullptr;
  const bool live = given->source == quote::quote_source::live;
  json document{{"quote_id", given->quote.quote_id},
                {"amount", given->quote.amount},
                {"currency", given->quote.currency},
                {"source", live ? "live" : "fallback"}};
  if (!live) document["cached_at"] = quote::iso8601(given->quote.at);
  return document;
}

json dependency_part(const quote::provider_record& record) {
  const auto updated = record.last_updated ? json(quote::iso8601(*record.last_updated)) : json(nullptr);
  return {{"name", record.name},
          {"circuit_status", to_string(record.circuit)},
          {"consecutive_failures", record.consecutive_failures},
          {"last_outcome", to_string(record.last_outcome)},
          {"last_latency_ms", storage::ms_json(record.last_latency.count())},
          {"last_updated", updated}};
}

json quote_document(const exchange& ex, const quote::quote_request& asked, const quote::outcome& outcome,
                    const quote::provider_record& provider) {
  return {{"mode", to_string(asked.mode)},
          {"scenario", to_string(asked.scenario)},
          {"status", to_string(outcome.status)},
          {"request_id", ex.who.request_id},
          {"trace_id", ex.who.trace_id},
          {"customer_id", asked.customer_id},
          {"items", asked.items},
          {"quote", quote_or_null(outcome.quote)},
          {"attempts", outcome.attempts},
          {"retries", outcome.retries()},
          {"timeout_count", outcome.failed_attempts},
          {"events", storage::events_json(outcome.events)},
          {"dependency", dependency_part(provider)}};
}

int http_status_of(const lab& lab, quote_status status) {
  switch (status) {
    case quote_status::completed:
    case quote_status::degraded:
      return 200;
    case quote_status::failed:
      return 503;
    case quote_status::cancelled:
      return lab.stopping ? 503 : client_closed_request;
  }
  return 500;
}

telemetry::incident incident_of(const exchange& ex, const quote::quote_request& asked,
                                const quote::outcome& outcome, int http_status) {
  telemetry::incident record;
  record.mode = asked.mode;
  record.scenario = asked.scenario;
  record.status = outcome.status;
  record.http_status = http_status;
  record.attempts = outcome.attempts;
  record.retries = outcome.retries();
  record.timeout_count = outcome.failed_attempts;
  record.fallback_used = outcome.fell_back();
  record.short_circuited = outcome.has<quote::short_circuited>();
  record.elapsed_ms = ex.elapsed().count();
  record.request_id = ex.who.request_id;
  record.trace_id = ex.who.trace_id;
  record.customer_id = asked.customer_id;
  record.items = asked.items;
  record.events = outcome.events;
  return record;
}

void log_quote(const exchange& ex, const telemetry::incident& record) {
  if (!telemetry::log_wants(telemetry::log_level::info)) return;
  telemetry::log(telemetry::log_level::info, "quote",
                 {{"request_id", record.request_id},
                  {"trace_id", record.trace_id},
                  {"traceparent", ex.who.traceparent},
                  {"mode", to_string(record.mode)},
                  {"scenario", to_string(record.scenario)},
                  {"status", to_string(record.status)},
                  {"http_status", record.http_status},
                  {"attempts", record.attempts},
                  {"elapsed_ms", storage::ms_json(record.elapsed_ms)}});
}

http::response answer_cancelled(lab& lab, exchange& ex, int http_status) {
  if (ex.counted) lab.telemetry.count_request(ex.route, ex.path, http_status, ex.elapsed());
  ex.counted = false;
  const auto* message = lab.stopping
                            ? "The quote was cancelled: the lab is stopping."
                            : "The quote was cancelled: the client closed its side of the connection.";
  auto response = answer_refusal(lab, ex, http::status::service_unavailable, message);
  response.close = true;
  return response;
}

/// `provider` as it stood when the quote ended: see when_settled.
http::response conclude(lab& lab, exchange ex, const quote::quote_request& asked,
                        const quote::outcome& outcome, const quote::provider_record& provider) {
  ex.ended = std::chrono::steady_clock::now();
  const int http_status = http_status_of(lab, outcome.status);
  auto record = incident_of(ex, asked, outcome, http_status);
  log_quote(ex, record);
  lab.telemetry.count_quote(outcome, std::move(record));
  if (outcome.status == quote_status::cancelled) return answer_cancelled(lab, ex, http_status);
  return answer_json(lab, ex, http::status(http_status), quote_document(ex, asked, outcome, provider));
}

asio::awaitable<http::response> run_and_conclude(lab& lab, exchange ex, quote::quote_request asked,
                                                 asio::awaitable<quote::outcome> work) {
  const quote::in_flight_mark mark(lab.quotes_in_flight[asked.mode]);
  const auto outcome = co_await std::move(work);
  const auto provider = lab.dependency.record();
  co_await lab.state_file.settled();
  co_return conclude(lab, std::move(ex), asked, outcome, provider);
}

/// As long as the slower of the flows is expected to take at the least: whole seconds, rounded up.
http::response answer_too_many(lab& lab, const exchange& ex) {
  ++lab.refused_too_many_quotes;
  auto response = answer_refusal(lab, ex, http::status::service_unavailable,
                                 "All " + std::to_string(lab.max_quotes_in_flight) +
                                     " places for quotes in flight are taken; try again in a second.");
  response.headers.push_back({"Retry-After", "1"});
  return response;
}

http::answer serve_quote(lab& lab, exchange ex, quote::mode mode) {
  query_values values(ex.request.query);
  quote::quote_request asked;
  asked.mode = mode;
  asked.scenario = values.scenario("scenario");
  asked.customer_id = values.integer("customer_id", 1, 5000, 42);
  asked.items = values.integer("items", 1, 50, 3);
  if (auto refused = finish_reading(lab, ex, std::move(values))) return std::move(*refused);
  // HEAD asks for nothing of the provider: the fields are those of a quote that was not tried.
  if (ex.is_head())
    return answer_json(lab, ex, http::status::ok, quote_document(ex, asked, {}, lab.dependency.record()));
  if (lab.quotes_in_flight[quote::mode::legacy] + lab.quotes_in_flight[quote::mode::resilient] >=
      lab.max_quotes_in_flight) {
    return answer_too_many(lab, ex);
  }
  auto begun = lab.flow.start(asked, lab.policies[mode]);
  if (auto* work = std::get_if<asio::awaitable<quote::outcome>>(&begun)) {
    return run_and_conclude(lab, std::move(ex), asked, std::move(*work));
  }
  auto refused = std::get<quote::outcome>(std::move(begun));
  return when_settled(
      lab, [&lab, ex = std::move(ex), asked, refused = std::move(refused),
            provider = lab.dependency.record()] { return conclude(lab, ex, asked, refused, provider); });
}

}  // namespace

http::answer quote_legacy(lab& lab, exchange ex) {
  return serve_quote(lab, std::move(ex), quote::mode::legacy);
}

http::answer quote_resilient(lab& lab, exchange ex) {
  return serve_quote(lab, std::move(ex), quote::mode::resilient);
}

}  // namespace quote_lab::api
