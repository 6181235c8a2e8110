// The bytes of one connection that came and were not used yet. It starts small, since most connections only
// wait, and grows to a bound. Called by: connection, which reads into it, and request_reader, which takes
// from its front.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace quote_lab::http {

class receive_buffer {
 public:
  static constexpr std::size_t first_bytes = 512;
  static constexpr std::size_t kept_bytes = 1024;

  std::string_view bytes() const { return {storage_.get() + begin_, end_ - begin_}; }
  std::size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }

  /// Moves nothing, so it may be called while a read into prepare()'s room is still out.
  void consume(std::size_t count) { begin_ += count; }

  /// Room for what comes next, so that at most `max_bytes` lie here; empty when they do already.
  std::span<char> prepare(std::size_t max_bytes) {
    if (size() >= max_bytes) return {};
    if (capacity_ - end_ < least_room) make_room(max_bytes);
    return {storage_.get() + end_, std::min(capacity_ - end_, max_bytes - size())};
  }

  void commit(std::size_t count) { end_ += count; }

  /// Gives back what a large request needed. Only when empty, and with no read out.
  void shrink() {
    begin_ = end_ = 0;
    if (capacity_ <= kept_bytes) return;
    storage_.reset();
    capacity_ = 0;
  }

 private:
  static constexpr std::size_t least_room = 256;

  void make_room(std::size_t max_bytes) {
    const std::size_t used = size();
    if (capacity_ - used >= least_room || capacity_ >= max_bytes) {
      if (used != 0) std::memmove(storage_.get(), storage_.get() + begin_, used);
    } else {
      const std::size_t larger =
          std::min(std::max(capacity_ * 2, first_bytes), std::max(max_bytes, first_bytes));
      auto grown = std::make_unique_for_overwrite<char[]>(larger);
      if (used != 0) std::memcpy(grown.get(), storage_.get() + begin_, used);
      storage_ = std::move(grown);
      capacity_ = larger;
    }
    begin_ = 0;
    end_ = used;
  }

  std::unique_ptr<char[]> storage_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace quote_lab::http
