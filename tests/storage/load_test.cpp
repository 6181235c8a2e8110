// The start of the lab on whatever lies where its file should be: it is read, or moved aside whole.
#include "storage/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/json_members.hpp"
#include "support/temp_dir.hpp"

namespace quote_lab::storage {
namespace {

using test::contents;
using test::put;

class Load : public ::testing::Test {
 protected:
  std::optional<moved_aside> load() {
    return load_json(file, [this](const json& parsed) { got = object_member(parsed, "provider"); });
  }

  test::temp_dir folder;
  const std::filesystem::path file = folder / "state.json";
  json got;
};

TEST_F(Load, NoFileIsNoTrouble) {
  EXPECT_EQ(load().has_value(), false);
  EXPECT_EQ(folder.entries(), 0U);
}

TEST_F(Load, HandsAGoodFileOverAndLeavesItAlone) {
  put(file, R"({"provider":{"name":"x"}})");
  EXPECT_EQ(load().has_value(), false);
  EXPECT_EQ(got["name"], "x");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST_F(Load, MovesWhatIsNotRightAsideWithEveryByteAndSaysWhy) {
  for (const auto& bytes :
       {std::string(), std::string(" "), std::string("{"), std::string("[]"), std::string("\"hi\""),
        std::string("null"), std::string("42"), std::string(R"({"provider":null})"),
        std::string(R"({"provider":[]})"), std::string(R"({"provider":{}} trailing)"), std::string(300, '\0'),
        std::string("\xff\xfe{}"), std::string("{\"provider\":\"\xc3\x28\"}"), std::string(100'000, '['),
        std::string(R"({"provider":1e999})")}) {
    put(file, bytes);
    const auto aside = load();
    ASSERT_TRUE(aside.has_value()) << bytes.substr(0, 40);
    EXPECT_EQ(aside->from, file);
    EXPECT_FALSE(aside->reason.empty());
    EXPECT_TRUE(contents(aside->to) == bytes) << bytes.substr(0, 40);
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  EXPECT_EQ(folder.entries(), 15U) << "none was written over by another";
}

TEST_F(Load, NamesTheMemberThatIsNotRight) {
  put(file, R"({"provider":[]})");
  EXPECT_THAT(load()->reason, ::testing::HasSubstr("'provider' should be an object"));
}

TEST_F(Load, MovesAsideWhatIsNoFile) {
  std::filesystem::create_directory(file);
  ASSERT_TRUE(load().has_value());
  std::filesystem::create_symlink(folder / "nowhere", file);
  ASSERT_TRUE(load().has_value());
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(file)));
}

TEST_F(Load, DoesNotReadWhatIsFarTooLarge) {
  put(file, "{}");
  std::filesystem::resize_file(file, largest_state_file_bytes + 1);
  EXPECT_THAT(load()->reason, ::testing::HasSubstr("16 MiB"));
}

TEST_F(Load, PassesOnWhatTheSystemRefuses) {
  put(file, "{}");
  const auto refused = [](const json&) {
    throw std::system_error(std::make_error_code(std::errc::io_error));
  };
  EXPECT_THROW(load_json(file, refused), std::system_error);
  EXPECT_TRUE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace quote_lab::storage
