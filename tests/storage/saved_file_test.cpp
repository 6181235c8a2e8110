// A file that follows the memory: many changes are one write, urgent ones are waited for, and a disk that
// fails holds nobody up. The writer's thread is real; the test holds it where it wants it.
#include "storage/saved_file.hpp"

#include <future>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/run_loop.hpp"
#include "support/temp_dir.hpp"

namespace quote_lab::storage {
namespace {

using namespace std::chrono_literals;
using test::contents;
using test::put;

class SavedFile : public ::testing::Test {
 protected:
  void open_file(std::chrono::milliseconds interval, const std::filesystem::path& where) {
    file.emplace(
        loop.get_executor(), writer, where,
        [this]() -> encoder {
          ++taken;
          return [this, copy = value] {
            if (hold.valid()) hold.wait();
            if (copy == "throw") throw std::runtime_error("cannot be encoded");
            return copy;
          };
        },
        interval);
    file->listen([this](const saved_file&, std::error_code error) {
      heard.push_back(error ? "failing" : "recovered");
    });
  }
  void open_file(std::chrono::milliseconds interval) { open_file(interval, folder / "state.json"); }

  ~SavedFile() override {
    release();
    writer.join();
  }

  void hold_the_writer() { hold = letting_go.get_future().share(); }
  void release() {
    if (!released && hold.valid()) letting_go.set_value();
    released = true;
  }

  void change(const std::string& to) {
    value = to;
    file->touch();
  }
  void change_urgently(const std::string& to) {
    value = to;
    file->touch_urgently();
  }
  void run_until(const std::function<bool()>& happened) { test::run_loop_until(loop, happened); }
  void settle() {
    run_until([&] { return file->is_settled(); });
  }
  std::string on_disk() const { return contents(folder / "state.json"); }

