// The lab, afresh.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/this_coro.hpp>

#include "api/endpoints.hpp"

namespace asio = boost::asio;

namespace quote_lab::api {
namespace {

/// A browser that fetches ahead of the user has not been asked to reset anything (Sec-Purpose: Fetch
/// Metadata; the other two are what older browsers send).
bool is_sent_ahead(const http::request& request) {
  for (const auto name : {"Sec-Purpose", "Purpose", "X-Moz"}) {
    const auto value = request.find_header(name);
    if (value && value->find("prefetch") != std::string_view::npos) return true;
  }
  return false;
}

http::response answer_reset(lab& lab, const exchange& ex) {
  return answer_json(lab, ex, http::status::ok,
                     {{"status", "reset"}, {"message", "State and telemetry start afresh."}});
}

void start_afresh(lab& lab) {
  lab.dependency.reset();
  lab.telemetry.reset();
  lab.reset_server_counters();
  lab.state_file.reset_counters();
  lab.telemetry_file.reset_counters();
  lab.files_moved_aside = 0;
  lab.refused_too_many_quotes = 0;
  lab.refused_strict = 0;
}

/// The client is told once the disk says so too: a crash after the answer must not bring the old state back.
asio::awaitable<http::response> settle_reset(lab& lab, exchange ex) {
  // A client that leaves meanwhile has reset the lab nevertheless, and that is no fault.
  co_await asio::this_coro::throw_if_cancelled(false);
  lab.state_file.touch_urgently();
  lab.telemetry_file.touch_urgently();
  co_await lab.state_file.settled();
  co_await lab.telemetry_file.settled();
  co_return answer_reset(lab, ex);
}

}  // namespace

http::answer reset_lab(lab& lab, exchange ex) {
  if (ex.is_head()) return answer_reset(lab, ex);
  if (is_sent_ahead(ex.request)) {
    return answer_refusal(lab, ex, http::status::service_unavailable,
                          "The lab is not reset by a request that a browser sends ahead of its user.");
  }
  start_afresh(lab);
  return settle_reset(lab, std::move(ex));
}

}  // namespace quote_lab::api
