#include "storage/folder_lock.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace quote_lab::storage {

folder_lock::~folder_lock() {
  if (fd_ >= 0) ::close(fd_);
}

std::error_code folder_lock::take(const std::filesystem::path& folder) {
  fd_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd_ < 0 || ::flock(fd_, LOCK_EX | LOCK_NB) != 0) return {errno, std::system_category()};
  return {};
}

}  // namespace quote_lab::storage
