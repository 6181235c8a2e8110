// Takes a request-target apart: the path without dot segments, and the query decoded. Pure.
// Called by: request_reader. Its limits: no decoding of the path (no route has an escape in it), no `*` but
// for OPTIONS, no authority form (CONNECT is refused before).
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "http/message.hpp"

namespace quote_lab::http {

struct target {
  std::string path;
  std::vector<query_param> query;
};

/// What is wrong with it, in one sentence.
struct target_problem {
  std::string message;
};

std::variant<target, target_problem> parse_target(verb method, std::string_view raw);

}  // namespace quote_lab::http
