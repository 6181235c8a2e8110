// What happened, and how the provider stands.
#include "api/documents.hpp"
#include "api/endpoints.hpp"

namespace quote_lab::api {

http::answer dependency_state(lab& lab, exchange ex) {
  return when_settled(lab, [&lab, ex = std::move(ex), document = dependency_document(lab)] {
    return answer_json(lab, ex, http::status::ok, document);
  });
}

http::answer incidents(lab& lab, exchange ex) {
  query_values values(ex.request.query);
  const int limit = values.integer("limit", 1, 50, 10);
  if (auto refused = finish_reading(lab, ex, std::move(values))) return std::move(*refused);
  json document{{"limit", limit},
                {"incidents", incidents_document(lab.telemetry.now(), static_cast<std::size_t>(limit))}};
  return answer_json(lab, ex, http::status::ok, std::move(document));
}

http::answer diagnostics_summary(lab& lab, exchange ex) {
  json document{{"case", case_name},
                {"stack", stack_name},
                {"metrics", summary_document(lab.telemetry.now())},
                {"dependency", dependency_document(lab)},
                {"policies", policies_document(lab.policies)}};
  return when_settled(lab, [&lab, ex = std::move(ex), document = std::move(document)] {
    return answer_json(lab, ex, http::status::ok, document);
  });
}

}  // namespace quote_lab::api
