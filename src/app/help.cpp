#include "app/help.hpp"

#include <algorithm>

#include "app/settings.hpp"

namespace quote_lab::app {
namespace {

constexpr std::size_t flag_column = 50;

std::string entry_of(const setting& each) {
  std::string line = "  " + each.flag() + (each.is_switch ? " [true|false]" : " VALUE");
  line.resize(std::max(line.size() + 1, flag_column), ' ');
  std::string names;
  for (const auto& name : each.variables()) names += (names.empty() ? "" : " or ") + name;
  const auto shown = each.show(config{});
  line += names + ", default " + (shown.empty() ? "empty" : shown) + "\n";
  return line + "      " + each.purpose + " Allowed: " + each.allowed + ".\n";
}

}  // namespace

std::string settings_help() {
  std::string text = "\nEach setting is a flag and a variable; the flag wins.\n";
  std::string_view group;
  for (const auto& each : all_settings()) {
    if (each.group != group) text += "\n" + std::string(each.group) + "\n";
    group = each.group;
    text += entry_of(each);
  }
  return text +
         "\nExit codes: 0 help, version or a clean stop; 1 a failure at run time; 2 bad usage or a bad "
         "variable.\n";
}

}  // namespace quote_lab::app
