// Calls and failures of the last while, counted in buckets over time.
// Who calls it: breaker_core, for the failure-rate rule. Pure: the time is an argument. Single-threaded.
// Limits: memory is taken once, at construction (16 bytes a bucket); an operation costs at most one pass over
// the buckets, and only after a pause. Buckets lie on multiples of their width since the clock's epoch, so
// that the window keeps no origin of its own. A window that keeps each call instead would be exact, and
// without a bound.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <resilience/breaker_state.hpp>

namespace resilience {

class rolling_window {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  struct counts {
    std::uint64_t calls = 0;
    std::uint64_t failures = 0;
  };

  /// `width` of a bucket and number of `buckets`; throws std::invalid_argument unless both are above 0.
  rolling_window(std::chrono::nanoseconds width, std::uint32_t buckets) : width_(width), buckets_(buckets) {
    if (width <= std::chrono::nanoseconds::zero() || buckets == 0) {
      throw std::invalid_argument("A rolling window needs a bucket wider than 0 and at least 1 bucket.");
    }
  }

  /// Counts one call in the bucket of `now`. A time before the newest bucket counts in the newest: threads
  /// may arrive a little out of order, and what they have seen is not to be lost.
  void add(outcome how, time_point now) {
    counts& bucket = active_bucket(now);
    ++bucket.calls;
    ++total_.calls;
    if (how == outcome::failure) {
      ++bucket.failures;
      ++total_.failures;
    }
  }

  /// What the window holds at `now`; buckets that have fallen out of it by then are forgotten.
  counts seen(time_point now) {
    active_bucket(now);
    return total_;
  }

  /// Forgets everything, the newest time too.
  void clear() {
    for (counts& bucket : buckets_) bucket = counts{};
    total_ = counts{};
    started_ = false;
  }

 private:
  /// The bucket of `now`, after emptying each one that time has passed over.
  counts& active_bucket(time_point now) {
    const std::int64_t number = number_of(now);
    if (!started_) {
      started_ = true;
      newest_ = number;
    } else if (number > newest_) {
      pass_over(static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(newest_));
      newest_ = number;
    }
    return buckets_[active_];
  }

  void pass_over(std::uint64_t steps) {
    // After a pause as long as the window nothing is left, however long it was.
    for (std::uint64_t step = 0; step < steps && step < buckets_.size(); ++step) {
      active_ = active_ + 1 == buckets_.size() ? 0 : active_ + 1;
      counts& oldest = buckets_[active_];
      total_.calls -= oldest.calls;
      total_.failures -= oldest.failures;
      oldest = counts{};
    }
  }

  /// Rounded towards the past for times before the epoch too, else the two buckets round it would be one.
  std::int64_t number_of(time_point now) const {
    const std::int64_t since_epoch = std::chrono::nanoseconds(now.time_since_epoch()).count();
    const std::int64_t width = width_.count();
    return since_epoch / width - (since_epoch % width < 0 ? 1 : 0);
  }

  std::chrono::nanoseconds width_;
  std::vector<counts> buckets_;
  std::size_t active_ = 0;
  std::int64_t newest_ = 0;
  bool started_ = false;
  counts total_;
};

}  // namespace resilience
