// Flags and variables into one of the few things the program can do.
#include "app/command_line.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/settings.hpp"
#include "app/version.hpp"

namespace quote_lab::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using variables = std::map<std::string, std::string>;

command parse(std::vector<const char*> words, const variables& set = {}) {
  words.insert(words.begin(), "quote-lab");
  environment around;
  around.get = [&set](const std::string& name) -> std::optional<std::string> {
    const auto found = set.find(name);
    return found == set.end() ? std::nullopt : std::optional(found->second);
  };
  for (const auto& [name, value] : set) {
    if (name.starts_with("QUOTE_LAB_")) around.lab_variables.push_back(name);
  }
  return parse_command_line(static_cast<int>(words.size()), words.data(), around);
}

config served(const command& parsed) {
  if (const auto* said = std::get_if<say_command>(&parsed)) ADD_FAILURE() << said->text;
  return std::get<serve_command>(parsed).settings;
}

say_command said(const command& parsed) {
  const auto* words = std::get_if<say_command>(&parsed);
  if (words == nullptr) ADD_FAILURE() << "it did not say anything";
  return words == nullptr ? say_command{} : *words;
}

TEST(CommandLine, ServesWithTheDefaultsWhenNothingIsSaid) {
  const auto settings = served(parse({}));
  EXPECT_EQ(settings.port, 8300);
  EXPECT_EQ(settings.prefix, "/04");
  EXPECT_FALSE(settings.strict);
  EXPECT_TRUE(std::holds_alternative<serve_command>(parse({"serve"})));
  EXPECT_TRUE(std::holds_alternative<healthcheck_command>(parse({"healthcheck"})));
}

TEST(CommandLine, TheFlagWinsThenTheLabsVariableThenTheCases) {
  const variables both{{"QUOTE_LAB_PORT", "2"}, {"PORT", "3"}};
  EXPECT_EQ(served(parse({"--port", "1"}, both)).port, 1);
  EXPECT_EQ(served(parse({"--port=1"}, both)).port, 1);
  EXPECT_EQ(served(parse({}, both)).port, 2);
  EXPECT_EQ(served(parse({}, {{"PORT", "3"}})).port, 3);
  EXPECT_EQ(served(parse({})).port, 8300);
}

TEST(CommandLine, AFlagMayStandBeforeOrBehindTheCommand) {
  EXPECT_EQ(served(parse({"serve", "--port", "1"})).port, 1);
  EXPECT_EQ(served(parse({"--port", "1", "serve"})).port, 1);
  const auto check = parse({"healthcheck", "--port", "1"});
  EXPECT_EQ(std::get<healthcheck_command>(check).settings.port, 1);
}

TEST(CommandLine, TheLastOfARepeatedFlagWins) {
  EXPECT_EQ(served(parse({"--port", "1", "--port", "2"})).port, 2);
}

TEST(CommandLine, ASwitchNeedsNoValue) {
  EXPECT_TRUE(served(parse({"--strict"})).strict);
  EXPECT_TRUE(served(parse({"--strict", "serve"})).strict);
  EXPECT_TRUE(served(parse({"serve", "--strict", "--port", "1"})).strict);
  EXPECT_TRUE(served(parse({"--strict=true"})).strict);
  EXPECT_FALSE(served(parse({"--strict=false"}, {{"QUOTE_LAB_STRICT", "true"}})).strict);
  EXPECT_FALSE(served(parse({"--strict", "false"})).strict);
  EXPECT_TRUE(served(parse({}, {{"QUOTE_LAB_STRICT", "1"}})).strict);
}

TEST(CommandLine, AnEmptyVariableIsNoneButForThePrefix) {
  EXPECT_EQ(served(parse({}, {{"QUOTE_LAB_PORT", ""}, {"PORT", "3"}})).port, 3);
  EXPECT_EQ(served(parse({}, {{"QUOTE_LAB_PORT", ""}, {"PORT", ""}})).port, 8300);
  EXPECT_EQ(served(parse({}, {{"QUOTE_LAB_LOG_LEVEL", ""}})).log_level, telemetry::log_level::info);
  EXPECT_EQ(served(parse({}, {{"QUOTE_LAB_PREFIX", ""}})).prefix, "");
  EXPECT_EQ(served(parse({"--prefix", ""})).prefix, "");
}

TEST(CommandLine, ABadVariableIsNamedWithWhatCameAndWhatIsAllowed) {
  for (const auto* text : {"99999", "abc", "080", "-1", " 1"}) {
    const auto words = said(parse({}, {{"PORT", text}}));
    EXPECT_EQ(words.exit_code, 2) << text;
    EXPECT_THAT(words.text, HasSubstr("PORT is '" + std::string(text) + "'"));
    EXPECT_THAT(words.text, HasSubstr("from 0 to 65535"));
  }
  EXPECT_THAT(said(parse({}, {{"QUOTE_LAB_PORT", "x"}})).text, HasSubstr("QUOTE_LAB_PORT is 'x'"));
}

TEST(CommandLine, ABadVariableDoesNotStandInTheWayOfTheHelp) {
  for (const auto* word : {"--help", "-h", "--version"}) {
    const auto words = said(parse({word}, {{"PORT", "abc"}, {"QUOTE_LAB_LOG_LEVEL", "loud"}}));
    EXPECT_EQ(words.exit_code, 0) << word;
    EXPECT_FALSE(words.text.empty());
  }
}

