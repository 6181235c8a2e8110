// What this library itself can answer instead of a result: one enumeration, one error category.
// Who calls it: circuit_breaker::execute, callers who turn a timeout into an error, and whoever compares an
// error_code with `resilience::errc::circuit_open`. Errors of the guarded work pass through as they are and
// never come from here.
#pragma once

#include <string>
#include <type_traits>

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/error_condition.hpp>

namespace resilience {

enum class errc {
  circuit_open = 1,  ///< the breaker refused the call; the server was not asked
  timeout = 2,  ///< the work outlasted its limit and was cancelled; equal to the condition errc::timed_out
};

namespace detail {

class error_category_impl final : public boost::system::error_category {
 public:
  // The number, drawn at random once, makes the category equal to itself across shared objects.
  constexpr error_category_impl() noexcept : boost::system::error_category(0x6d1f'94c2'a07b'35e8U) {}

  const char* name() const noexcept override { return "resilience"; }

  std::string message(int value) const override {
    switch (static_cast<errc>(value)) {
      case errc::circuit_open:
        return "the circuit breaker is open";
      case errc::timeout:
        return "the time limit was exceeded";
    }
    return "unknown resilience error " + std::to_string(value);
  }

  boost::system::error_condition default_error_condition(int value) const noexcept override {
    if (static_cast<errc>(value) == errc::timeout) {
      return boost::system::errc::make_error_condition(boost::system::errc::timed_out);
    }
    return {value, *this};
  }
};

}  // namespace detail

/// The category of every errc; its name is `resilience`.
inline const boost::system::error_category& error_category() noexcept {
  static constexpr detail::error_category_impl category;
  return category;
}

inline boost::system::error_code make_error_code(errc value) noexcept {
  return {static_cast<int>(value), error_category()};
}

}  // namespace resilience

template <>
struct boost::system::is_error_code_enum<resilience::errc> : std::true_type {};
