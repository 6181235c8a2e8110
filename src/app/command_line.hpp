// The command line and the environment, into one of the few things the program can do. Called by: main().
// CLI11 does the parsing of flags; values are checked by the table of settings, the same for a flag and for a
// variable.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/config.hpp"

namespace quote_lab::app {

inline constexpr int exit_ok = 0;
inline constexpr int exit_failure = 1;  ///< what fails at run time
inline constexpr int exit_usage = 2;    ///< a bad flag or a bad variable

struct serve_command {
  config settings;
  std::vector<std::string> unknown_variables;  ///< QUOTE_LAB_… that mean nothing: worth a warning
};
struct healthcheck_command {
  config settings;
};
/// Nothing to do but to say something: help, version, configuration, or what is wrong.
struct say_command {
  std::string text;
  int exit_code = exit_ok;  ///< when it is not 0, the text is for stderr
};

using command = std::variant<serve_command, healthcheck_command, say_command>;

struct environment {
  std::function<std::optional<std::string>(const std::string& variable)> get;
  std::vector<std::string> lab_variables;  ///< names that begin with QUOTE_LAB_
};

/// That of the process.
environment process_environment();

command parse_command_line(int argc, const char* const* argv, const environment& variables);

}  // namespace quote_lab::app
