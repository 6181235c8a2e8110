// The table of tunables, row by row: what it shows it also reads, and what it does not allow it refuses.
#include "app/settings.hpp"

#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quote_lab::app {
namespace {

const setting& find(std::string_view name) {
  for (const auto& each : all_settings()) {
    if (each.name == name) return each;
  }
  throw std::out_of_range(std::string(name));
}

bool reads(const setting& which, std::string_view text) {
  config scratch;
  return which.read(scratch, text);
}

/// What the setting shows after it read the text.
std::string taken(const setting& which, std::string_view text) {
  config scratch;
  EXPECT_TRUE(which.read(scratch, text)) << which.name << " " << text;
  return which.show(scratch);
}

struct range {
  unsigned long long least;
  unsigned long long most;
};

std::optional<range> range_of(const setting& which) {
  static const std::regex shape("a whole number from ([0-9]+) to ([0-9]+)");
  std::smatch part;
  if (!std::regex_match(which.allowed, part, shape)) return std::nullopt;
  return range{std::stoull(part[1]), std::stoull(part[2])};
}

TEST(Settings, EachReadsBackTheDefaultThatItShows) {
  for (const auto& each : all_settings()) {
    EXPECT_EQ(taken(each, each.show(config{})), each.show(config{})) << each.name;
  }
}

TEST(Settings, EachHasANameOfItsOwnThatIsAFlagAndAVariable) {
  std::set<std::string> names, variables;
  for (const auto& each : all_settings()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_TRUE(variables.insert(each.variable()).second) << each.name;
    EXPECT_THAT(each.name, ::testing::MatchesRegex("[a-z]+(-[a-z]+)*"));
    EXPECT_THAT(each.variable(), ::testing::MatchesRegex("QUOTE_LAB_[A-Z]+(_[A-Z]+)*"));
    EXPECT_EQ(each.flag(), "--" + each.name);
  }
  EXPECT_EQ(find("max-connections").variable(), "QUOTE_LAB_MAX_CONNECTIONS");
}

TEST(Settings, EachSaysWhatItIsForAndWhatIsAllowed) {
  for (const auto& each : all_settings()) {
    EXPECT_TRUE(each.purpose.ends_with(".")) << each.name;
    EXPECT_FALSE(each.allowed.empty()) << each.name;
    if (each.name.ends_with("-ms")) {
      EXPECT_THAT(each.purpose, ::testing::HasSubstr(" ms")) << each.name;
    }
  }
}

TEST(Settings, AWholeNumberIsReadFromEndToEndOfItsRangeAndNoFurther) {
  int ranges = 0;
  for (const auto& each : all_settings()) {
    const auto range = range_of(each);
    if (!range) continue;
    ++ranges;
    EXPECT_EQ(taken(each, std::to_string(range->least)), std::to_string(range->least)) << each.name;
    EXPECT_EQ(taken(each, std::to_string(range->most)), std::to_string(range->most)) << each.name;
    EXPECT_FALSE(reads(each, std::to_string(range->most + 1))) << each.name;
    if (range->least > 0) {
      EXPECT_FALSE(reads(each, std::to_string(range->least - 1))) << each.name;
    }
    for (const auto* text : {"", " ", "-1", "+1", " 1", "1 ", "01", "1.0", "1e3", "0x10", "abc", "1ms",
                             "99999999999999999999999999"}) {
      EXPECT_FALSE(reads(each, text)) << each.name << " '" << text << "'";
    }
    EXPECT_FALSE(reads(each, std::string_view("1\0", 2))) << each.name;
  }
  EXPECT_GT(ranges, 25);
}

TEST(Settings, ASwitchIsTrueOrFalse) {
  int switches = 0;
  for (const auto& each : all_settings()) {
    if (!each.is_switch) continue;
    ++switches;
    for (const auto* yes : {"true", "1"}) EXPECT_EQ(taken(each, yes), "true") << each.name;
    for (const auto* no : {"false", "0"}) EXPECT_EQ(taken(each, no), "false") << each.name;
    for (const auto* text : {"", "TRUE", "yes", "on", "2", " true"})
      EXPECT_FALSE(reads(each, text)) << each.name;
  }
  EXPECT_GE(switches, 5);
}

TEST(Settings, AChoiceIsOneOfTheWordsItNames) {
  for (const auto* name : {"log-level", "log-format", "breaker-rule"}) {
    const auto& which = find(name);
    ASSERT_TRUE(which.allowed.starts_with("one of ")) << name;
    std::istringstream words(std::regex_replace(which.allowed.substr(7), std::regex(","), ""));
    int count = 0;
    for (std::string word; words >> word; ++count) EXPECT_EQ(taken(which, word), word);
    EXPECT_GE(count, 2);
    for (const auto* text : {"", "loud", "INFO", "JSON"}) EXPECT_FALSE(reads(which, text)) << name;
  }
}

TEST(Settings, AnAddressIsANumberAndNoName) {
  for (const auto* text : {"127.0.0.1", "0.0.0.0", "::", "::1"})
    EXPECT_TRUE(reads(find("address"), text)) << text;
  for (const auto* text : {"", "localhost", "127.0.0", "127.0.0.256", "::1::", "http://127.0.0.1"}) {
    EXPECT_FALSE(reads(find("address"), text)) << text;
  }
}

TEST(Settings, APrefixIsEmptyOrAPathWithoutSurprises) {
  for (const auto* text : {"", "/04", "/a/b", "/a-b_c.d~e"}) EXPECT_TRUE(reads(find("prefix"), text)) << text;
  for (const auto* text : {"/", "04", "/04/", "//04", "/a//b", "/./a", "/../a", "/a/..", "/a b", "/a?b",
                           "/a#b", "/%41", "/caf\xc3\xa9"}) {
    EXPECT_FALSE(reads(find("prefix"), text)) << text;
  }
}

TEST(Settings, ASeedIsAnyWholeNumberOrADrawnOne) {
  EXPECT_EQ(taken(find("seed"), "0"), "0");
  EXPECT_EQ(taken(find("seed"), "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(taken(find("seed"), "random"), "random");
  for (const auto* text : {"", "-1", "18446744073709551616", "Random", "1 "}) {
    EXPECT_FALSE(reads(find("seed"), text)) << text;
  }
}

TEST(Settings, AThresholdIsAShareAboveNothing) {
  const auto& which = find("breaker-threshold");
  for (const auto* text : {"0.5", "1", "0.001", "1e-3"}) EXPECT_TRUE(reads(which, text)) << text;
  for (const auto* text : {"", "0", "-0.5", "1.0001", "2", "nan", "inf", "half", "0.5 ", "0,5"}) {
    EXPECT_FALSE(reads(which, text)) << text;
  }
  EXPECT_EQ(taken(which, "0.3"), "0.3");
}

TEST(Settings, ADataFolderIsAnythingButNothing) {
  EXPECT_EQ(taken(find("data-dir"), "/data"), "/data");
  EXPECT_FALSE(reads(find("data-dir"), ""));
}

TEST(Settings, AReadingLeavesEveryOtherSettingAlone) {
  for (const auto& each : all_settings()) {
    config changed;
    const auto range = range_of(each);
    ASSERT_TRUE(each.read(changed, range ? std::to_string(range->least) : each.show(config{})));
    for (const auto& other : all_settings()) {
      if (other.name == each.name) continue;
      EXPECT_EQ(other.show(changed), other.show(config{})) << each.name;
    }
  }
}

TEST(Settings, ARefusalNamesTheSourceWhatCameAndWhatIsAllowed) {
  EXPECT_EQ(refusal_of("PORT", "080", find("port")),
            "PORT is '080', but it must be a whole number from 0 to 65535.");
}

}  // namespace
}  // namespace quote_lab::app
