#include "storage/telemetry_json.hpp"

#include "storage/event_json.hpp"
#include "storage/json_members.hpp"
#include "storage/provider_json.hpp"

namespace quote_lab::storage {
namespace {

constexpr std::array<std::string_view, 3> status_classes{"2xx", "4xx", "5xx"};

/// Each histogram of a mode, under the name it has on disk.
struct named_histogram {
  std::string_view name;
  telemetry::histogram telemetry::mode_counters::*where;
};
constexpr std::array histograms{
    named_histogram{"quote_duration", &telemetry::mode_counters::quote_duration},
    named_histogram{"attempt_success", &telemetry::mode_counters::attempt_success},
    named_histogram{"attempt_timeout", &telemetry::mode_counters::attempt_timeout},
    named_histogram{"attempt_provider_error", &telemetry::mode_counters::attempt_provider_error},
    named_histogram{"attempt_cancelled", &telemetry::mode_counters::attempt_cancelled}};

/// Each plain counter of a mode, in the order in which it is shown.
struct named_counter {
  std::string_view name;
  std::uint64_t telemetry::mode_counters::*where;
};
constexpr std::array case_counters{
    named_counter{"successes", &telemetry::mode_counters::successes},
    named_counter{"failures", &telemetry::mode_counters::failures},
    named_counter{"attempts_total", &telemetry::mode_counters::attempts_total},
    named_counter{"retries_total", &telemetry::mode_counters::retries_total},
    named_counter{"timeouts_total", &telemetry::mode_counters::timeouts_total},
    named_counter{"fallbacks_used", &telemetry::mode_counters::fallbacks_used},
    named_counter{"circuit_opens", &telemetry::mode_counters::circuit_opens},
    named_counter{"short_circuits", &telemetry::mode_counters::short_circuits}};

json samples_json(const telemetry::samples& samples) {
  auto array = json::array();
  for (const double ms : samples.values()) array.push_back(ms_json(ms));
  return array;
}

void read_samples(const json& array, telemetry::samples& into) {
  if (!array.is_array())
    throw unreadable(std::string("samples should be an array, not ") + array.type_name());
  for (const auto& each : array) {
    if (!each.is_number())
      throw unreadable(std::string("a sample should be a number, not ") + each.type_name());
    const auto ms = each.get<double>();
    constexpr double longest_ms = 1e9;
    if (!(ms >= 0 && ms <= longest_ms)) throw unreadable("a sample should be milliseconds from 0 up");
    into.add(ms);
  }
}

json histograms_json(const telemetry::mode_counters& counters) {
  auto all = json::object();
  for (const auto& [name, where] : histograms) {
    const auto& histogram = counters.*where;
    all[name] = {{"counts", histogram.counts}, {"sum_s", histogram.sum_s}};
  }
  return all;
}

/// Buckets that are not today's are of no use and are left out: the histogram starts afresh.
telemetry::histogram read_histogram(const json& value) {
  telemetry::histogram result;
  if (value.is_null()) return result;
  const auto& counts = array_member(value, "counts");
  if (counts.size() != result.counts.size()) return result;
  for (std::size_t i = 0; i < result.counts.size(); ++i) {
    if (!counts[i].is_number_unsigned())
      throw unreadable("a bucket's count should be a whole number from 0 up");
    result.counts[i] = counts[i].get<std::uint64_t>();
  }
  result.sum_s = number_member(value, "sum_s");
  return result;
}

telemetry::mode_counters read_mode(const json& value) {
  telemetry::mode_counters counters;
  if (value.is_null()) return counters;
  for (const auto& [name, where] : case_counters) counters.*where = count_member(value, name);
  counters.cancelled = count_member(value, "cancelled");
  if (const auto& by_scenario = member(value, "by_scenario"); !by_scenario.is_null()) {
    for (const auto scenario : quote::all_scenarios) {
      const auto& seen = member(by_scenario, to_string(scenario));
      if (seen.is_null()) continue;
      counters.by_scenario[scenario] = {count_member(seen, "successes"), count_member(seen, "failures")};
    }
  }
  if (const auto& saved = member(value, "histograms"); !saved.is_null()) {
    for (const auto& [name, where] : histograms) counters.*where = read_histogram(member(saved, name));
  }
  return counters;
}

quote::quote_status read_status(const std::string& name) {
  using enum quote::quote_status;
  for (const auto each : {completed, degraded, failed, cancelled}) {
    if (to_string(each) == name) return each;
  }
  throw unreadable("an incident's status should not be '" + name + "'");
}

telemetry::incident read_incident(const json& value) {
  telemetry::incident read;
  read.mode = string_member(value, "mode") == "legacy" ? quote::mode::legacy : quote::mode::resilient;
  read.scenario = quote::scenario_named(string_member(value, "scenario")).value_or(quote::scenario::ok);
  read.status = read_status(string_member(value, "status"));
  read.http_status = static_cast<int>(small_count_member(value, "http_status"));
  read.attempts = small_count_member(value, "attempts");
  read.retries = small_count_member(value, "retries");
  read.timeout_count = small_count_member(value, "timeout_count");
  read.fallback_used = bool_member(value, "fallback_used");
  read.short_circuited = bool_member(value, "short_circuited");
  read.elapsed_ms = number_member(value, "elapsed_ms");
  read.at = time_member(value, "timestamp_utc").value_or(quote::wall_time{});
  read.request_id = string_member(value, "request_id");
  read.trace_id = string_member(value, "trace_id");
  read.customer_id = static_cast<int>(small_count_member(value, "customer_id"));
  read.items = static_cast<int>(small_count_member(value, "items"));
  read.events = read_events(array_member(value, "events"));
  return read;
}

void read_routes(const json& routes, const telemetry::retention& keep,
                 const std::function<bool(std::string_view)>& is_route, telemetry::state& into) {
  if (routes.is_null()) return;
  if (!routes.is_object())
    throw unreadable(std::string("'routes' should be an object, not ") + routes.type_name());
  for (const auto& [path, values] : routes.items()) {
    const std::string_view route = is_route(path) ? std::string_view(path) : telemetry::unmatched_route;
    auto entry = into.routes.find(route);
    if (entry == into.routes.end()) {
      entry = into.routes.emplace(std::string(route), telemetry::samples(keep.route_samples)).first;
    }
    read_samples(values, entry->second);
  }
}

}  // namespace

json incident_json(const telemetry::incident& incident) {
  return {{"mode", to_string(incident.mode)},
          {"scenario", to_string(incident.scenario)},
          {"status", to_string(incident.status)},
          {"http_status", incident.http_status},
          {"attempts", incident.attempts},
          {"retries", incident.retries},
          {"timeout_count", incident.timeout_count},
          {"fallback_used", incident.fallback_used},
          {"short_circuited", incident.short_circuited},
          {"elapsed_ms", ms_json(incident.elapsed_ms)},
          {"timestamp_utc", quote::iso8601(incident.at)},
          {"request_id", incident.request_id},
          {"trace_id", incident.trace_id},
          {"customer_id", incident.customer_id},
          {"items", incident.items},
          {"events", events_json(incident.events)}};
}

json status_counts_json(const telemetry::state& state) {
  auto counts = json::object();
  for (std::size_t i = 0; i < status_classes.size(); ++i) counts[status_classes[i]] = state.status_counts[i];
  return counts;
}

json mode_json(const telemetry::mode_counters& counters) {
  auto mode = json::object();
  for (const auto& [name, where] : case_counters) mode[name] = counters.*where;
  auto& by_scenario = mode["by_scenario"] = json::object();
  for (const auto& [scenario, seen] : counters.by_scenario) {
    by_scenario[to_string(scenario)] = {{"successes", seen.successes}, {"failures", seen.failures}};
  }
  mode["cancelled"] = counters.cancelled;
  return mode;
}

json telemetry_json(const telemetry::state& state) {
  auto routes = json::object();
  for (const auto& [path, samples] : state.routes) routes[path] = samples_json(samples);
  auto modes = json::object();
  for (const auto mode : quote::all_modes) {
    modes[to_string(mode)] = mode_json(state.modes[mode]);
    modes[to_string(mode)]["histograms"] = histograms_json(state.modes[mode]);
  }
  auto incidents = json::array();
  for (const auto& incident : state.incidents) incidents.push_back(incident_json(incident));
  return {{"requests", state.requests},
          {"samples_ms", samples_json(state.samples_ms)},
          {"routes", std::move(routes)},
          {"status_counts", status_counts_json(state)},
          {"last_path", state.last_path ? json(*state.last_path) : json(nullptr)},
          {"last_status", state.last_status},
          {"last_updated", state.last_updated ? json(quote::iso8601(*state.last_updated)) : json(nullptr)},
          {"modes", std::move(modes)},
          {"recent_incidents", std::move(incidents)}};
}

telemetry::state read_telemetry(const json& file, const telemetry::retention& keep,
                                const std::function<bool(std::string_view)>& is_route) {
  telemetry::state state(keep);
  state.requests = count_member(file, "requests");
  read_samples(array_member(file, "samples_ms"), state.samples_ms);
  read_routes(member(file, "routes"), keep, is_route, state);
  if (const auto& counts = member(file, "status_counts"); !counts.is_null()) {
    for (std::size_t i = 0; i < status_classes.size(); ++i)
      state.status_counts[i] = count_member(counts, status_classes[i]);
  }
  if (!member(file, "last_path").is_null())
    state.last_path = string_member(file, "last_path").substr(0, telemetry::longest_last_path);
  state.last_status = static_cast<int>(small_count_member(file, "last_status", 200));
  state.last_updated = time_member(file, "last_updated");
  if (const auto& modes = member(file, "modes"); !modes.is_null()) {
    for (const auto mode : quote::all_modes) state.modes[mode] = read_mode(member(modes, to_string(mode)));
  }
  for (const auto& each : array_member(file, "recent_incidents"))
    state.incidents.push_back(read_incident(each));
  return state;
}

}  // namespace quote_lab::storage
