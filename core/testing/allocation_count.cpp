// In a separate file: g++ warns of mismatched new and delete if it inlines only one of the two.
#include "core/testing/allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> calls{0}, bytes{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++calls;
  bytes += size;
  void* const memory = alignment <= alignof(std::max_align_t)
                           ? std::malloc(size != 0 ? size : 1)
                           : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

// The array forms call these.
void* operator new(std::size_t size) { return counted(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
// std::stable_sort uses this form. Without it a sanitizer's version would be used, with memory that our
// operator delete must not free.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return counted(size, 0);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

hybrid::AllocationCount hybrid::allocation_count() { return {calls, bytes}; }
