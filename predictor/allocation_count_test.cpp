#include "predictor/allocation_count_test.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> calls{0}, bytes{0};
}

void* operator new(std::size_t size) {
  ++calls;
  bytes += size;
  if (void* p = std::malloc(size != 0 ? size : 1)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

hybrid::AllocationCount hybrid::allocation_count() { return {calls, bytes}; }
