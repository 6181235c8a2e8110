#include "resilience/support/count_allocations.hpp"

#ifndef RESILIENCE_TESTS_UNDER_SANITIZER

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
thread_local std::uint64_t allocations = 0;
}

std::uint64_t resilience::testing::allocations_of_this_thread() {
  return allocations;
}

// The array and nothrow forms of the standard library end up in this one, the sized deletes in the plain one.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size != 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

#endif
