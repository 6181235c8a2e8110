// Members of a JSON object: missing or null is the default, anything else of the wrong kind is refused by
// name.
#include "storage/json_members.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quote_lab::storage {
namespace {

/// What a refusal says, or nothing when there is none.
template <class Read>
std::string refusal(Read read) {
  try {
    read();
    return "";
  } catch (const unreadable& problem) {
    return problem.what();
  }
}

const json sample =
    json::parse(R"({"null": null, "yes": true, "text": "hi", "zero": 0, "count": 7, "half": 0.5,
  "whole": 7.0, "minus": -1, "large": 9007199254740992, "too_large": 9007199254740994, "huge": 1e300,
  "list": [1], "object": {"x": 1}, "time": "2026-11-30T15:44:01.930Z"})");

TEST(JsonMembers, GiveTheDefaultForWhatIsMissingOrNull) {
  for (const auto* name : {"missing", "null"}) {
    EXPECT_EQ(count_member(sample, name, 3), 3U);
    EXPECT_EQ(small_count_member(sample, name, 3), 3U);
    EXPECT_EQ(number_member(sample, name, 1.5), 1.5);
    EXPECT_EQ(bool_member(sample, name, true), true);
    EXPECT_EQ(string_member(sample, name, "x"), "x");
    EXPECT_EQ(time_member(sample, name), std::nullopt);
    EXPECT_TRUE(array_member(sample, name).empty());
  }
}

TEST(JsonMembers, ReadWhatIsThere) {
  EXPECT_EQ(count_member(sample, "count"), 7U);
  EXPECT_EQ(count_member(sample, "whole"), 7U) << "JSON does not tell 7 from 7.0";
  EXPECT_EQ(count_member(sample, "large"), 9007199254740992U);
  EXPECT_EQ(number_member(sample, "half"), 0.5);
  EXPECT_EQ(number_member(sample, "minus"), -1);
  EXPECT_TRUE(bool_member(sample, "yes"));
  EXPECT_EQ(string_member(sample, "text"), "hi");
  EXPECT_EQ(quote::iso8601(*time_member(sample, "time")), "2026-11-30T15:44:01.930Z");
  EXPECT_EQ(array_member(sample, "list").size(), 1U);
  EXPECT_EQ(object_member(sample, "object").at("x"), 1);
}

TEST(JsonMembers, RefuseEveryOtherKindByName) {
  for (const auto& [name, value] : sample.items()) {
    const auto expect_refused = [&](bool fits, const std::string& what) {
      if (fits || value.is_null()) {
        EXPECT_EQ(what, "") << name;
      } else {
        EXPECT_THAT(what, ::testing::HasSubstr("'" + name + "'"));
      }
    };
    expect_refused(value.is_number(), refusal([&] { number_member(sample, name); }));
    expect_refused(value.is_boolean(), refusal([&] { bool_member(sample, name); }));
    expect_refused(value.is_string(), refusal([&] { string_member(sample, name); }));
    expect_refused(value.is_array(), refusal([&] { array_member(sample, name); }));
    expect_refused(name == "time", refusal([&] { time_member(sample, name); }));
    const bool counts = name == "zero" || name == "count" || name == "whole";
    expect_refused(counts || name == "large", refusal([&] { count_member(sample, name); }));
    expect_refused(counts, refusal([&] { small_count_member(sample, name); }));
  }
  EXPECT_NE(refusal([] { object_member(sample, "null"); }), "") << "an object must be there";
  EXPECT_NE(refusal([] { object_member(sample, "missing"); }), "");
}

TEST(JsonMembers, RefuseToLookIntoWhatIsNoObject) {
  for (const auto& value : {json(1), json("x"), json::array(), json(nullptr), json(true)}) {
    EXPECT_NE(refusal([&] { member(value, "x"); }), "");
  }
}

TEST(JsonMembers, CountUpToWhatThirtyOneBitsHold) {
  const json counts{{"most", 2147483647}, {"more", 2147483648}};
  EXPECT_EQ(small_count_member(counts, "most"), 2147483647U);
  EXPECT_NE(refusal([&] { small_count_member(counts, "more"); }), "");
}

}  // namespace
}  // namespace quote_lab::storage
