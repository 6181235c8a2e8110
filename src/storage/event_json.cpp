#include "storage/event_json.hpp"

#include "storage/json_members.hpp"
#include "storage/provider_json.hpp"

namespace quote_lab::storage {
namespace {

struct to_json {
  json operator()(const quote::attempt_failed& e) const {
    return {{"event", "attempt_failed"},
            {"attempt", e.attempt},
            {"reason", to_string(e.reason)},
            {"elapsed_ms", ms_json(e.elapsed.count())}};
  }
  json operator()(const quote::attempt_success& e) const {
    return {{"event", "attempt_success"}, {"attempt", e.attempt}, {"elapsed_ms", ms_json(e.elapsed.count())}};
  }
  json operator()(const quote::attempt_cancelled& e) const {
    return {{"event", "attempt_cancelled"},
            {"attempt", e.attempt},
            {"begun", e.begun},
            {"elapsed_ms", ms_json(e.elapsed.count())}};
  }
  json operator()(const quote::backed_off& e) const {
    return {{"event", "backoff"}, {"attempt", e.attempt}, {"wait_ms", ms_json(e.wait.count())}};
  }
  json operator()(const quote::circuit_opened& e) const {
    return {{"event", "circuit_opened"},
            {"attempt", e.attempt},
            {"consecutive_failures", e.consecutive_failures}};
  }
  json operator()(const quote::short_circuited& e) const {
    return {{"event", "circuit_open"}, {"action", "short_circuit"}, {"attempt", e.attempt}};
  }
  json operator()(const quote::fallback_used&) const { return {{"event", "fallback_used"}}; }
};

quote::event read_event(const json& value) {
  const auto name = string_member(value, "event");
  const auto attempt = small_count_member(value, "attempt");
  const quote::milliseconds elapsed(number_member(value, "elapsed_ms"));
  if (name == "attempt_failed") {
    const bool timeout = string_member(value, "reason") == to_string(quote::failure_reason::timeout);
    const auto reason = timeout ? quote::failure_reason::timeout : quote::failure_reason::provider_error;
    return quote::attempt_failed{attempt, reason, elapsed};
  }
  if (name == "attempt_success") return quote::attempt_success{attempt, elapsed};
  if (name == "attempt_cancelled")
    return quote::attempt_cancelled{attempt, elapsed, bool_member(value, "begun")};
  if (name == "backoff")
    return quote::backed_off{attempt, quote::milliseconds(number_member(value, "wait_ms"))};
  if (name == "circuit_opened") {
    return quote::circuit_opened{attempt, small_count_member(value, "consecutive_failures")};
  }
  if (name == "circuit_open") return quote::short_circuited{attempt};
  if (name == "fallback_used") return quote::fallback_used{};
  throw unreadable("there is no event '" + name + "'");
}

}  // namespace

json events_json(const std::vector<quote::event>& events) {
  auto array = json::array();
  for (const auto& each : events) array.push_back(std::visit(to_json{}, each));
  return array;
}

std::vector<quote::event> read_events(const json& array) {
  std::vector<quote::event> events;
  for (const auto& each : array) events.push_back(read_event(each));
  return events;
}

}  // namespace quote_lab::storage
