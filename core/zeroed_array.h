// ZeroedArray: a large array of zeros. Only the pages that are written cost memory and time; for example for
// a table over all destinations at each of many ports.
//
// An array of several pages is mapped: the system provides zeroed pages at the first write. (std::calloc()
// avoids the write of zeros for very large arrays only.) core/testing/allocation_count.h does not count
// mapped memory.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace hybrid {

template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> &&
                    alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__,
                "a T of zero bytes must be a valid initial value");

 public:
  ZeroedArray() = default;
  explicit ZeroedArray(std::size_t size) : values_(allocate(size * sizeof(T)), Free{size * sizeof(T)}) {}

  bool allocated() const { return values_ != nullptr; }
  std::size_t size() const { return values_.get_deleter().bytes / sizeof(T); }
  T& operator[](std::size_t i) { return values_[i]; }
  const T& operator[](std::size_t i) const { return values_[i]; }

 private:
  static constexpr std::size_t kSeveralPages = std::size_t{1} << 14;

  static T* allocate(std::size_t bytes) {
    if (bytes < kSeveralPages) return static_cast<T*>(std::memset(::operator new(bytes), 0, bytes));
    void* const values = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (values == MAP_FAILED) throw std::bad_alloc();
    return static_cast<T*>(values);
  }
  struct Free {
    std::size_t bytes = 0;
    void operator()(T* values) const {
      if (bytes < kSeveralPages)
        ::operator delete(values);
      else
        munmap(values, bytes);
    }
  };
  std::unique_ptr<T[], Free> values_;
};

}  // namespace hybrid
