#include "http/refusals.hpp"

#include <utility>

namespace quote_lab::http {
namespace {

struct entry {
  refusal_reason reason;
  status code;
  std::string_view label;
};

constexpr std::array<entry, refusal_reason_count> table{{
    {refusal_reason::bad_request_line, status::bad_request, "bad_request_line"},
    {refusal_reason::method_not_implemented, status::not_implemented, "method_not_implemented"},
    {refusal_reason::version_not_supported, status::http_version_not_supported, "version_not_supported"},
    {refusal_reason::bad_target, status::bad_request, "bad_target"},
    {refusal_reason::target_too_large, status::uri_too_long, "target_too_large"},
    {refusal_reason::bad_header, status::bad_request, "bad_header"},
    {refusal_reason::head_too_large, status::request_header_fields_too_large, "head_too_large"},
    {refusal_reason::bad_host, status::bad_request, "bad_host"},
    {refusal_reason::bad_content_length, status::bad_request, "bad_content_length"},
    {refusal_reason::ambiguous_length, status::bad_request, "ambiguous_length"},
    {refusal_reason::bad_transfer_encoding, status::bad_request, "bad_transfer_encoding"},
    {refusal_reason::transfer_encoding_not_implemented, status::not_implemented,
     "transfer_encoding_not_implemented"},
    {refusal_reason::expectation_not_supported, status::expectation_failed, "expectation_not_supported"},
    {refusal_reason::bad_chunk, status::bad_request, "bad_chunk"},
    {refusal_reason::body_too_large, status::payload_too_large, "body_too_large"},
    {refusal_reason::head_timeout, status::request_timeout, "head_timeout"},
    {refusal_reason::body_timeout, status::request_timeout, "body_timeout"},
    {refusal_reason::too_many_connections, status::service_unavailable, "too_many_connections"},
    {refusal_reason::fault, status::internal_server_error, "fault"},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (static_cast<std::size_t>(table[i].reason) != i) return false;
  return true;
}
static_assert(in_order(), "the table is indexed by the reason");

const entry& entry_of(refusal_reason reason) {
  return table[static_cast<std::size_t>(reason)];
}

}  // namespace

std::string_view label_of(refusal_reason reason) {
  return entry_of(reason).label;
}

status status_of(refusal_reason reason) {
  return entry_of(reason).code;
}

std::array<std::string_view, refusal_reason_count> all_refusal_labels() {
  std::array<std::string_view, refusal_reason_count> labels;
  for (std::size_t i = 0; i < table.size(); ++i) labels[i] = table[i].label;
  return labels;
}

std::size_t index_of_label(std::string_view label) {
  for (const entry& one : table)
    if (one.label == label) return static_cast<std::size_t>(one.reason);
  return static_cast<std::size_t>(refusal_reason::fault);
}

refusal make_refusal(refusal_reason reason, std::string message) {
  return refusal{status_of(reason), std::string(label_of(reason)), std::move(message), {}};
}

}  // namespace quote_lab::http
