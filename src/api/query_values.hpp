// Reads the values of a query as the Node.js case does, and says in plain sentences what was not taken as it
// was sent. Called by: the endpoints that have parameters. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.hpp"
#include "quote/scenario.hpp"

namespace quote_lab::api {

/// What `parseInt` makes of a text: leading blanks skipped, an optional sign, then digits; the rest is
/// ignored. Any number of digits: the value stops at the ends of its range. Nothing when there are no digits.
struct js_integer {
  long long value = 0;
  bool whole_text = true;  ///< nothing was ignored
};
std::optional<js_integer> parse_js_integer(std::string_view text);

/// The parameters of one route, read one by one.
class query_values {
 public:
  explicit query_values(const std::vector<http::query_param>& query) : query_(query) {}

  int integer(std::string_view name, int least, int most, int otherwise);
  quote::scenario scenario(std::string_view name);
  bool strict();

  /// Call last: adds what is said of parameters that nobody read, or that came twice. The sentences, in
  /// order.
  std::vector<std::string> warnings() &&;

 private:
  std::optional<std::string_view> first(std::string_view name);
  void warn(std::string_view name, std::string_view sent, std::string_view taken, std::string_view allowed);

  const std::vector<http::query_param>& query_;
  std::vector<std::string_view> read_;
  std::vector<std::string> warnings_;
};

}  // namespace quote_lab::api
