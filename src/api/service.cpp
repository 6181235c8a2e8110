#include "api/service.hpp"

#include "api/routes.hpp"
#include "telemetry/log.hpp"

namespace asio = boost::asio;

namespace quote_lab::api {
namespace {

http::response answer_fault(lab& lab, const exchange& ex, const std::exception& fault) {
  telemetry::log(telemetry::log_level::error, "fault",
                 {{"request_id", ex.who.request_id}, {"path", ex.path}, {"message", fault.what()}});
  return answer_refusal(lab, ex, http::status::internal_server_error, fault.what());
}

asio::awaitable<http::response> guarded(lab& lab, exchange ex, asio::awaitable<http::response> work) {
  try {
    co_return co_await std::move(work);
  } catch (const std::exception& fault) {
    co_return answer_fault(lab, ex, fault);
  }
}

/// What an answer needs of an exchange whose request an endpoint takes along.
exchange without_request(const exchange& whole) {
  exchange part;
  part.request.method = whole.request.method;
  part.path = whole.path;
  part.route = whole.route;
  part.counted = whole.counted;
  part.who = whole.who;
  part.began = whole.began;
  return part;
}

exchange begin(lab& lab, http::request& request, std::string_view path) {
  exchange ex;
  ex.who = identify(request, lab.engine);
  ex.path = path;
  ex.route = telemetry::unmatched_route;
  ex.request = std::move(request);
  return ex;
}

http::answer run(lab& lab, const route_entry& entry, http::request& request) {
  auto ex = begin(lab, request, entry.path);
  ex.route = entry.path;
  ex.counted = entry.counted;
  if (entry.example.empty()) {
    // A route without parameters: whatever came was not taken.
    if (auto refused = finish_reading(lab, ex, query_values(ex.request.query))) return std::move(*refused);
  }
  auto kept = without_request(ex);
  try {
    auto answer = entry.run(lab, std::move(ex));
    if (auto* work = std::get_if<asio::awaitable<http::response>>(&answer)) {
      return guarded(lab, std::move(kept), std::move(*work));
    }
    return answer;
  } catch (const std::exception& fault) {
    return answer_fault(lab, kept, fault);
  }
}

std::vector<http::route> http_routes(lab& lab) {
  std::vector<http::route> table;
  for (const auto& each : routes()) {
    http::route route{each.path, {http::verb::get}, {}};
    if (each.also_post) route.methods.push_back(http::verb::post);
    route.run = [&lab, &each](http::request& request) { return run(lab, each, request); };
    table.push_back(std::move(route));
  }
  return table;
}

http::answer answer_lookup(lab&, http::request& request, std::string_view, const http::found& found) {
  return found.to->run(request);
}

http::answer answer_lookup(lab& lab, http::request& request, std::string_view path, const http::not_found&) {
  const auto ex = begin(lab, request, path);
  return answer_json(lab, ex, http::status::not_found, {{"error", "Route not found"}, {"path", ex.path}});
}

/// Counted under its route: the path is one of the lab's, though the method is not.
exchange begin_on_route(lab& lab, http::request& request, std::string_view path) {
  auto ex = begin(lab, request, path);
  if (const auto* entry = find_route(path)) {
    ex.route = entry->path;
    ex.counted = entry->counted;
  }
  return ex;
}

http::answer answer_lookup(lab& lab, http::request& request, std::string_view path,
                           const http::method_not_allowed& problem) {
  const auto ex = begin_on_route(lab, request, path);
  const std::string method(boost::beast::http::to_string(ex.request.method));
  auto response =
      answer_refusal(lab, ex, http::status::method_not_allowed,
                     method + " is not allowed on " + ex.path + "; allowed are " + problem.allow + ".");
  response.headers.push_back({"Allow", problem.allow});
  return response;
}

http::answer answer_lookup(lab& lab, http::request& request, std::string_view path,
                           const http::options_asked& asked) {
  const auto ex = begin_on_route(lab, request, path);
  auto response = answer_text(lab, ex, http::status::no_content, {}, {});
  response.headers.push_back({"Allow", asked.allow});
  return response;
}

}  // namespace

service::service(lab& lab, const std::string& prefix) : lab_(lab), router_(http_routes(lab), prefix) {}

http::answer service::handle(http::request request) {
  // The path that the lookup gives back is a part of this one, which the exchange is about to take.
  const std::string path = request.path;
  const auto lookup = router_.find(request.method, path);
  return std::visit([&](const auto& result) { return answer_lookup(lab_, request, lookup.path, result); },
                    lookup.result);
}

http::response service::refuse(const http::refusal& why) {
  exchange ex;
  ex.who = identify_stranger(lab_.engine);
  ex.path = router_.without_prefix(why.path);
  ex.route = telemetry::unmatched_route;
  return answer_refusal(lab_, ex, why.code, why.message);
}

}  // namespace quote_lab::api
