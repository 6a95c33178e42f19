// A first-in first-out of plain values that keeps its memory: no allocation once it has reached its largest
// size.
#pragma once

#include <cstddef>
#include <vector>

namespace hybrid {

template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  T& front() { return slots_[head_]; }
  const T& front() const { return slots_[head_]; }
  T& back() { return slots_[wrap(head_ + size_ - 1)]; }
  const T& back() const { return slots_[wrap(head_ + size_ - 1)]; }
  /// The i-th from the front.
  const T& operator[](std::size_t i) const { return slots_[wrap(head_ + i)]; }
  T& operator[](std::size_t i) { return slots_[wrap(head_ + i)]; }

  void push(const T& value) {
    if (size_ == slots_.size()) grow();
    slots_[wrap(head_ + size_++)] = value;
  }
  void pop() {
    head_ = wrap(head_ + 1);
    --size_;
  }

 private:
  std::size_t wrap(std::size_t i) const { return i & (slots_.size() - 1); }
  void grow() {
    std::vector<T> larger(slots_.empty() ? 2 : 2 * slots_.size());  // a power of two
    for (std::size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    slots_.swap(larger);
    head_ = 0;
  }

  std::vector<T> slots_;
  std::size_t head_ = 0, size_ = 0;
};

}  // namespace hybrid
