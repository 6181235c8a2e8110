// The values of a query: read as JavaScript reads them, bounded, and said where they were not taken as sent.
#include "api/query_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quote_lab::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct parse_row {
  std::string text;
  std::optional<long long> value;
  bool whole_text = true;
};

TEST(JsInteger, ReadsWhatParseIntReads) {
  const std::vector<parse_row> table{{"0", 0},
                                     {"42", 42},
                                     {"007", 7},
                                     {"+5", 5},
                                     {"-5", -5},
                                     {"-0", 0},
                                     {"12abc", 12, false},
                                     {"3.9", 3, false},
                                     {"-3.9", -3, false},
                                     {"1e3", 1, false},
                                     {"0x10", 0, false},
                                     {"12 ", 12, false},
                                     {"1_000", 1, false},
                                     {std::string("7\0", 2), 7, false},
                                     {"", std::nullopt},
                                     {" ", std::nullopt},
                                     {"abc", std::nullopt},
                                     {"-", std::nullopt},
                                     {"+", std::nullopt},
                                     {"+-5", std::nullopt},
                                     {"--5", std::nullopt},
                                     {"- 5", std::nullopt},
                                     {".5", std::nullopt},
                                     {"NaN", std::nullopt},
                                     {"Infinity", std::nullopt},
                                     {"\xd9\xa3", std::nullopt}};
  for (const auto& row : table) {
    const auto parsed = parse_js_integer(row.text);
    ASSERT_EQ(parsed.has_value(), row.value.has_value()) << "'" << row.text << "'";
    if (!parsed) continue;
    EXPECT_EQ(parsed->value, *row.value) << "'" << row.text << "'";
    EXPECT_EQ(parsed->whole_text, row.whole_text) << "'" << row.text << "'";
  }
}

TEST(JsInteger, SkipsEveryBlankOfJavaScriptInFrontAndNothingElse) {
  for (const std::string blank :
       {"\t",     "\n",     "\v",     "\f",     "\r",     " ",      "\u00a0", "\u1680", "\u2000",
        "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009",
        "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff"}) {
    EXPECT_EQ(parse_js_integer(blank + "5").value().value, 5);
    EXPECT_EQ(parse_js_integer(blank + blank + " +5").value().value, 5);
    EXPECT_FALSE(parse_js_integer(blank).has_value());
  }
  for (const std::string other : {"\u200b", "\u180e", "\u0085", "\u2060", "\xc2", "\xe2\x80"}) {
    EXPECT_FALSE(parse_js_integer(other + "5").has_value());
  }
  EXPECT_FALSE(parse_js_integer(std::string("\0", 1) + "5").has_value());
}

