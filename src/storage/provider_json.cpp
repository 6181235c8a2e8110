#include "storage/provider_json.hpp"

#include <cmath>

#include "storage/json_members.hpp"

namespace quote_lab::storage {
namespace {

using resilience::breaker_state;

/// As far as JavaScript's Date goes; a time beyond it is no time.
constexpr double largest_epoch_ms = 8.64e15;

json time_or_null(const std::optional<quote::wall_time>& time) {
  return time ? json(quote::iso8601(*time)) : json(nullptr);
}

json epoch_ms_or_null(const std::optional<quote::wall_time>& time) {
  return time ? json(quote::epoch_ms(*time)) : json(nullptr);
}

quote::last_outcome read_last_outcome(const std::string& name) {
  for (const auto each :
       {quote::last_outcome::unknown, quote::last_outcome::success, quote::last_outcome::failure}) {
    if (to_string(each) == name) return each;
  }
  throw unreadable("'last_outcome' should be unknown, success or failure, not '" + name + "'");
}

std::optional<quote::wall_time> read_opened_until(const json& provider) {
  if (member(provider, "opened_until").is_null()) return std::nullopt;
  const double ms = number_member(provider, "opened_until");
  if (ms < 0 || ms > largest_epoch_ms) throw unreadable("'opened_until' should be milliseconds since 1970");
  // A steady_clock counts nanoseconds, which end in 2262: later is as good as never, and is cut to a period
  // anyway.
  constexpr double year_2200_ms = 7.258e12;
  return quote::from_epoch_ms(static_cast<std::int64_t>(std::fmin(ms, year_2200_ms)));
}

/// opened_until decides, since the Node.js case writes it and leaves our own member as it was. Half-open is
/// ours alone, and holds unless the other case has heard of the provider since: then last_updated has moved
/// on.
breaker_state read_circuit(const json& file, const quote::provider_record& record) {
  if (record.opened_until) return breaker_state::open;
  const auto& breaker = member(file, "breaker");
  if (breaker.is_null() || string_member(breaker, "state") != "half_open") return breaker_state::closed;
  const bool is_latest = time_member(breaker, "last_updated") == record.last_updated;
  return is_latest ? breaker_state::half_open : breaker_state::closed;
}

quote::known_quote read_cached(const json& provider) {
  const auto& value = object_member(provider, "fallback_quote");
  auto cached = quote::seed_quote(time_member(value, "cached_at").value_or(quote::wall_time{}));
  cached.quote_id = string_member(value, "quote_id", cached.quote_id);
  cached.amount = number_member(value, "amount", cached.amount);
  cached.currency = string_member(value, "currency", cached.currency);
  return cached;
}

}  // namespace

json ms_json(double ms) {
  // From here on a double has no hundredths, and the largest would become infinite, which JSON has no word
  // for.
  constexpr double exact = 1e13;
  if (std::abs(ms) >= exact) return ms;
  const double rounded = std::round(ms * 100) / 100;
  if (std::floor(rounded) == rounded) return static_cast<std::int64_t>(rounded);
  return rounded;
}

json provider_json(const quote::provider_record& record) {
  return {{"name", record.name},
          {"consecutive_failures", record.consecutive_failures},
          {"opened_until", epoch_ms_or_null(record.opened_until)},
          {"last_outcome", to_string(record.last_outcome)},
          {"last_latency_ms", ms_json(record.last_latency.count())},
          {"last_updated", time_or_null(record.last_updated)},
          {"open_events", record.open_events},
          {"short_circuit_count", record.short_circuit_count},
          {"fallback_quote",
           {{"quote_id", record.cached.quote_id},
            {"amount", record.cached.amount},
            {"currency", record.cached.currency},
            {"source", "cached"},
            {"cached_at", quote::iso8601(record.cached.at)}}}};
}

json dependency_state_json(const quote::provider_record& record) {
  return {{"provider", provider_json(record)},
          {"breaker",
           {{"state", resilience::to_string(record.circuit)},
            {"last_updated", time_or_null(record.last_updated)}}}};
}

quote::provider_record read_dependency_state(const json& file) {
  const auto& provider = object_member(file, "provider");
  quote::provider_record record;
  record.name = string_member(provider, "name", record.name);
  record.consecutive_failures = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(count_member(provider, "consecutive_failures"), UINT32_MAX));
  record.opened_until = read_opened_until(provider);
  record.last_outcome = read_last_outcome(string_member(provider, "last_outcome", "unknown"));
  record.last_latency = quote::milliseconds(number_member(provider, "last_latency_ms"));
  record.last_updated = time_member(provider, "last_updated");
  record.open_events = count_member(provider, "open_events");
  record.short_circuit_count = count_member(provider, "short_circuit_count");
  record.cached = read_cached(provider);
  record.circuit = read_circuit(file, record);
  return record;
}

}  // namespace quote_lab::storage
