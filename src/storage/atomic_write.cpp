#include "storage/atomic_write.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace quote_lab::storage {
namespace {

std::error_code last_error() {
  return {errno, std::system_category()};
}

class descriptor {
 public:
  explicit descriptor(int fd) : fd_(fd) {}
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }
  /// Closes now, to hear of a late write error.
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

std::error_code write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return last_error();
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

/// What a crash left there, or somebody put there (a FIFO would hang the writer, a link lead it elsewhere),
/// is taken away first; then the file must be new.
std::error_code write_through(const std::filesystem::path& path, std::string_view bytes) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return last_error();
  descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file.is_open()) return last_error();
  if (const auto error = write_all(file.get(), bytes)) return error;
  if (::fsync(file.get()) != 0) return last_error();
  return file.close() == 0 ? std::error_code{} : last_error();
}

std::error_code sync_folder(const std::filesystem::path& path) {
  const descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open() || ::fsync(folder.get()) != 0) return last_error();
  return {};
}

}  // namespace

std::error_code write_atomically(const std::filesystem::path& path, std::string_view bytes) {
  auto temporary = path;
  temporary += ".tmp";
  if (const auto error = write_through(temporary, bytes)) return error;
  if (::rename(temporary.c_str(), path.c_str()) != 0) return last_error();
  return sync_folder(path.parent_path());
}

}  // namespace quote_lab::storage
