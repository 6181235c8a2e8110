#include "app/settings.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include <boost/asio/ip/address.hpp>

#include "app/setting_kinds.hpp"

namespace quote_lab::app {
namespace {

/// The place of a member's member.
template <class Outer, class Inner>
auto in(Outer config::*outer, Inner Outer::*inner) {
  return [=](config& c) -> Inner& { return c.*outer.*inner; };
}

template <class Inner>
auto in_policy(quote::mode mode, Inner quote::policy::*inner) {
  return [=](config& c) -> Inner& { return c.policies[mode].*inner; };
}

constexpr std::uint64_t most_ms = 86'400'000;  // a day
constexpr std::uint64_t most_bytes = 16 * 1024 * 1024;
constexpr std::uint64_t most_count = 1'000'000;

setting address() {
  setting made{.name = "address", .purpose = "Address to listen on.", .allowed = "an IPv4 or IPv6 address"};
  made.read = [](config& into, std::string_view text) {
    boost::system::error_code error;
    boost::asio::ip::make_address(std::string(text), error);
    into.address = std::string(text);
    return !error;
  };
  made.show = [](const config& from) { return from.address; };
  return made;
}

setting data_dir() {
  setting made{
      .name = "data-dir", .purpose = "Folder below which tmp/ holds the state files.", .allowed = "a folder"};
  made.read = [](config& into, std::string_view text) {
    into.data_dir = std::string(text);
    return !text.empty();
  };
  made.show = [](const config& from) { return from.data_dir.string(); };
  return made;
}

bool is_prefix(std::string_view text) {
  if (text.empty()) return true;
  if (text.size() < 2 || text.front() != '/' || text.back() == '/') return false;
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/") ==
             std::string_view::npos &&
         text.find("//") == std::string_view::npos && text.find("/.") == std::string_view::npos;
}

setting prefix() {
  setting made{.name = "prefix",
               .purpose = "Path under which every route answers too; empty switches it off.",
               .allowed = "empty, or a path like /04 of letters, digits, '-', '.', '_', '~'"};
  made.read = [](config& into, std::string_view text) {
    into.prefix = std::string(text);
    return is_prefix(text);
  };
  made.show = [](const config& from) { return from.prefix; };
  return made;
}

setting seed() {
  setting made{.name = "seed",
               .purpose = "Seed of the random engine; 'random' draws a new one at each start.",
               .allowed = "'random' or a whole number from 0 to 18446744073709551615"};
  made.read = [](config& into, std::string_view text) {
    if (text == "random") {
      into.seed.reset();
      return true;
    }
    into.seed = parse_whole(text);
    return into.seed.has_value();
  };
  made.show = [](const config& from) {
    return from.seed ? std::to_string(*from.seed) : std::string("random");
  };
  return made;
}

setting threshold() {
  setting made{.name = "breaker-threshold",
               .purpose = "Rule failure_rate: share of failed calls at which it opens.",
               .allowed = "a number above 0, at most 1"};
  made.read = [](config& into, std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value > 0 && value <= 1)) return false;
    into.breaker_rate.threshold = value;
    return true;
  };
  made.show = [](const config& from) {
    std::array<char, 32> text{};
    const auto [end, error] =
        std::to_chars(text.data(), text.data() + text.size(), from.breaker_rate.threshold);
    return std::string(text.data(), end);
  };
  return made;
}

void add_service(std::vector<setting>& to) {
  to.push_back(whole_number("port", "Port to listen on; 0 takes a free one and tells it in the log.", 0,
                            65535, &config::port));
  to.push_back(address());
  to.push_back(data_dir());
  to.push_back(prefix());
  to.push_back(seed());
  to.push_back(on_or_off("strict", "Refuse what is not taken as sent, instead of warning.", &config::strict));
  using level = telemetry::log_level;
  to.push_back(one_of<level>(
      "log-level", "Least severe lines that are logged.",
      {{"debug", level::debug}, {"info", level::info}, {"warning", level::warning}, {"error", level::error}},
      &config::log_level));
  using format = log_format_choice;
  to.push_back(one_of<format>("log-format", "How a line looks; auto: text on a terminal, JSON otherwise.",
                              {{"auto", format::automatic}, {"text", format::text}, {"json", format::json}},
                              &config::log_format));
  to.push_back(time_ms("drain-time-ms", "At SIGTERM, how long quotes may still take, in ms.", 0, most_ms,
                       &config::drain_time));
  to.push_back(time_ms("flush-interval-ms",
                       "Changes are written to the disk together, at most this often, in ms.", 1, 60'000,
                       &config::flush_interval));
}

