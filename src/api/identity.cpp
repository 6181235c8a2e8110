#include "api/identity.hpp"

#include <algorithm>

#include "quote/ids.hpp"

namespace quote_lab::api {
namespace {

constexpr std::size_t longest_request_id = 64;
constexpr int trace_id_digits = 32;
constexpr int span_id_digits = 16;
constexpr std::size_t shown_trace_digits = 8;

bool is_lower_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_all_zeros(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

/// Level 1 knows one flag, "sampled", the last bit; the others must be handed on as 0.
std::string_view known_flags(std::string_view flags) {
  constexpr std::string_view odd = "13579bdf";
  return odd.find(flags.back()) == std::string_view::npos ? "00" : "01";
}

identity make_identity(std::string request_id, const trace_context& trace, std::mt19937_64& engine) {
  identity who;
  who.request_id = std::move(request_id);
  who.trace_id = "trace-" + trace.trace_id.substr(trace.trace_id.size() - shown_trace_digits);
  who.traceparent = "00-" + trace.trace_id + "-" + quote::hex_digits(engine, span_id_digits) + "-";
  who.traceparent += known_flags(trace.flags);
  return who;
}

trace_context new_trace(std::mt19937_64& engine) {
  return {quote::hex_digits(engine, trace_id_digits), "", "00"};
}

std::string new_request_id(std::mt19937_64& engine) {
  return "req-" + quote::hex_digits(engine, 8);
}

}  // namespace

std::optional<trace_context> parse_traceparent(std::string_view text) {
  constexpr std::size_t length = 55;
  if (text.size() < length || text[2] != '-' || text[35] != '-' || text[52] != '-') return std::nullopt;
  const auto version = text.substr(0, 2);
  const auto trace_id = text.substr(3, 32);
  const auto parent_id = text.substr(36, 16);
  const auto flags = text.substr(53, 2);
  for (const auto part : {version, trace_id, parent_id, flags}) {
    if (!is_lower_hex(part)) return std::nullopt;
  }
  if (version == "ff" || is_all_zeros(trace_id) || is_all_zeros(parent_id)) return std::nullopt;
  // A later version may say more, behind one more dash.
  if (text.size() > length && (version == "00" || text[length] != '-')) return std::nullopt;
  return trace_context{std::string(trace_id), std::string(parent_id), std::string(flags)};
}

bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= longest_request_id &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
                  c == '_' || c == '-';
         });
}

identity identify(const http::request& request, std::mt19937_64& engine) {
  const auto id = request.find_header("X-Request-Id");
  const auto parent = request.find_header("traceparent");
  const auto trace = parent ? parse_traceparent(*parent) : std::nullopt;
  std::string request_id = id && is_request_id(*id) ? std::string(*id) : new_request_id(engine);
  return make_identity(std::move(request_id), trace ? *trace : new_trace(engine), engine);
}

identity identify_stranger(std::mt19937_64& engine) {
  return make_identity(new_request_id(engine), new_trace(engine), engine);
}

}  // namespace quote_lab::api
