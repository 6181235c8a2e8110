// The lab as the HTTP server sees it: a request goes to its route, whatever has no route is refused, and what
// goes wrong inside becomes a 500. The one catch of each request is here. Called by: http/.
#pragma once

#include <string>

#include "api/exchange.hpp"
#include "http/router.hpp"

namespace quote_lab::api {

class service final : public http::service {
 public:
  /// The lab must outlive the service. `prefix` is a second way to each route; empty for none.
  service(lab& lab, const std::string& prefix);

  http::answer handle(http::request request) override;
  http::response refuse(const http::refusal& why) override;

 private:
  lab& lab_;
  http::router router_;
};

}  // namespace quote_lab::api
