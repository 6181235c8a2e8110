// What this is, for a program, for a person with a browser, and for whoever must know whether it is well.
#include "api/accept.hpp"
#include "api/documents.hpp"
#include "api/endpoints.hpp"
#include "api/routes.hpp"
#include "web/page.hpp"

namespace quote_lab::api {
namespace {

json about_document() {
  auto described = json::object();
  for (const auto& each : routes())
    described[std::string(each.path) + std::string(each.example)] = each.purpose;
  auto scenarios = json::array();
  for (const auto each : quote::all_scenarios) scenarios.push_back(to_string(each));
  return {
      {"lab", "Problem-Driven Systems Lab"},
      {"case", case_name},
      {"stack", stack_name},
      {"goal",
       "Compare an aggressive retry policy (legacy) with a resilient one: timeouts that cancel the work, "
       "back-off with jitter, circuit breaker and fallback."},
      {"routes", std::move(described)},
      {"allowed_scenarios", std::move(scenarios)},
      {"cpp_specific",
       "A timeout is a steady_timer that cancels the attempt through Asio's cancellation slots, all the "
       "way down: when it strikes, nothing of the provider call is left. It is this lab's AbortController."}};
}

std::string page_text(lab& lab) {
  web::page_facts facts;
  const auto record = lab.dependency.record();
  facts.provider = record.name;
  facts.circuit_status = to_string(record.circuit);
  facts.consecutive_failures = record.consecutive_failures;
  for (const auto& each : routes()) {
    facts.links.push_back({std::string(each.path) + std::string(each.example), std::string(each.purpose)});
  }
  return web::page(facts);
}

http::response answer_page(lab& lab, const exchange& ex, std::string text) {
  auto response = answer_text(lab, ex, http::status::ok, "text/html; charset=utf-8", std::move(text));
  for (const auto& each : web::security_headers()) response.headers.push_back(each);
  response.headers.push_back({"Vary", "Accept"});
  return response;
}

json file_document(const storage::saved_file& file) {
  const auto& health = file.health();
  json document{{"status", health.failing ? "failing" : "ok"}};
  if (health.failing) document["error"] = health.error;
  return document;
}

}  // namespace

http::answer about(lab& lab, exchange ex) {
  if (prefers_html(ex.request.find_header("Accept").value_or(""))) {
    return when_settled(
        lab, [&lab, ex = std::move(ex), text = page_text(lab)] { return answer_page(lab, ex, text); });
  }
  auto response = answer_json(lab, ex, http::status::ok, about_document());
  response.headers.push_back({"Vary", "Accept"});
  return response;
}

http::answer health(lab& lab, exchange ex) {
  const bool failing = lab.state_file.health().failing || lab.telemetry_file.health().failing;
  json document{{"status", "ok"},
                {"stack", stack_name},
                {"storage",
                 {{"status", failing ? "failing" : "ok"},
                  {"dependency_state", file_document(lab.state_file)},
                  {"telemetry", file_document(lab.telemetry_file)}}}};
  return answer_json(lab, ex, http::status::ok, std::move(document));
}

}  // namespace quote_lab::api
