// Pool of objects that are addressed by a 32-bit index, with a free list.
//
//   Pool<Transfer> transfers;
//   const std::uint32_t index = transfers.acquire({message});
//   transfers[index].delivered = true;
//   transfers.release(index);
//
// An index stays valid from acquire() until release(). The slot that was released last is reused first, so
// that the slots in use are few and in the cache. The order depends on the calls alone: equal sequences of
// calls give equal indices.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hybrid {

/// Index of a slot of a Pool<T> with a type, so that the slots of different pools cannot be mixed up.
/// Default: no slot.
template <class T>
struct PoolHandle {
  std::uint32_t index = ~std::uint32_t{0};
  explicit operator bool() const { return index != ~std::uint32_t{0}; }
  auto operator<=>(const PoolHandle&) const = default;
};

/// `Storage`: a container of T with size(), emplace_back() and operator[]. With std::vector, references are
/// valid until the next acquire(); with std::deque they are valid until the slot is released.
///
/// All functions take constant (amortized) time. A pool never gives memory back.
template <class T, class Storage = std::vector<T>>
class Pool {
 public:
  using Index = std::uint32_t;
  /// No slot: never the index of one.
  static constexpr Index kNone = ~Index{0};

  /// Index of a slot. A reused slot keeps the value that its last user left, with the memory that this holds;
  /// a new one is constructed from `arguments`.
  template <class... Arguments>
  Index acquire_as_left(Arguments&&... arguments) {
    if (const Index reused = reuse(); reused != kNone) return reused;
    slots_.emplace_back(std::forward<Arguments>(arguments)...);
    return static_cast<Index>(slots_.size() - 1);
  }

  /// Index of a slot that holds `value`.
  Index acquire(T value = T{}) {
    const Index index = reuse();
    if (index == kNone) {
      slots_.emplace_back(std::move(value));
      return static_cast<Index>(slots_.size() - 1);
    }
    slots_[index] = std::move(value);
    return index;
  }

  /// Takes the slot that was released last into use, with the value that its last user left; kNone if every
  /// slot is in use.
  Index reuse() {
    if (free_.empty()) return kNone;
    const Index index = free_.back();
    free_.pop_back();
    return index;
  }

  /// Requires: slot `index` is in use. The pool does not check this.
  void release(Index index) { free_.push_back(index); }

  /// Requires: index < slots(). Slots that are not in use may be read: they hold the value that was left.
  T& operator[](Index index) { return slots_[index]; }
  const T& operator[](Index index) const { return slots_[index]; }

  /// The same by handle.
  PoolHandle<T> acquire_handle(T value = T{}) { return {acquire(std::move(value))}; }
  void release(PoolHandle<T> handle) { release(handle.index); }
  T& operator[](PoolHandle<T> handle) { return slots_[handle.index]; }
  const T& operator[](PoolHandle<T> handle) const { return slots_[handle.index]; }

  /// Number of slots in use.
  std::size_t size() const { return slots_.size() - free_.size(); }
  bool empty() const { return size() == 0; }
  /// Number of slots, in use or not: the largest size() so far.
  std::size_t slots() const { return slots_.size(); }
  /// All slots by index, in use or not.
  const Storage& all() const { return slots_; }
  Storage& all() { return slots_; }

 private:
  Storage slots_;
  std::vector<Index> free_;  // stack
};

}  // namespace hybrid
