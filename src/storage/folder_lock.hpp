// Keeps a second lab out of a data folder that is in use: two of them would write over each other's files.
// The lock lies in the kernel and ends with the process, however it ends. Called by: app/.
#pragma once

#include <filesystem>
#include <system_error>

namespace quote_lab::storage {

class folder_lock {
 public:
  folder_lock() = default;
  ~folder_lock();
  folder_lock(const folder_lock&) = delete;
  folder_lock& operator=(const folder_lock&) = delete;

  /// Once. Does not wait: `resource_unavailable_try_again` when another process has the folder.
  std::error_code take(const std::filesystem::path& folder);

 private:
  int fd_ = -1;
};

}  // namespace quote_lab::storage
