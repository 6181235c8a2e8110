// The telemetry, for people and for Prometheus: two views of the same numbers.
#include "api/documents.hpp"
#include "api/endpoints.hpp"
#include "telemetry/prometheus_text.hpp"

namespace quote_lab::api {
namespace {

telemetry::file_gauges gauges_of(const storage::saved_file& file) {
  return {file.path().filename().string(), !file.health().failing, file.health().failures};
}

telemetry::gauges gauges_of(lab& lab) {
  telemetry::gauges gauges;
  gauges.provider = lab.dependency.record().name;
  for (const auto mode : quote::all_modes)
    gauges.provider_calls_in_flight[mode] = lab.provider.in_flight(mode);
  gauges.quotes_in_flight = lab.quotes_in_flight;
  gauges.breaker = lab.dependency.breaker_snapshot();
  gauges.files = {gauges_of(lab.state_file), gauges_of(lab.telemetry_file)};
  gauges.files_moved_aside = lab.files_moved_aside;
  gauges.refused = {{"too_many_quotes", lab.refused_too_many_quotes}, {"strict_query", lab.refused_strict}};
  lab.fill_server_gauges(gauges);
  return gauges;
}

}  // namespace

http::answer metrics(lab& lab, exchange ex) {
  json document{{"case", case_name}, {"stack", stack_name}};
  document.update(summary_document(lab.telemetry.now()));
  return answer_json(lab, ex, http::status::ok, std::move(document));
}

http::answer metrics_prometheus(lab& lab, exchange ex) {
  auto text = telemetry::prometheus_text(lab.telemetry.now(), gauges_of(lab));
  return when_settled(lab, [&lab, ex = std::move(ex), text = std::move(text)] {
    return answer_text(lab, ex, http::status::ok, telemetry::prometheus_content_type, text);
  });
}

}  // namespace quote_lab::api
