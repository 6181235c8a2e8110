// How often this thread has asked for memory. Who calls it: the tests that promise none.
// The counting operator new lives in count_allocations.cpp; sanitizers bring their own, so there is none
// under them.
#pragma once

#include <cstdint>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RESILIENCE_TESTS_UNDER_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RESILIENCE_TESTS_UNDER_SANITIZER 1
#endif

namespace resilience::testing {

std::uint64_t allocations_of_this_thread();

}  // namespace resilience::testing