  test::temp_dir folder;
  boost::asio::io_context loop{1};
  boost::asio::thread_pool writer{1};
  std::string value = "first";
  int taken = 0;
  std::vector<std::string> heard;
  std::promise<void> letting_go;
  std::shared_future<void> hold;
  bool released = false;
  std::optional<saved_file> file;
};

TEST_F(SavedFile, WritesManyChangesTogetherAndTheLastOneWins) {
  open_file(1ms);
  for (int i = 0; i <= 1000; ++i) change(std::to_string(i));
  EXPECT_EQ(taken, 0) << "nothing is written on the spot";
  run_until([&] { return on_disk() == "1000"; });
  EXPECT_EQ(taken, 1);
}

TEST_F(SavedFile, AnOrdinaryChangeHoldsNobodyUp) {
  open_file(1h);
  change("later");
  EXPECT_TRUE(file->is_settled());
}

TEST_F(SavedFile, AnUrgentChangeDoesNotWaitForTheIntervalAndTakesTheOrdinaryOnesAlong) {
  open_file(1h);
  change("ordinary");
  change_urgently("urgent");
  EXPECT_FALSE(file->is_settled());
  settle();
  EXPECT_EQ(on_disk(), "urgent");
  EXPECT_EQ(taken, 1);
}

TEST_F(SavedFile, WhatChangesWhileItWritesIsWrittenNext) {
  open_file(1ms);
  hold_the_writer();
  change_urgently("one");
  for (int i = 0; i < 10; ++i) change_urgently("more " + std::to_string(i));
  EXPECT_EQ(taken, 1) << "one write at a time";
  release();
  settle();
  EXPECT_EQ(on_disk(), "more 9");
  EXPECT_EQ(taken, 2);
}

TEST_F(SavedFile, AnOrdinaryChangeWhileItWritesIsNotForgotten) {
  open_file(1ms);
  hold_the_writer();
  change_urgently("one");
  change("two");
  release();
  run_until([&] { return on_disk() == "two"; });
  EXPECT_EQ(taken, 2);
}

boost::asio::awaitable<void> note_when_settled(saved_file& file, bool& noted) {
  co_await file.settled();
  noted = true;
}

TEST_F(SavedFile, WhoeverWaitsIsWokenWhenItIsOnTheDiskAndNotBefore) {
  open_file(1h);
  hold_the_writer();
  change_urgently("urgent");
  bool noted = false;
  boost::asio::co_spawn(loop, note_when_settled(*file, noted), boost::asio::detached);
  loop.poll();
  EXPECT_FALSE(noted);
  EXPECT_EQ(on_disk(), "");
  release();
  run_until([&] { return noted; });
  EXPECT_EQ(on_disk(), "urgent");
}

TEST_F(SavedFile, WhoeverWaitsDoesNotWaitForChangesThatCameLater) {
  open_file(1h);
  hold_the_writer();
  change_urgently("mine");
  bool noted = false;
  boost::asio::co_spawn(loop, note_when_settled(*file, noted), boost::asio::detached);
  loop.poll();
  change_urgently("somebody else's");
  release();
  run_until([&] { return noted; });
  EXPECT_FALSE(file->is_settled());
  settle();
}

TEST_F(SavedFile, IsSettledFromTheStart) {
  open_file(1h);
  bool noted = false;
  boost::asio::co_spawn(loop, note_when_settled(*file, noted), boost::asio::detached);
  loop.poll();
  EXPECT_TRUE(noted);
}

TEST_F(SavedFile, AFailureIsToldOnceAndHoldsNobodyUp) {
  put(folder / "blocked", "a file where the folder should be");
  open_file(1h, folder / "blocked/state.json");
  for (int i = 0; i < 3; ++i) {
    change_urgently("lost");
    settle();
  }
  EXPECT_TRUE(file->health().failing);
  EXPECT_FALSE(file->health().error.empty());
  EXPECT_EQ(file->health().failures, 3U);
  EXPECT_THAT(heard, ::testing::ElementsAre("failing"));
}

TEST_F(SavedFile, TellsThatItWorksAgainAndHasCaughtUp) {
  put(folder / "blocked", "a file where the folder should be");
  open_file(1h, folder / "blocked/state.json");
  change_urgently("lost");
  settle();
  std::filesystem::remove(folder / "blocked");
  change_urgently("found");
  settle();
  EXPECT_FALSE(file->health().failing);
  EXPECT_TRUE(file->health().error.empty());
  EXPECT_EQ(file->health().failures, 1U);
  EXPECT_THAT(heard, ::testing::ElementsAre("failing", "recovered"));
  EXPECT_EQ(contents(folder / "blocked/state.json"), "found");
  file->reset_counters();
  EXPECT_EQ(file->health().failures, 0U);
}

TEST_F(SavedFile, WhatCannotBeEncodedIsAFailureLikeAnother) {
  open_file(1h);
  change_urgently("throw");
  settle();
  EXPECT_TRUE(file->health().failing);
  change_urgently("fine");
  settle();
  EXPECT_FALSE(file->health().failing);
  EXPECT_EQ(on_disk(), "fine");
}

TEST_F(SavedFile, WritesOnTheSpotWhenTold) {
  open_file(1h);
  value = "now";
  EXPECT_FALSE(file->write_now());
  EXPECT_EQ(on_disk(), "now");
}

TEST_F(SavedFile, SaysWhatWentWrongOnTheSpot) {
  put(folder / "blocked", "a file where the folder should be");
  open_file(1h, folder / "blocked/state.json");
  EXPECT_EQ(file->write_now(), std::errc::not_a_directory);
  EXPECT_TRUE(file->health().failing);
}

TEST_F(SavedFile, MakesAFolderThatWasDeletedAgain) {
  open_file(1h, folder / "deleted/state.json");
  value = "back";
  EXPECT_FALSE(file->write_now());
  EXPECT_EQ(contents(folder / "deleted/state.json"), "back");
}

}  // namespace
}  // namespace quote_lab::storage
