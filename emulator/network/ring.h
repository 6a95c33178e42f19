// First-in first-out queue of plain values that keeps its memory. It allocates only when it grows beyond its
// largest size so far, and not at all while it holds at most kOwn values, as most rings do. These values are
// in the ring itself, so that the state of a connection is one piece of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hybrid {

/// `kOwn`: a power of two.
template <class T, std::uint32_t kOwn = 2>
class Ring {
 public:
  Ring() = default;
  Ring(const Ring& other) { *this = other; }
  Ring(Ring&& other) noexcept { *this = std::move(other); }
  Ring& operator=(const Ring& other) {
    if (this == &other) return *this;
    while (!empty()) pop();
    for (std::size_t i = 0; i < other.size(); ++i) push(other[i]);
    return *this;
  }
  /// Leaves `other` empty.
  Ring& operator=(Ring&& other) noexcept {
    if (this == &other) return *this;
    if (slots_ != own_) delete[] slots_;
    if (other.slots_ == other.own_) std::move(other.own_, other.own_ + kOwn, own_);
    slots_ = other.slots_ == other.own_ ? own_ : std::exchange(other.slots_, other.own_);
    head_ = std::exchange(other.head_, 0);
    size_ = std::exchange(other.size_, 0);
    last_ = std::exchange(other.last_, kOwn - 1);
    return *this;
  }
  ~Ring() {
    if (slots_ != own_) delete[] slots_;
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return slots_[head_]; }
  const T& front() const { return slots_[head_]; }
  T& back() { return slots_[wrap(head_ + size_ - 1)]; }
  const T& back() const { return slots_[wrap(head_ + size_ - 1)]; }
  /// The i-th value from the front.
  const T& operator[](std::size_t i) const { return slots_[wrap(head_ + i)]; }
  T& operator[](std::size_t i) { return slots_[wrap(head_ + i)]; }

  [[gnu::always_inline]] void push(const T& value) {
    if (size_ > last_) grow();
    slots_[wrap(head_ + size_)] = value;
    ++size_;
  }
  void pop() {
    head_ = static_cast<std::uint32_t>(wrap(head_ + 1));
    --size_;
  }

 private:
  std::size_t wrap(std::size_t i) const { return i & last_; }
  [[gnu::noinline]] void grow() {
    T* const larger = new T[2 * (std::size_t{last_} + 1)]{};  // a power of two
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    if (slots_ != own_) delete[] slots_;
    slots_ = larger;
    last_ = 2 * last_ + 1;
    head_ = 0;
  }

  std::uint32_t head_ = 0, size_ = 0;
  std::uint32_t last_ = kOwn - 1;  // slot
  T* slots_ = own_;                // own_, or a larger array
  T own_[kOwn]{};
};

}  // namespace hybrid
