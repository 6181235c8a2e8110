// Tells the listeners about transitions: outside the breaker's lock, one after the other, in the order they
// happened. Who calls it: breaker_shell. Thread-safe.
//
// Whoever posts a transition does so under the breaker's lock, which fixes the order, and delivers after
// unlocking. One thread delivers at a time, and goes on until nothing is left; another that comes meanwhile
// leaves its transition to it and does not wait. A listener that calls the breaker is such a comer: its
// transition is told after the present one, without recursion and without a deadlock. The price: with several
// threads, a call may return while the transition that it caused is still being told by another. With one
// thread, and outside of a listener, never.
//
// Limit: transitions that wait for a slow listener are kept, however many; beyond 16 that takes memory.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <resilience/transition.hpp>

namespace resilience {

class transition_feed {
 public:
  using listener = std::function<void(const transition&)>;

  transition_feed() { pending_.reserve(16); }

  void add(listener heard) {
    const std::lock_guard lock(mutex_);
    listeners_.push_back(std::move(heard));
  }

  /// True if there is something for deliver() to do.
  bool post(const std::optional<transition>& first, const std::optional<transition>& second) {
    if (!first && !second) return false;
    const std::lock_guard lock(mutex_);
    if (listeners_.empty()) return false;
    if (first) pending_.push_back(*first);
    if (second) pending_.push_back(*second);
    return true;
  }

  /// What a listener throws is swallowed: it is no concern of the call that happened to cause the transition.
  void deliver() {
    std::unique_lock lock(mutex_);
    if (delivering_) return;
    delivering_ = true;
    while (!pending_.empty()) {
      const transition next = pending_.front();
      pending_.erase(pending_.begin());
      for (std::size_t i = 0; i < listeners_.size(); ++i) {
        const listener& heard = listeners_[i];
        lock.unlock();
        try {
          heard(next);
        } catch (...) {
        }
        lock.lock();
      }
    }
    delivering_ = false;
  }

 private:
  std::mutex mutex_;
  // A deque, since its elements stay where they are when a listener is added while another is being called.
  std::deque<listener> listeners_;
  std::vector<transition> pending_;
  bool delivering_ = false;
};

}  // namespace resilience
