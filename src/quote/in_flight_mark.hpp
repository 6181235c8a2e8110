// Counts something as in flight for as long as it lives, however it ends. Called by: api/ for quotes,
// provider/ for calls. One thread.
#pragma once

#include <cstdint>

namespace quote_lab::quote {

class in_flight_mark {
 public:
  /// The count must outlive the mark.
  explicit in_flight_mark(std::uint32_t& count) : count_(count) { ++count_; }
  ~in_flight_mark() { --count_; }
  in_flight_mark(const in_flight_mark&) = delete;
  in_flight_mark& operator=(const in_flight_mark&) = delete;

 private:
  std::uint32_t& count_;
};

}  // namespace quote_lab::quote
