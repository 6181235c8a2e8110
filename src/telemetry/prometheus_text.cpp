#include "telemetry/prometheus_text.hpp"

#include <cmath>
#include <sstream>

#include <prometheus/text_serializer.h>

#include "telemetry/families.hpp"
#include "telemetry/process_metrics.hpp"

namespace quote_lab::telemetry {
namespace {

using families = std::vector<prometheus::MetricFamily>;
using resilience::breaker_state;

constexpr std::array all_states{breaker_state::closed, breaker_state::open, breaker_state::half_open};

void add(families& to, family made) {
  to.push_back(std::move(made).take());
}

/// A family with one series for each mode, whose value `of` says.
template <class Of>
family each_mode(family made, Of of) {
  for (const auto mode : quote::all_modes) made.add({{"mode", std::string(to_string(mode))}}, of(mode));
  return made;
}

double whole(std::uint64_t count) {
  return static_cast<double>(count);
}

/// Attempts for each quote that came to an end, to three decimals, as the Node.js case has it.
double avg_attempts(const mode_counters& counters) {
  const double ended = whole(std::max<std::uint64_t>(1, counters.successes + counters.failures));
  return std::round(whole(counters.attempts_total) / ended * 1000) / 1000;
}

void add_case_families(families& to, const state& counted, const gauges& moment) {
  const auto per_mode = [&](std::string name, std::string help, std::uint64_t mode_counters::*where) {
    add(to, each_mode(counter(std::move(name), std::move(help)),
                      [&](quote::mode mode) { return whole(counted.modes[mode].*where); }));
  };
  add(to, counter("app_requests_total", "Requests answered, but for the metrics and the reset.")
              .add({}, whole(counted.requests)));
  per_mode("app_flow_success_total", "Quotes completed with a live answer.", &mode_counters::successes);
  per_mode("app_flow_failure_total", "Quotes failed, those that a fallback covered among them.",
           &mode_counters::failures);
  per_mode("app_flow_timeouts_total", "Failed attempts, by timeout or by the provider's error.",
           &mode_counters::timeouts_total);
  per_mode("app_flow_fallback_total", "Quotes answered with the last quote known.",
           &mode_counters::fallbacks_used);
  per_mode("app_flow_circuit_open_total", "Quotes whose failed attempt opened the breaker.",
           &mode_counters::circuit_opens);
  add(to, each_mode(
              gauge("app_flow_avg_attempts",
                    "Attempts divided by quotes completed or failed, since the last reset. For a ratio over "
                    "time divide the rates of quote_lab_attempts_total and of the two app_flow counters."),
              [&](quote::mode mode) { return avg_attempts(counted.modes[mode]); }));
  add(to, gauge("dependency_circuit_open", "1 while the breaker is open; half-open is 0.")
              .add({{"provider", moment.provider}}, moment.breaker.state == breaker_state::open ? 1 : 0));
}

void add_flow_families(families& to, const state& counted, const gauges& moment) {
  const auto per_mode = [&](std::string name, std::string help, std::uint64_t mode_counters::*where) {
    add(to, each_mode(counter(std::move(name), std::move(help)),
                      [&](quote::mode mode) { return whole(counted.modes[mode].*where); }));
  };
  per_mode("quote_lab_attempts_total", "Calls of the provider, counted when their quote ends.",
           &mode_counters::attempts_total);
  per_mode("quote_lab_retries_total", "Attempts after the first of a quote, counted when it ends.",
           &mode_counters::retries_total);
  per_mode("quote_lab_short_circuits_total", "Quotes that the open breaker cut short.",
           &mode_counters::short_circuits);
  per_mode("quote_lab_quotes_cancelled_total", "Quotes cancelled because the client left.",
           &mode_counters::cancelled);
  add(to, each_mode(gauge("quote_lab_quotes_in_flight", "Quotes begun and not ended."),
                    [&](quote::mode mode) { return moment.quotes_in_flight[mode]; }));
  add(to, each_mode(gauge("quote_lab_provider_calls_in_flight", "Calls of the provider begun and not ended."),
                    [&](quote::mode mode) { return moment.provider_calls_in_flight[mode]; }));
}

void add_durations(families& to, const state& counted) {
  family quotes("quote_lab_quote_duration_seconds", "From a quote's request to its outcome.",
                prometheus::MetricType::Histogram);
  family attempts("quote_lab_attempt_duration_seconds", "One call of the provider, to its answer or its cut.",
                  prometheus::MetricType::Histogram);
  for (const auto mode : quote::all_modes) {
    const std::string name(to_string(mode));
    const auto& counters = counted.modes[mode];
    quotes.add({{"mode", name}}, counters.quote_duration);
    attempts.add({{"mode", name}, {"outcome", "success"}}, counters.attempt_success);
    attempts.add({{"mode", name}, {"outcome", "timeout"}}, counters.attempt_timeout);
    attempts.add({{"mode", name}, {"outcome", "provider_error"}}, counters.attempt_provider_error);
    attempts.add({{"mode", name}, {"outcome", "cancelled"}}, counters.attempt_cancelled);
  }
  add(to, std::move(quotes));
  add(to, std::move(attempts));
}

void add_breaker_families(families& to, const resilience::breaker_snapshot& breaker) {
  family one_hot = gauge("quote_lab_breaker_state", "1 for the state the breaker is in, 0 for the others.");
  family transitions = counter("quote_lab_breaker_transitions_total", "Changes of the breaker's state.");
  for (const auto from : all_states) {
    one_hot.add({{"state", std::string(to_string(from))}}, breaker.state == from ? 1 : 0);
    for (const auto into : all_states) {
      if (from == into) continue;
      transitions.add({{"from", std::string(to_string(from))}, {"to", std::string(to_string(into))}},
                      whole(breaker.totals.transitions_between(from, into)));
    }
  }
  add(to, std::move(one_hot));
  add(to, std::move(transitions));
  add(to, gauge("quote_lab_breaker_consecutive_failures", "Failures in a row, of both modes.")
              .add({}, breaker.consecutive_failures));
  add(to,
      gauge("quote_lab_breaker_permits_out", "Calls that the breaker let through and that have not ended.")
          .add({}, whole(breaker.permits_out)));
  add(to, counter("quote_lab_breaker_permitted_total", "Calls that the breaker let through.")
              .add({}, whole(breaker.totals.permitted)));
  add(to, counter("quote_lab_breaker_rejected_total", "Calls that the breaker refused.")
              .add({}, whole(breaker.totals.rejected)));
  add(to, counter("quote_lab_breaker_stale_results_total",
                  "Results of calls permitted before the last transition: counted, not used.")
              .add({}, whole(breaker.totals.stale)));
}

void add_server_families(families& to, const state& counted, const gauges& moment) {
  constexpr std::array<std::string_view, 3> classes{"2xx", "4xx", "5xx"};
  family responses = counter("quote_lab_responses_total", "Answers by class of status.");
  for (std::size_t i = 0; i < classes.size(); ++i) {
    responses.add({{"class", std::string(classes[i])}}, whole(counted.status_counts[i]));
  }
  add(to, std::move(responses));
  add(to, gauge("quote_lab_connections_open", "Connections open.").add({}, whole(moment.connections_open)));
  add(to, counter("quote_lab_connections_accepted_total", "Connections accepted.")
              .add({}, whole(moment.connections_accepted)));
  family refused = counter("quote_lab_http_refused_total", "Requests and connections refused, by reason.");
  for (const auto& [reason, count] : moment.refused) refused.add({{"reason", reason}}, whole(count));
  add(to, std::move(refused));
}

void add_lab_families(families& to, const gauges& moment) {
  family healthy = gauge("quote_lab_state_write_healthy", "1 when the last write of the file succeeded.");
  family failures = counter("quote_lab_state_write_failures_total", "Writes of the file that failed.");
  for (const auto& each : moment.files) {
    healthy.add({{"file", each.file}}, each.healthy ? 1 : 0);
    failures.add({{"file", each.file}}, whole(each.write_failures));
  }
  add(to, std::move(healthy));
  add(to, std::move(failures));
  add(to,
      counter("quote_lab_state_files_moved_aside_total", "State files that could not be read at the start.")
          .add({}, whole(moment.files_moved_aside)));
  add(to, counter("quote_lab_log_lines_dropped_total",
                  "Log lines dropped because nobody read stdout fast enough.")
              .add({}, whole(moment.log_lines_dropped)));
  add(to, gauge("quote_lab_build_info", "Always 1; the labels say what is running.")
              .add({{"version", moment.version}, {"compiler", moment.compiler}}, 1));
}

}  // namespace

std::string prometheus_text(const state& counted, const gauges& at_the_moment) {
  families all;
  add_case_families(all, counted, at_the_moment);
  add_flow_families(all, counted, at_the_moment);
  add_durations(all, counted);
  add_breaker_families(all, at_the_moment.breaker);
  add_server_families(all, counted, at_the_moment);
  add_lab_families(all, at_the_moment);
  for (auto& each : process_families()) all.push_back(std::move(each));
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, all);
  return text.str();
}

}  // namespace quote_lab::telemetry