TEST(CommandLine, ABadVariableStandsInTheWayEvenWhereAFlagWouldWin) {
  EXPECT_EQ(said(parse({"--port", "1"}, {{"QUOTE_LAB_PORT", "abc"}})).exit_code, 2);
}

TEST(CommandLine, BadUsageIsTwoAndSaysWhatIsWrong) {
  const std::vector<std::pair<std::vector<const char*>, std::string>> table{
      {{"--unheard-of"}, "unheard-of"},
      {{"--unheard-of=1"}, "unheard-of"},
      {{"sreve"}, "sreve"},
      {{"serve", "more"}, "more"},
      {{"serve", "healthcheck"}, ""},
      {{"--port", "99999"}, "--port"},
      {{"--port", "080"}, "--port"},
      {{"--strict=maybe"}, "--strict"},
      {{"--prefix", "04"}, "--prefix"},
      {{"-x"}, "-x"}};
  for (const auto& [words, named] : table) {
    const auto complaint = said(parse(words));
    EXPECT_EQ(complaint.exit_code, 2) << words[0];
    EXPECT_THAT(complaint.text, HasSubstr(named));
    EXPECT_THAT(complaint.text, HasSubstr("quote-lab --help"));
  }
}

TEST(CommandLine, WhatCannotWorkTogetherIsBadUsageToo) {
  const auto words = said(parse({"--jitter-min-ms", "50", "--jitter-max-ms", "10"}));
  EXPECT_EQ(words.exit_code, 2);
  EXPECT_THAT(words.text, HasSubstr("jitter"));
}

TEST(CommandLine, TheHelpNamesEverySettingByFlagAndVariable) {
  const auto help = said(parse({"--help"})).text;
  for (const auto& each : all_settings()) {
    EXPECT_THAT(help, HasSubstr(each.flag()));
    EXPECT_THAT(help, HasSubstr(each.variable()));
  }
  EXPECT_THAT(help, HasSubstr("PORT"));
  EXPECT_THAT(help, HasSubstr("healthcheck"));
  EXPECT_THAT(help, HasSubstr("--print-config"));
}

TEST(CommandLine, TheVersionIsTheProjects) {
  EXPECT_EQ(said(parse({"--version"})).text, "quote-lab " + std::string(version) + "\n");
}

/// The lines of --print-config as variables.
variables printed_variables(const std::string& text) {
  variables read;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    const auto equals = line.find('=');
    read[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return read;
}

TEST(CommandLine, ThePrintedConfigurationReadsBackAsItself) {
  const auto printed = said(parse({"--print-config", "--port", "0", "--strict", "--prefix", "", "--seed", "7",
                                   "--breaker-rule", "failure_rate", "--breaker-threshold", "0.3",
                                   "--data-dir", "/tmp/some where"}))
                           .text;
  const auto set = printed_variables(printed);
  EXPECT_EQ(set.size(), all_settings().size());
  EXPECT_EQ(printed_variables(said(parse({"--print-config"}, set)).text), set);
  EXPECT_EQ(set.at("QUOTE_LAB_PORT"), "0");
  EXPECT_EQ(set.at("QUOTE_LAB_PREFIX"), "");
  EXPECT_EQ(set.at("QUOTE_LAB_SEED"), "7");
}

TEST(CommandLine, ThePrintedConfigurationSaysWhereEachValueIsFrom) {
  const auto text =
      said(parse({"--print-config", "--strict"}, {{"PORT", "3"}, {"QUOTE_LAB_SEED", "5"}})).text;
  EXPECT_THAT(text, HasSubstr("# --strict, from --strict\nQUOTE_LAB_STRICT=true\n"));
  EXPECT_THAT(text, HasSubstr("# --port, from PORT\nQUOTE_LAB_PORT=3\n"));
  EXPECT_THAT(text, HasSubstr("# --seed, from QUOTE_LAB_SEED\nQUOTE_LAB_SEED=5\n"));
  EXPECT_THAT(text, HasSubstr("# --address, from the default\n"));
}

TEST(CommandLine, AVariableOfTheLabsThatMeansNothingIsToldOf) {
  const auto parsed = parse({}, {{"QUOTE_LAB_PROT", "1"}, {"QUOTE_LAB_PORT", "2"}, {"OTHER", "3"}});
  EXPECT_THAT(std::get<serve_command>(parsed).unknown_variables, ElementsAre("QUOTE_LAB_PROT"));
  EXPECT_THAT(std::get<serve_command>(parse({})).unknown_variables, IsEmpty());
}

TEST(CommandLine, EverySettingCanBeSetByItsFlagAndByItsVariable) {
  for (const auto& each : all_settings()) {
    const auto value = each.show(config{});
    const auto flag = each.flag() + "=" + value;
    EXPECT_EQ(each.show(served(parse({flag.c_str()}))), value) << each.name;
    EXPECT_EQ(each.show(served(parse({}, {{each.variable(), value}}))), value) << each.name;
    if (each.name == "data-dir") continue;  // anything is a folder's name
    const auto refused = said(parse({}, {{each.variable(), "no setting allows this"}}));
    EXPECT_THAT(refused.text, HasSubstr(each.variable()));
  }
}

}  // namespace
}  // namespace quote_lab::app
