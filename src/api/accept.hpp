// Which of two kinds of answer a client would rather have.
#pragma once

#include <string_view>

namespace quote_lab::api {

/// Whether an Accept header prefers text/html to application/json (RFC 9110, 12.5.1: the most specific range
/// that matches decides its weight). Equal weights, as in curl's `*/*`, get JSON.
bool prefers_html(std::string_view accept);

}  // namespace quote_lab::api
