#include "telemetry/recorder.hpp"

#include <cmath>
#include <utility>

namespace quote_lab::telemetry {
namespace {

double rounded(quote::milliseconds value) {
  return std::round(value.count() * 100) / 100;
}

std::size_t class_of(int status) {
  return status >= 500 ? 2 : status >= 400 ? 1 : 0;
}

void count_attempts(mode_counters& counters, const std::vector<quote::event>& events) {
  for (const auto& each : events) {
    if (const auto* success = std::get_if<quote::attempt_success>(&each)) {
      counters.attempt_success.add(success->elapsed);
    } else if (const auto* failed = std::get_if<quote::attempt_failed>(&each)) {
      const bool timeout = failed->reason == quote::failure_reason::timeout;
      (timeout ? counters.attempt_timeout : counters.attempt_provider_error).add(failed->elapsed);
    } else if (const auto* cancelled = std::get_if<quote::attempt_cancelled>(&each)) {
      if (cancelled->begun) counters.attempt_cancelled.add(cancelled->elapsed);
    }
  }
}

void count_result(mode_counters& counters, quote::quote_status status, quote::scenario scenario) {
  if (status == quote::quote_status::cancelled) {
    ++counters.cancelled;
    return;
  }
  const bool success = status == quote::quote_status::completed;
  ++(success ? counters.successes : counters.failures);
  auto& by_scenario = counters.by_scenario[scenario];
  ++(success ? by_scenario.successes : by_scenario.failures);
}

}  // namespace

recorder::recorder(retention keep, std::function<quote::wall_time()> wall_now)
    : keep_(keep), wall_now_(std::move(wall_now)), state_(keep) {}

void recorder::count_request(std::string_view route, std::string_view path, int status,
                             quote::milliseconds elapsed) {
  const double ms = rounded(elapsed);
  ++state_.requests;
  state_.samples_ms.add(ms);
  auto entry = state_.routes.find(route);
  if (entry == state_.routes.end()) {
    entry = state_.routes.emplace(std::string(route), samples(keep_.route_samples)).first;
  }
  entry->second.add(ms);
  ++state_.status_counts[class_of(status)];
  state_.last_path = std::string(path.substr(0, longest_last_path));
  state_.last_status = status;
  state_.last_updated = wall_now_();
  on_change_();
}

void recorder::count_quote(const quote::outcome& outcome, incident record) {
  auto& counters = state_.modes[record.mode];
  counters.attempts_total += record.attempts;
  counters.retries_total += record.retries;
  counters.timeouts_total += record.timeout_count;
  if (record.fallback_used) ++counters.fallbacks_used;
  if (record.short_circuited) ++counters.short_circuits;
  if (outcome.has<quote::circuit_opened>()) ++counters.circuit_opens;
  count_result(counters, outcome.status, record.scenario);
  count_attempts(counters, outcome.events);
  counters.quote_duration.add(quote::milliseconds(record.elapsed_ms));

  record.at = wall_now_();
  if (state_.incidents.size() == keep_.incidents) state_.incidents.pop_front();
  state_.incidents.push_back(std::move(record));
  on_change_();
}

void recorder::reset() {
  state_ = state(keep_);
  on_change_();
}

void recorder::restore(state saved) {
  state_ = std::move(saved);
  while (state_.incidents.size() > keep_.incidents) state_.incidents.pop_front();
}

}  // namespace quote_lab::telemetry