void add_limits(std::vector<setting>& to) {
  to.push_back(whole_number("max-connections", "Connections open at once.", 1, most_count,
                            in(&config::limits, &http::limits::max_connections)));
  to.push_back(whole_number("max-quotes-in-flight", "Quotes begun and not ended, of both modes.", 1,
                            most_count, &config::max_quotes_in_flight));
  to.push_back(whole_number("max-requests-per-connection",
                            "After that many the connection is closed; 0: no limit.", 0, most_count,
                            in(&config::limits, &http::limits::max_requests_per_connection)));
  to.push_back(whole_number("max-target-bytes", "Bytes of a request target.", 64, most_bytes,
                            in(&config::limits, &http::limits::max_target_bytes)));
  to.push_back(whole_number("max-head-bytes", "Bytes of a request's header block.", 256, most_bytes,
                            in(&config::limits, &http::limits::max_head_bytes)));
  to.push_back(whole_number("max-header-fields", "Fields in a request's header block.", 8, 10'000,
                            in(&config::limits, &http::limits::max_header_fields)));
  to.push_back(whole_number("max-body-bytes", "Bytes of a request's body.", 0, most_bytes,
                            in(&config::limits, &http::limits::max_body_bytes)));
  to.push_back(whole_number("max-pipelined-bytes", "Bytes read ahead while a request runs.", 1024, most_bytes,
                            in(&config::limits, &http::limits::max_pipelined_bytes)));
  to.push_back(time_ms("head-timeout-ms", "From a request's first byte to the end of its header, in ms.", 1,
                       most_ms, in(&config::limits, &http::limits::head_timeout)));
  to.push_back(time_ms("body-timeout-ms", "From the end of the header to the end of the body, in ms.", 1,
                       most_ms, in(&config::limits, &http::limits::body_timeout)));
  to.push_back(time_ms("idle-timeout-ms", "A connection without a request is closed after this, in ms.", 1,
                       most_ms, in(&config::limits, &http::limits::idle_timeout)));
  to.push_back(time_ms("write-timeout-ms", "A client that does not read its answer is cut after this, in ms.",
                       1, most_ms, in(&config::limits, &http::limits::write_timeout)));
  to.push_back(time_ms("linger-timeout-ms",
                       "After a refusal, how long the client may take to read it, in ms.", 1, most_ms,
                       in(&config::limits, &http::limits::linger_timeout)));
  to.push_back(
      time_ms("drain-read-timeout-ms",
              "At SIGTERM, for the rest of a half-sent request; after the drain, of an answer; in ms.", 1,
              most_ms, in(&config::limits, &http::limits::drain_read_timeout)));
  to.push_back(whole_number("max-turned-away-at-once",
                            "Over max-connections, so many clients at once are still told so.", 0, most_count,
                            in(&config::limits, &http::limits::max_turned_away_at_once)));
  to.push_back(whole_number("kept-samples", "Latencies kept over all routes.", 1, 100'000,
                            in(&config::keep, &telemetry::retention::samples)));
  to.push_back(whole_number("kept-route-samples", "Latencies kept for each route.", 1, 100'000,
                            in(&config::keep, &telemetry::retention::route_samples)));
  to.push_back(whole_number("kept-incidents", "Incidents kept.", 1, 1000,
                            in(&config::keep, &telemetry::retention::incidents)));
}

