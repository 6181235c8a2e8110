// The leave to make one call, given by a circuit breaker and handed back with the result.
// Who calls it: callers of circuit_breaker::try_acquire.
//
// Move-only, no allocation, two words. It carries the generation that it was given in, so that the breaker
// can tell a result of today from one of before it opened. When it is dropped without a result, by an
// exception, a cancelled coroutine or on purpose, it counts for nothing and gives its place back, a probe's
// place too: so a caller's cancellation neither closes nor opens a breaker, and never blocks it. Limits: the
// breaker must outlive it; one thread at a time.
#pragma once

#include <cstdint>
#include <utility>

#include <resilience/breaker_shell.hpp>

namespace resilience {

class [[nodiscard]] permit {
 public:
  permit(permit&& other) noexcept
      : giver_(std::exchange(other.giver_, nullptr)), generation_(other.generation_) {}

  /// Drops what it held before.
  permit& operator=(permit&& other) noexcept {
    if (this != &other) {
      drop();
      giver_ = std::exchange(other.giver_, nullptr);
      generation_ = other.generation_;
    }
    return *this;
  }

  ~permit() { drop(); }

  /// Gives the place back now: the call says nothing about the server. Nothing happens when it is empty.
  void drop() noexcept {
    if (giver_ != nullptr) std::exchange(giver_, nullptr)->give_back(generation_);
  }

  /// False once it was moved from, recorded or dropped.
  bool valid() const noexcept { return giver_ != nullptr; }

  std::uint64_t generation() const noexcept { return generation_; }

 private:
  template <class Clock>
  friend class circuit_breaker;

  permit(breaker_shell& giver, std::uint64_t generation) noexcept : giver_(&giver), generation_(generation) {}

  breaker_shell* giver_;
  std::uint64_t generation_;
};

}  // namespace resilience
