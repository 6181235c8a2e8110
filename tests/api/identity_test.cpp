// Who a request is: ids taken where they are well formed, made where not.
#include "api/identity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quote_lab::api {
namespace {

using ::testing::MatchesRegex;

const std::string trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string parent_id = "00f067aa0ba902b7";
const std::string good = "00-" + trace_id + "-" + parent_id + "-01";

http::request with(std::vector<http::header> headers) {
  http::request request;
  request.headers = std::move(headers);
  return request;
}

TEST(Traceparent, IsTakenApart) {
  const auto trace = parse_traceparent(good);
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->trace_id, trace_id);
  EXPECT_EQ(trace->parent_id, parent_id);
  EXPECT_EQ(trace->flags, "01");
}

TEST(Traceparent, OfALaterVersionIsReadAsFarAsItIsKnown) {
  const auto rest = good.substr(2);
  for (const auto& text :
       {"01" + rest, "cc" + rest, "fe" + rest, "01" + rest + "-what-comes-later", "cc" + rest + "-"}) {
    ASSERT_TRUE(parse_traceparent(text).has_value()) << text;
    EXPECT_EQ(parse_traceparent(text)->trace_id, trace_id);
  }
}

TEST(Traceparent, ThatIsNotWellFormedIsNone) {
  const std::string zeros_trace(32, '0'), zeros_parent(16, '0');
  for (const std::string& text : {std::string(),
                                  std::string("00"),
                                  good.substr(0, 54),
                                  good + "-",
                                  good + "-more",
                                  good + "0",
                                  good + " ",
                                  " " + good,
                                  "0" + good,
                                  "ff" + good.substr(2),
                                  "0x" + good.substr(2),
                                  "FE" + good.substr(2),
                                  "00-" + zeros_trace + "-" + parent_id + "-01",
                                  "00-" + trace_id + "-" + zeros_parent + "-01",
                                  "00-" + trace_id.substr(1) + "-" + parent_id + "-01",
                                  "00-" + trace_id + "-" + parent_id + "-0g",
                                  "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + parent_id + "-01",
                                  "00-" + trace_id + "-00F067AA0BA902B7-01",
                                  "00_" + good.substr(3),
                                  "01" + good.substr(2) + "more",
                                  "00-" + trace_id.substr(0, 31) + "\xc3-" + parent_id + "-01"}) {
    EXPECT_FALSE(parse_traceparent(text).has_value()) << text;
  }
}

TEST(RequestId, IsOfALengthAndOfCharactersThatAreSafeEverywhere) {
  for (const std::string& id : {std::string("a"), std::string("req-0A.b_c-9"), std::string(64, 'x')}) {
    EXPECT_TRUE(is_request_id(id)) << id;
  }
  for (const std::string& id :
       {std::string(), std::string(65, 'x'), std::string(4096, 'x'), std::string("a b"), std::string("a\tb"),
        std::string("a\"b"), std::string("a\nb"), std::string("a/b"), std::string("a=b"),
        std::string("caf\xc3\xa9"), std::string("a\0b", 3)}) {
    EXPECT_FALSE(is_request_id(id)) << id;
  }
}

TEST(Identity, IsMadeWhereNothingCame) {
  std::mt19937_64 engine(1);
  for (const auto& who : {identify(with({}), engine), identify_stranger(engine)}) {
    EXPECT_THAT(who.request_id, MatchesRegex("req-[0-9a-f]{8}"));
    EXPECT_THAT(who.trace_id, MatchesRegex("trace-[0-9a-f]{8}"));
    ASSERT_TRUE(parse_traceparent(who.traceparent).has_value()) << who.traceparent;
    EXPECT_TRUE(parse_traceparent(who.traceparent)->trace_id.ends_with(who.trace_id.substr(6)));
  }
}

TEST(Identity, GoesOnWithTheTraceThatCameUnderASpanOfItsOwn) {
  std::mt19937_64 engine(1);
  const auto who = identify(with({{"TraceParent", good}, {"x-request-id", "mine"}}), engine);
  EXPECT_EQ(who.request_id, "mine");
  EXPECT_EQ(who.trace_id, "trace-0e0e4736");
  const auto sent_on = parse_traceparent(who.traceparent).value();
  EXPECT_EQ(sent_on.trace_id, trace_id);
  EXPECT_NE(sent_on.parent_id, parent_id);
  EXPECT_EQ(sent_on.flags, "01");
}

TEST(Identity, HandsOnTheOneFlagThatIsKnownAndInTheVersionThatIsSpoken) {
  std::mt19937_64 engine(1);
  const auto sent_on = [&](const std::string& version, const std::string& flags) {
    const auto text = version + good.substr(2, 51) + flags;
    return identify(with({{"traceparent", text}}), engine).traceparent;
  };
  EXPECT_TRUE(sent_on("00", "00").ends_with("-00"));
  EXPECT_TRUE(sent_on("00", "ff").ends_with("-01"));
  EXPECT_TRUE(sent_on("00", "02").ends_with("-00"));
  EXPECT_TRUE(sent_on("cc", "03").ends_with("-01"));
  EXPECT_TRUE(sent_on("cc", "03").starts_with("00-" + trace_id));
}

TEST(Identity, BeginsATraceOfItsOwnWhereTheOneThatCameIsOfNoUse) {
  std::mt19937_64 engine(1);
  const auto who = identify(with({{"traceparent", "00-zz"}, {"X-Request-Id", "a b"}}), engine);
  EXPECT_THAT(who.request_id, MatchesRegex("req-[0-9a-f]{8}"));
  EXPECT_TRUE(parse_traceparent(who.traceparent).has_value());
}

TEST(Identity, IsAnotherForEachRequest) {
  std::mt19937_64 engine(1);
  const auto one = identify(with({}), engine);
  const auto two = identify(with({}), engine);
  EXPECT_NE(one.request_id, two.request_id);
  EXPECT_NE(one.traceparent, two.traceparent);
}

}  // namespace
}  // namespace quote_lab::api
