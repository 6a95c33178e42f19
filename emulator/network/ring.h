// First-in first-out queue of plain values that keeps its memory. It allocates only when it grows beyond its
// largest size so far, and not at all while it holds at most two values, as most rings do. These two values
// are in the ring itself, so that the state of a connection is one piece of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace hybrid {

template <class T>
class Ring {
 public:
  Ring() = default;
  Ring(const Ring& other) { *this = other; }
  Ring(Ring&&) noexcept = default;
  Ring& operator=(const Ring& other) {
    if (this == &other) return *this;
    while (!empty()) pop();
    for (std::size_t i = 0; i < other.size(); ++i) push(other[i]);
    return *this;
  }
  Ring& operator=(Ring&&) noexcept = default;
  ~Ring() = default;

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return slots()[head_]; }
  const T& front() const { return slots()[head_]; }
  T& back() { return slots()[wrap(head_ + size_ - 1)]; }
  const T& back() const { return slots()[wrap(head_ + size_ - 1)]; }
  /// The i-th value from the front.
  const T& operator[](std::size_t i) const { return slots()[wrap(head_ + i)]; }
  T& operator[](std::size_t i) { return slots()[wrap(head_ + i)]; }

  void push(const T& value) {
    if (size_ > last_) grow();
    slots()[wrap(head_ + size_)] = value;
    ++size_;
  }
  void pop() {
    head_ = static_cast<std::uint32_t>(wrap(head_ + 1));
    --size_;
  }

 private:
  static constexpr std::uint32_t kOwn = 2;

  T* slots() { return last_ < kOwn ? own_ : larger_.get(); }
  const T* slots() const { return last_ < kOwn ? own_ : larger_.get(); }
  std::size_t wrap(std::size_t i) const { return i & last_; }
  void grow() {
    auto larger = std::make_unique<T[]>(2 * (std::size_t{last_} + 1));  // a power of two
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    larger_ = std::move(larger);
    last_ = 2 * last_ + 1;
    head_ = 0;
  }

  std::uint32_t head_ = 0, size_ = 0;
  std::uint32_t last_ = kOwn - 1;  // slot
  T own_[kOwn]{};
  std::unique_ptr<T[]> larger_;
};

}  // namespace hybrid
