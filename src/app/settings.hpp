// The table of tunables: the flag, the variable, the unit, what it does, how it is read and shown. One row a
// tunable; the help, the environment, the command line and --print-config are all made from it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config.hpp"

namespace quote_lab::app {

struct setting {
  std::string
      name;  ///< "max-connections": the flag is --max-connections, the variable QUOTE_LAB_MAX_CONNECTIONS
  std::string purpose;  ///< for the help, with the unit
  std::string allowed;  ///< "a whole number from 0 to 65535"
  /// False when the text is none of what is allowed.
  std::function<bool(config&, std::string_view text)> read{};
  std::function<std::string(const config&)> show{};
  bool is_switch = false;  ///< the flag may stand without a value, and means true then

  std::string_view group{};  ///< the heading in the help

  std::string flag() const { return "--" + name; }
  std::string variable() const;
  /// The variables that set it, the first that is set wins. The port has the Node.js case's `PORT` too.
  std::vector<std::string> variables() const;
};

/// In the order of the help.
const std::vector<setting>& all_settings();

/// "--port is '99999', but it must be a whole number from 0 to 65535."
std::string refusal_of(std::string_view source, std::string_view text, const setting& which);

}  // namespace quote_lab::app
