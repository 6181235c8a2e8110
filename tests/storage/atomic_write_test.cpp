// Whoever reads the file finds the old bytes or the new ones, whole.
#include "storage/atomic_write.hpp"

#include <atomic>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "support/temp_dir.hpp"

namespace quote_lab::storage {
namespace {

using test::contents;
using test::put;

class AtomicWrite : public ::testing::Test {
 protected:
  test::temp_dir folder;
  const std::filesystem::path file = folder / "state.json";
};

TEST_F(AtomicWrite, MakesTheFileAndLeavesNothingBesideIt) {
  EXPECT_FALSE(write_atomically(file, "one"));
  EXPECT_EQ(contents(file), "one");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST_F(AtomicWrite, WritesWhateverBytesThereAre) {
  const std::string large(3'000'000, 'x');
  for (const auto& bytes : {std::string(), std::string("\0\n\xff", 3), large, std::string("short again")}) {
    EXPECT_FALSE(write_atomically(file, bytes));
    EXPECT_TRUE(contents(file) == bytes) << bytes.size() << " bytes";
  }
}

TEST_F(AtomicWrite, PutsANewFileInTheOldOnesPlaceAndNeverWritesIntoIt) {
  put(file, "old");
  std::filesystem::create_hard_link(file, folder / "witness");
  EXPECT_FALSE(write_atomically(file, "new"));
  EXPECT_EQ(contents(folder / "witness"), "old");
  EXPECT_EQ(contents(file), "new");
}

TEST_F(AtomicWrite, AReaderMeanwhileFindsNothingHalf) {
  const std::string a(200'000, 'a'), b(200'000, 'b');
  ASSERT_FALSE(write_atomically(file, a));
  std::atomic<bool> over = false;
  std::atomic<int> halves = 0;
  std::thread reader([&] {
    while (!over) {
      const auto seen = contents(file);
      if (seen != a && seen != b) ++halves;
    }
  });
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(write_atomically(file, i % 2 == 0 ? b : a));
  over = true;
  reader.join();
  EXPECT_EQ(halves, 0);
}

TEST_F(AtomicWrite, WritesOverWhatACrashLeftBehind) {
  put(folder / "state.json.tmp", std::string(100'000, '?'));
  EXPECT_FALSE(write_atomically(file, "new"));
  EXPECT_EQ(contents(file), "new");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST_F(AtomicWrite, SaysSoWhenThereIsNoFolder) {
  EXPECT_EQ(write_atomically(folder / "missing/state.json", "x"), std::errc::no_such_file_or_directory);
}

TEST_F(AtomicWrite, SaysSoWhenTheFolderIsAFile) {
  put(file, "old");
  EXPECT_EQ(write_atomically(file / "state.json", "x"), std::errc::not_a_directory);
  EXPECT_EQ(contents(file), "old");
}

TEST_F(AtomicWrite, SaysSoWhenAFolderStandsInTheFilesPlace) {
  std::filesystem::create_directory(file);
  EXPECT_TRUE(write_atomically(file, "x"));
  EXPECT_TRUE(std::filesystem::is_directory(file));
}

TEST_F(AtomicWrite, LeavesTheOldFileWhenTheNewOneCannotBeWritten) {
  put(file, "old");
  std::filesystem::create_directory(folder / "state.json.tmp");
  EXPECT_TRUE(write_atomically(file, "new"));
  EXPECT_EQ(contents(file), "old");
}

/// As good as a full disk: no file of this process may grow beyond a few bytes while it lives.
class no_room {
 public:
  no_room() {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit tight{4, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &tight);
  }
  ~no_room() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, SIG_DFL);
  }
  no_room(const no_room&) = delete;
  no_room& operator=(const no_room&) = delete;

 private:
  rlimit before_{};
};

TEST_F(AtomicWrite, SaysSoWhenThereIsNoRoomAndLeavesTheOldFile) {
  put(file, "old");
  std::error_code error;
  {
    const no_room disk;
    error = write_atomically(file, "longer than there is room for");
  }
  EXPECT_EQ(error, std::errc::file_too_large);
  EXPECT_EQ(contents(file), "old");
}

TEST_F(AtomicWrite, TakesAwayWhatWasPlantedWhereItWrites) {
  put(folder / "precious", "not ours");
  std::filesystem::create_symlink(folder / "precious", folder / "state.json.tmp");
  EXPECT_FALSE(write_atomically(file, "new"));
  EXPECT_EQ(contents(file), "new");
  EXPECT_EQ(contents(folder / "precious"), "not ours");
}

}  // namespace
}  // namespace quote_lab::storage
