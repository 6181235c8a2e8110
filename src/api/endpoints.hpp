// The endpoints: what each route answers. The table in routes.cpp says which path leads where.
// Each takes the exchange by value, since the work of some goes on after the call.
#pragma once

#include "api/exchange.hpp"

namespace quote_lab::api {

// about.cpp: what this is
http::answer about(lab& lab, exchange ex);
http::answer health(lab& lab, exchange ex);

// quotes.cpp: the two flows
http::answer quote_legacy(lab& lab, exchange ex);
http::answer quote_resilient(lab& lab, exchange ex);

// inspection.cpp: what happened
http::answer dependency_state(lab& lab, exchange ex);
http::answer incidents(lab& lab, exchange ex);
http::answer diagnostics_summary(lab& lab, exchange ex);

// metrics.cpp
http::answer metrics(lab& lab, exchange ex);
http::answer metrics_prometheus(lab& lab, exchange ex);

// reset.cpp
http::answer reset_lab(lab& lab, exchange ex);

}  // namespace quote_lab::api