TEST(JsInteger, AnyNumberOfDigitsStopsAtTheEndOfTheRange) {
  for (const std::size_t digits : {18U, 19U, 20U, 100U, 100'000U}) {
    const std::string nines(digits, '9');
    EXPECT_GT(parse_js_integer(nines).value().value, 1'000'000'000'000'000LL) << digits;
    EXPECT_LT(parse_js_integer("-" + nines).value().value, -1'000'000'000'000'000LL) << digits;
    EXPECT_TRUE(parse_js_integer(nines).value().whole_text);
  }
  EXPECT_EQ(parse_js_integer(std::string(1000, '0') + "7").value().value, 7);
}

class QueryValues : public ::testing::Test {
 protected:
  /// Reads `limit` from 1 to 50, otherwise 10, out of the query given.
  int limit_of(std::vector<http::query_param> query) {
    query_ = std::move(query);
    query_values values(query_);
    const int limit = values.integer("limit", 1, 50, 10);
    strict_ = values.strict();
    warnings_ = std::move(values).warnings();
    return limit;
  }
  int limit_of(const std::string& text) { return limit_of({{"limit", text}}); }

  quote::scenario scenario_of(const std::string& text) {
    query_ = {{"scenario", text}};
    query_values values(query_);
    const auto scenario = values.scenario("scenario");
    warnings_ = std::move(values).warnings();
    return scenario;
  }

  std::vector<http::query_param> query_;
  std::vector<std::string> warnings_;
  bool strict_ = false;
};

TEST_F(QueryValues, TakesWhatIsInRangeWithoutAWord) {
  for (const int value : {1, 2, 49, 50}) {
    EXPECT_EQ(limit_of(std::to_string(value)), value);
    EXPECT_THAT(warnings_, IsEmpty());
  }
  EXPECT_EQ(limit_of("+5"), 5);
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(limit_of("\n5"), 5);
  EXPECT_THAT(warnings_, IsEmpty()) << "blanks in front are no loss";
}

TEST_F(QueryValues, MissingIsTheDefaultWithoutAWord) {
  EXPECT_EQ(limit_of(std::vector<http::query_param>{}), 10);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(QueryValues, EmptyIsTheDefault) {
  EXPECT_EQ(limit_of(""), 10);
  EXPECT_THAT(warnings_, ElementsAre("limit '' was taken as 10; allowed is a whole number from 1 to 50."));
}

TEST_F(QueryValues, ClampsAndSaysSo) {
  EXPECT_EQ(limit_of("0"), 1);
  EXPECT_THAT(warnings_, ElementsAre("limit '0' was taken as 1; allowed is a whole number from 1 to 50."));
  EXPECT_EQ(limit_of("-7"), 1);
  EXPECT_EQ(limit_of("51"), 50);
  EXPECT_THAT(warnings_, ElementsAre("limit '51' was taken as 50; allowed is a whole number from 1 to 50."));
  EXPECT_EQ(limit_of(std::string(5000, '9')), 50);
  EXPECT_EQ(limit_of("-" + std::string(5000, '9')), 1);
}

TEST_F(QueryValues, WithoutDigitsIsTheLeast) {
  EXPECT_EQ(limit_of("many"), 1);
  EXPECT_THAT(warnings_, ElementsAre("limit 'many' was taken as 1; allowed is a whole number from 1 to 50."));
}

TEST_F(QueryValues, WhatWasIgnoredBehindTheDigitsIsSaid) {
  EXPECT_EQ(limit_of("12abc"), 12);
  EXPECT_THAT(warnings_,
              ElementsAre("limit '12abc' was taken as 12; allowed is a whole number from 1 to 50."));
}

TEST_F(QueryValues, AWarningDoesNotRepeatALongValueWhole) {
  limit_of(std::string(100'000, 'x'));
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_LT(warnings_[0].size(), 200U);
}

TEST_F(QueryValues, TheFirstOfARepeatedKeyCounts) {
  EXPECT_EQ(limit_of({{"limit", "3"}, {"limit", "4"}, {"limit", "5"}}), 3);
  EXPECT_THAT(warnings_, ElementsAre("limit '4' was ignored; the first limit counts.",
                                     "limit '5' was ignored; the first limit counts."));
}

TEST_F(QueryValues, AParameterThatNobodyReadsIsSaidOnce) {
  EXPECT_EQ(limit_of({{"limt", "3"}, {"limt", "4"}, {"LIMIT", "5"}}), 10)
      << "names are compared letter by letter";
  EXPECT_THAT(warnings_, ElementsAre("parameter 'limt' was ignored; allowed are limit, strict.",
                                     "parameter 'LIMIT' was ignored; allowed are limit, strict."));
}

TEST_F(QueryValues, StrictIsOneOrZero) {
  limit_of({{"strict", "1"}});
  EXPECT_TRUE(strict_);
  EXPECT_THAT(warnings_, IsEmpty());
  limit_of({{"strict", "0"}});
  EXPECT_FALSE(strict_);
  EXPECT_THAT(warnings_, IsEmpty());
  for (const auto* text : {"true", "", "01", "2"}) {
    limit_of({{"strict", text}});
    EXPECT_FALSE(strict_);
    EXPECT_EQ(warnings_.size(), 1U) << text;
  }
}

TEST_F(QueryValues, KnowsEveryScenarioByItsExactName) {
  for (const auto each : quote::all_scenarios) {
    EXPECT_EQ(scenario_of(std::string(to_string(each))), each);
    EXPECT_THAT(warnings_, IsEmpty());
  }
}

TEST_F(QueryValues, RunsAnUnknownScenarioAsOkAndSaysSo) {
  for (const std::string text : {"", "OK", "slow", "o+k", "ok ", "\xc3\x28"}) {
    EXPECT_EQ(scenario_of(text), quote::scenario::ok);
    EXPECT_EQ(warnings_.size(), 1U) << text;
  }
  scenario_of("slow");
  EXPECT_THAT(warnings_, ElementsAre("scenario 'slow' was taken as ok; allowed is one of ok, slow_provider, "
                                     "flaky_provider, provider_down, burst_then_recover."));
}

}  // namespace
}  // namespace quote_lab::api
