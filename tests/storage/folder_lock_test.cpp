// One lab a data folder.
#include "storage/folder_lock.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "support/temp_dir.hpp"

namespace quote_lab::storage {
namespace {

TEST(FolderLock, IsHadByOneAtATime) {
  const test::temp_dir folder;
  folder_lock first;
  folder_lock second;
  EXPECT_FALSE(first.take(folder.path()));
  EXPECT_EQ(second.take(folder.path()), std::errc::resource_unavailable_try_again);
}

TEST(FolderLock, IsFreeOnceItsHolderHasGone) {
  const test::temp_dir folder;
  std::optional<folder_lock> first(std::in_place);
  ASSERT_FALSE(first->take(folder.path()));
  first.reset();
  folder_lock second;
  EXPECT_FALSE(second.take(folder.path()));
}

TEST(FolderLock, SaysSoWhenThereIsNoFolder) {
  const test::temp_dir folder;
  folder_lock lock;
  EXPECT_EQ(lock.take(folder / "none"), std::errc::no_such_file_or_directory);
}

}  // namespace
}  // namespace quote_lab::storage
