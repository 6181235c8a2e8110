// A line of the log: one line whatever stands in it, in both formats.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "telemetry/log.hpp"

namespace quote_lab::telemetry {
namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view at = "2026-11-30T15:44:01.930Z";

std::string line(log_format format, const json& fields) {
  return log_line(format, at, log_level::info, "quote", fields);
}

/// What a client may send, and a terminal, a JSON reader or a line counter may stumble over.
const std::vector<std::string> nasty{"",
                                     " ",
                                     "two words",
                                     "a\nb",
                                     "a\r\nb",
                                     "tab\t",
                                     std::string("nul\0nul", 7),
                                     "\x1b[31mred\x1b[0m",
                                     "\x7f",
                                     "\"quoted\"",
                                     "back\\slash",
                                     "a=b",
                                     "\xc3\x28",
                                     "\xff\xfe",
                                     "\xed\xa0\x80",
                                     "caf\xc3\xa9",
                                     "\xe2\x80\xa8line separator",
                                     "\xc2\x9b"
                                     "31m",
                                     "{\"level\":\"error\"}"};

TEST(LogLine, InJsonIsOneObjectThatReadsBack) {
  const auto text = line(log_format::json, {{"request_id", "req-1"}, {"attempts", 2}, {"elapsed_ms", 1.5}});
  EXPECT_EQ(text, R"({"time":"2026-11-30T15:44:01.930Z","level":"info","event":"quote",)"
                  R"("request_id":"req-1","attempts":2,"elapsed_ms":1.5})");
}

TEST(LogLine, InTextIsWordsAndPairs) {
  const auto text = line(log_format::text, {{"request_id", "req-1"}, {"attempts", 2}, {"strict", true}});
  EXPECT_EQ(text, "2026-11-30T15:44:01.930Z info quote request_id=req-1 attempts=2 strict=true");
}

TEST(LogLine, NamesEachLevel) {
  const auto level_of = [](log_level level) {
    return json::parse(log_line(log_format::json, at, level, "e", json::object()))["level"]
        .get<std::string>();
  };
  EXPECT_EQ(level_of(log_level::debug), "debug");
  EXPECT_EQ(level_of(log_level::info), "info");
  EXPECT_EQ(level_of(log_level::warning), "warning");
  EXPECT_EQ(level_of(log_level::error), "error");
}

TEST(LogLine, WithoutFieldsEndsAfterTheEvent) {
  EXPECT_EQ(line(log_format::text, json::object()), "2026-11-30T15:44:01.930Z info quote");
}

TEST(LogLine, InJsonHoldsNoLineEndAndParsesWhateverStandsInIt) {
  for (const auto& value : nasty) {
    const auto text = line(log_format::json, {{"value", value}});
    for (const char c : text) EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20) << text;
    const auto read = json::parse(text, nullptr, false);
    ASSERT_FALSE(read.is_discarded()) << text;
    EXPECT_EQ(read["level"], "info");
    EXPECT_EQ(read.size(), 4U);
  }
}

TEST(LogLine, InTextIsPlainAsciiSoThatATerminalIsNotSteered) {
  for (const auto& value : nasty) {
    const auto text = line(log_format::text, {{"value", value}, {"after", 1}});
    for (const char c : text) EXPECT_TRUE(c >= ' ' && c <= '~') << text;
    EXPECT_TRUE(text.ends_with(" after=1")) << text;
  }
}

TEST(LogLine, InTextQuotesWhatWouldNotBeOneWord) {
  const auto value_of = [](const std::string& value) {
    const auto text = line(log_format::text, {{"v", value}});
    return text.substr(text.find(" v=") + 3);
  };
  EXPECT_EQ(value_of("plain-word_1.2/3"), "plain-word_1.2/3");
  EXPECT_EQ(value_of(""), R"("")");
  EXPECT_EQ(value_of("two words"), R"("two words")");
  EXPECT_EQ(value_of("a=b"), R"("a=b")");
  EXPECT_EQ(value_of("say \"hi\""), R"("say \"hi\"")");
  EXPECT_EQ(value_of("x\ny"), R"("x\ny")");
  EXPECT_EQ(value_of("caf\xc3\xa9"), R"("caf\u00e9")");
  EXPECT_EQ(value_of("\xff"), R"("\ufffd")");
}

TEST(LogLine, AllGoesWellBeforeTheLogIsStarted) {
  EXPECT_FALSE(log_wants(log_level::error));
  log(log_level::error, "nobody_listens", json::object());
  EXPECT_EQ(log_lines_dropped(), 0U);
}

}  // namespace
}  // namespace quote_lab::telemetry
