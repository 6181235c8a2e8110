#include "app/command_line.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "app/help.hpp"
#include "app/settings.hpp"
#include "app/version.hpp"

namespace quote_lab::app {
namespace {

/// Where a value came from, for --print-config.
using sources = std::map<std::string, std::string>;

constexpr std::string_view usage_hint = "\nRun quote-lab --help for what is allowed.";

/// An empty variable is as good as none, as compose files have them, but for a setting whose value may be
/// empty.
bool is_set(const std::optional<std::string>& value, const setting& each) {
  return value && (!value->empty() || each.name == "prefix");
}

/// The help of the settings is made from their table; CLI11 only has to know their names. Its own way to hide
/// an option would leave the name out of complaints too.
constexpr std::string_view settings_group = "Settings";

class help_without_settings : public CLI::Formatter {
 public:
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group == settings_group) return {};
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }
};

void take_values(CLI::App& app, std::map<std::string, std::string>& into) {
  for (const auto& each : all_settings()) {
    const auto take = [&into, name = each.name](const std::string& value) { into[name] = value; };
    auto* option = app.add_option_function<std::string>(each.flag(), take)->take_last();
    option->group(std::string(settings_group))->type_name("VALUE");
    if (each.is_switch) option->expected(0, 1)->default_str("true");
  }
}

std::optional<std::string> read_environment(const environment& variables, config& into, sources& from) {
  for (const auto& each : all_settings()) {
    for (const auto& name : each.variables()) {
      const auto value = variables.get(name);
      if (!is_set(value, each)) continue;
      if (!each.read(into, *value)) return refusal_of(name, *value, each);
      from[each.name] = name;
      break;
    }
  }
  return std::nullopt;
}

std::optional<std::string> read_flags(const std::map<std::string, std::string>& given, config& into,
                                      sources& from) {
  for (const auto& each : all_settings()) {
    const auto value = given.find(each.name);
    if (value == given.end()) continue;
    if (!each.read(into, value->second)) return refusal_of(each.flag(), value->second, each);
    from[each.name] = each.flag();
  }
  return std::nullopt;
}

std::vector<std::string> unknown_variables(const environment& variables) {
  std::vector<std::string> unknown;
  for (const auto& name : variables.lab_variables) {
    const bool known = std::any_of(all_settings().begin(), all_settings().end(),
                                   [&](const setting& each) { return each.variable() == name; });
    if (!known) unknown.push_back(name);
  }
  return unknown;
}

/// As an env file, which systemd and `docker run --env-file` read back; neither wants a value with blanks
/// quoted.
std::string printed(const config& settings, const sources& from, const environment& variables) {
  std::string text;
  for (const auto& each : all_settings()) {
    const auto source = from.find(each.name);
    text += "# " + each.flag() + ", from " + (source == from.end() ? "the default" : source->second) + "\n";
    text += each.variable() + "=" + each.show(settings) + "\n";
  }
  for (const auto& name : unknown_variables(variables))
    text += "# " + name + " is no setting and is ignored\n";
  return text;
}

/// The words behind the program's name, last first, as CLI11 wants them. It would take the word behind
/// `--prefix=` for the value: `--prefix` and an empty word say what is meant.
std::vector<std::string> words_of(int argc, const char* const* argv) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    std::string word(argv[i]);
    const bool has_empty_value =
        word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1;
    if (has_empty_value) word.pop_back();
    words.push_back(std::move(word));
    if (has_empty_value) words.emplace_back();
  }
  std::reverse(words.begin(), words.end());
  return words;
}

struct parsed_flags {
  std::map<std::string, std::string> values;
  bool print_config = false;
  bool healthcheck = false;
};

/// What CLI11 has to say instead of a result: help, version, or a complaint.
std::optional<say_command> parse_flags(int argc, const char* const* argv, parsed_flags& into) {
  CLI::App app(
      "A laboratory for retry storms: quotes that depend on an unreliable provider, two policies to compare.",
      "quote-lab");
  app.formatter(std::make_shared<help_without_settings>());
  app.set_version_flag("--version", std::string("quote-lab ") + std::string(version));
  app.add_flag("--print-config", into.print_config,
               "Print every setting with its value and where it comes from");
  app.add_subcommand("serve",
                     "Run the lab until SIGTERM or SIGINT; this is what happens without a command too")
      ->fallthrough();
  auto* healthcheck = app.add_subcommand(
      "healthcheck",
      "Ask the lab that runs here, on 127.0.0.1 or its own address, for its health; exit 0 or 1");
  healthcheck->fallthrough();
  app.require_subcommand(0, 1);
  take_values(app, into.values);
  try {
    app.parse(words_of(argc, argv));
  } catch (const CLI::CallForHelp&) {
    return say_command{app.help() + settings_help()};
  } catch (const CLI::CallForVersion&) {
    return say_command{std::string("quote-lab ") + std::string(version) + "\n"};
  } catch (const CLI::ParseError& problem) {
    return say_command{std::string(problem.what()) + std::string(usage_hint) + "\n", exit_usage};
  }
  into.healthcheck = healthcheck->parsed();
  return std::nullopt;
}

}  // namespace

environment process_environment() {
  environment variables;
  variables.get = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (text.starts_with("QUOTE_LAB_")) variables.lab_variables.emplace_back(text.substr(0, text.find('=')));
  }
  return variables;
}

command parse_command_line(int argc, const char* const* argv, const environment& variables) {
  parsed_flags flags;
  if (auto said = parse_flags(argc, argv, flags)) return std::move(*said);

  config settings;
  sources from;
  auto problem = read_environment(variables, settings, from);
  if (!problem) problem = read_flags(flags.values, settings, from);
  if (!problem) problem = problem_with(settings);
  if (problem) return say_command{*problem + std::string(usage_hint) + "\n", exit_usage};

  if (flags.print_config) return say_command{printed(settings, from, variables)};
  if (flags.healthcheck) return healthcheck_command{std::move(settings)};
  return serve_command{std::move(settings), unknown_variables(variables)};
}

}  // namespace quote_lab::app