void add_policy(std::vector<setting>& to, quote::mode mode) {
  const std::string name(to_string(mode));
  to.push_back(time_ms(name + "-timeout-ms",
                       "Mode " + name + ": an attempt that outlasts this is cancelled, in ms.", 1, most_ms,
                       in_policy(mode, &quote::policy::timeout)));
  to.push_back(whole_number(name + "-max-attempts", "Mode " + name + ": attempts for one quote.", 1, 100,
                            in_policy(mode, &quote::policy::max_attempts)));
  to.push_back(time_ms(name + "-backoff-base-ms",
                       "Mode " + name + ": first wait, doubled for each retry, in ms; 0: none.", 0, 10'000,
                       in_policy(mode, &quote::policy::backoff_base)));
  to.push_back(on_or_off(name + "-use-circuit-breaker",
                         "Mode " + name + ": ask the breaker before each attempt.",
                         in_policy(mode, &quote::policy::use_circuit_breaker)));
  to.push_back(on_or_off(name + "-allow-fallback",
                         "Mode " + name + ": give the last quote known when there is no live one.",
                         in_policy(mode, &quote::policy::allow_fallback)));
}

void add_jitter(std::vector<setting>& to) {
  to.push_back(time_ms("jitter-min-ms", "Least that is added to each wait, in ms.", 0, 10'000,
                       in(&config::jitter, &quote::jitter_range::least)));
  to.push_back(time_ms("jitter-max-ms", "Most that is added to each wait, in ms.", 0, 10'000,
                       in(&config::jitter, &quote::jitter_range::most)));
}

void add_breaker(std::vector<setting>& to) {
  using rule = trip_rule_choice;
  to.push_back(one_of<rule>(
      "breaker-rule", "What opens the breaker.",
      {{"consecutive_failures", rule::consecutive_failures}, {"failure_rate", rule::failure_rate}},
      &config::breaker_rule));
  to.push_back(whole_number("breaker-consecutive-failures", "Rule consecutive_failures: so many in a row.", 1,
                            most_count, in(&config::breaker_run, &resilience::consecutive_failures::limit)));
  to.push_back(threshold());
  to.push_back(whole_number("breaker-minimum-calls",
                            "Rule failure_rate: calls in the window below which it stays closed.", 1,
                            most_count, in(&config::breaker_rate, &resilience::failure_rate::minimum_calls)));
  to.push_back(time_ms("breaker-bucket-ms", "Rule failure_rate: width of one bucket of the window, in ms.", 1,
                       most_ms, in(&config::breaker_rate, &resilience::failure_rate::bucket)));
  to.push_back(whole_number("breaker-buckets", "Rule failure_rate: buckets in the window.", 1,
                            resilience::max_buckets,
                            in(&config::breaker_rate, &resilience::failure_rate::buckets)));
  to.push_back(
      time_ms("breaker-open-ms", "How long it stays open, in ms.", 1, most_ms, &config::breaker_open));
  to.push_back(whole_number("breaker-half-open-probes", "Calls let through at once while half-open.", 1,
                            most_count, &config::breaker_probes));
  to.push_back(whole_number("breaker-successes-to-close", "Probes that must succeed to close it.", 1,
                            most_count, &config::breaker_successes_to_close));
}

std::vector<setting> make_settings() {
  std::vector<setting> settings;
  const auto under = [&](std::string_view group, auto add) {
    const auto first = settings.size();
    add(settings);
    for (auto i = first; i < settings.size(); ++i) settings[i].group = group;
  };
  under("Service", add_service);
  under("Limits", add_limits);
  under("Policies", [](auto& to) {
    for (const auto mode : quote::all_modes) add_policy(to, mode);
    add_jitter(to);
  });
  under("Breaker", add_breaker);
  return settings;
}

}  // namespace

std::string setting::variable() const {
  std::string variable = "QUOTE_LAB_";
  for (const char c : name)
    variable += c == '-' ? '_' : static_cast<char>(c - ('a' <= c && c <= 'z' ? 'a' - 'A' : 0));
  return variable;
}

std::vector<std::string> setting::variables() const {
  std::vector<std::string> names{variable()};
  if (name == "port") names.emplace_back("PORT");
  return names;
}

const std::vector<setting>& all_settings() {
  static const std::vector<setting> settings = make_settings();
  return settings;
}

std::string refusal_of(std::string_view source, std::string_view text, const setting& which) {
  return std::string(source) + " is '" + std::string(text) + "', but it must be " + which.allowed + ".";
}

}  // namespace quote_lab::app
