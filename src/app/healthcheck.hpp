// Asks a lab that runs on this machine whether it is well, so that a container needs neither curl nor a
// shell.
#pragma once

#include <optional>
#include <string>

#include "app/config.hpp"

namespace quote_lab::app {

/// Nothing when /health answered 200 in time; else what went wrong.
std::optional<std::string> check_health(const config& settings);

}  // namespace quote_lab::app
