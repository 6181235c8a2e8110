// The table of routes, and what a route is.
#pragma once

#include <span>
#include <string_view>

#include "api/exchange.hpp"

namespace quote_lab::api {

struct route_entry {
  std::string_view path;
  std::string_view example;  ///< a query to try it with
  std::string_view purpose;
  bool also_post;
  bool counted;  ///< in the telemetry
  http::answer (*run)(lab& lab, exchange ex);
};

std::span<const route_entry> routes();

/// The route of that path, or null.
const route_entry* find_route(std::string_view path);

}  // namespace quote_lab::api
