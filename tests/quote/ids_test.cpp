// Identifiers: their shape, and that the engine alone decides them.
#include "quote/ids.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quote_lab::quote {
namespace {

TEST(Ids, HaveAsManyLowerCaseHexDigitsAsAskedFor) {
  std::mt19937_64 engine(1);
  EXPECT_EQ(hex_digits(engine, 0), "");
  for (const int digits : {1, 8, 10, 16, 17, 32, 100}) {
    const auto text = hex_digits(engine, digits);
    EXPECT_EQ(text.size(), static_cast<std::size_t>(digits));
    EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos) << text;
  }
  EXPECT_THAT(quote_id(engine), ::testing::MatchesRegex("quote-[0-9a-f]{10}"));
}

TEST(Ids, UseEveryDigitInEveryPlace) {
  std::mt19937_64 engine(2);
  std::set<std::pair<std::size_t, char>> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto text = hex_digits(engine, 20);
    for (std::size_t place = 0; place < text.size(); ++place) seen.emplace(place, text[place]);
  }
  EXPECT_EQ(seen.size(), 20U * 16U);
}

TEST(Ids, AreTheSameForTheSameSeedAndDifferOtherwise) {
  std::mt19937_64 one(7), same(7), other(8);
  const auto first = hex_digits(one, 10);
  EXPECT_EQ(first, hex_digits(same, 10));
  EXPECT_NE(first, hex_digits(one, 10));
  EXPECT_NE(first, hex_digits(other, 10));
}

}  // namespace
}  // namespace quote_lab::quote
