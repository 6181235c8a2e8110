// A flag without its value, or with an empty one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/command_line.hpp"

namespace quote_lab::app {
namespace {

using ::testing::HasSubstr;

command parse(std::vector<const char*> words) {
  words.insert(words.begin(), "quote-lab");
  environment nothing;
  nothing.get = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  return parse_command_line(static_cast<int>(words.size()), words.data(), nothing);
}

TEST(FlagEdges, AFlagWithoutItsValueIsNamed) {
  for (const auto* word : {"--port", "--port=", "--data-dir"}) {
    const auto parsed = parse({word});
    const auto* said = std::get_if<say_command>(&parsed);
    ASSERT_NE(said, nullptr) << word;
    EXPECT_EQ(said->exit_code, 2);
    EXPECT_THAT(said->text, HasSubstr(std::string(word).substr(2, 4))) << word;
  }
}

TEST(FlagEdges, AnEmptyValueIsAValueWhereItIsAllowedAndTakesNoWordAlong) {
  for (const auto& words : {std::vector<const char*>{"--prefix="}, {"--prefix=", "--port", "1"}}) {
    const auto parsed = parse(words);
    const auto* serve = std::get_if<serve_command>(&parsed);
    ASSERT_NE(serve, nullptr);
    EXPECT_EQ(serve->settings.prefix, "");
  }
}

}  // namespace
}  // namespace quote_lab::app
