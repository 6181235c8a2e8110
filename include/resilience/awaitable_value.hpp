// What a coroutine gives, as something that can be kept: its value, or an empty struct for void.
// Who calls it: circuit_breaker::execute and with_timeout, which must treat awaitable<T> and awaitable<void>
// alike.
#pragma once

#include <type_traits>
#include <variant>

#include <boost/asio/awaitable.hpp>

namespace resilience::detail {

template <class Awaitable>
struct awaitable_value;

template <class T, class Executor>
struct awaitable_value<boost::asio::awaitable<T, Executor>> {
  using type = T;
};

/// T of the awaitable<T> that calling an F gives.
template <class F>
using value_of_call = typename awaitable_value<std::invoke_result_t<F&>>::type;

template <class T>
using kept_value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

}  // namespace resilience::detail
