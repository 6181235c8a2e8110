// The fixed table of routes: which one a path and a method name, or why none. Pure; what an error looks like
// is the caller's. Called by: api/. Its limits: paths are compared whole, letter by letter; there are no
// patterns.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "http/message.hpp"

namespace quote_lab::http {

struct route {
  std::string_view path;
  std::vector<verb> methods;
  std::function<answer(request&)> run;
};

struct found {
  const route* to = nullptr;
};
struct not_found {};
struct method_not_allowed {
  std::string allow;  ///< of the Allow field
};
/// OPTIONS, which no route answers by itself.
struct options_asked {
  std::string allow;
};

struct lookup {
  std::string_view path;  ///< without the prefix; a part of what was given to find(), or "/"
  std::variant<found, not_found, method_not_allowed, options_asked> result;
};

class router {
 public:
  /// `prefix` is a second way to each route, `/04` for instance; empty for none. The paths in `routes` must
  /// live as long as the router.
  explicit router(std::vector<route> routes, std::string prefix = {});

  /// HEAD is allowed wherever GET is, and OPTIONS everywhere.
  lookup find(verb method, std::string_view path) const;
  std::string_view without_prefix(std::string_view path) const;

 private:
  std::vector<route> routes_;
  std::string prefix_;
};

}  // namespace quote_lab::http
