#include "storage/saved_file.hpp"

#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "storage/atomic_write.hpp"

namespace asio = boost::asio;

namespace quote_lab::storage {

using namespace std::chrono_literals;

constexpr auto retry_after_failure = 1s;

namespace {

/// A folder that was deleted meanwhile is made again.
std::error_code write_wherever_possible(const std::filesystem::path& path, const std::string& bytes) {
  auto error = write_atomically(path, bytes);
  if (error != std::errc::no_such_file_or_directory) return error;
  std::filesystem::create_directories(path.parent_path(), error);
  return error ? error : write_atomically(path, bytes);
}

}  // namespace

saved_file::saved_file(asio::any_io_executor loop, asio::thread_pool& writer, std::filesystem::path path,
                       take_data take, std::chrono::milliseconds interval)
    : loop_(loop),
      writer_(writer),
      path_(std::move(path)),
      take_(std::move(take)),
      interval_(interval),
      due_(loop),
      write_ended_(loop, asio::steady_timer::time_point::max()) {}

void saved_file::touch() {
  ++changed_;
  if (!scheduled_ && !writing_) write_soon(health_.failing ? retry_after_failure : interval_);
}

void saved_file::touch_urgently() {
  urgent_ = ++changed_;
  if (!writing_) begin_write();
}

asio::awaitable<void> saved_file::settled() {
  const auto wanted = urgent_;
  while (tried_ < wanted) co_await write_ended_.async_wait(asio::as_tuple(asio::use_awaitable));
}

std::error_code saved_file::write_now() {
  const auto bytes = take_()();
  const auto error = write_wherever_possible(path_, bytes);
  tried_ = changed_;
  note(error);
  return error;
}

void saved_file::write_soon(std::chrono::milliseconds delay) {
  scheduled_ = true;
  due_.expires_after(delay);
  due_.async_wait([this](boost::system::error_code error) {
    if (error || writing_) return;
    begin_write();
  });
}

void saved_file::begin_write() {
  if (scheduled_) due_.cancel();
  scheduled_ = false;
  writing_ = true;
  asio::post(writer_, [this, version = changed_, encode = take_()] {
    std::error_code error;
    try {
      error = write_wherever_possible(path_, encode());
    } catch (const std::exception&) {
      error = std::make_error_code(std::errc::not_enough_memory);
    }
    asio::post(loop_, [this, version, error] { end_write(version, error); });
  });
}

void saved_file::end_write(std::uint64_t version, std::error_code error) {
  writing_ = false;
  tried_ = version;
  note(error);
  write_ended_.cancel();
  if (urgent_ > tried_) {
    begin_write();
  } else if (error) {
    write_soon(retry_after_failure);
  } else if (changed_ > tried_) {
    write_soon(interval_);
  }
}

void saved_file::note(std::error_code error) {
  const bool was_failing = std::exchange(health_.failing, static_cast<bool>(error));
  health_.error = error ? error.message() : std::string();
  if (error) ++health_.failures;
  if (was_failing != health_.failing) heard_(*this, error);
}

}  // namespace quote_lab::storage
