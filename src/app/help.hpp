// The part of the help that the table of settings makes. Called by: command_line.cpp.
#pragma once

#include <string>

namespace quote_lab::app {

/// Each setting with its flag, its variable, its default, and what is allowed, under its heading; then the
/// exit codes.
std::string settings_help();

}  // namespace quote_lab::app
