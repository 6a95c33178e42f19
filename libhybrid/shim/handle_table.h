// Tables of MPI objects by handle (an integer in MPICH): communicators, with world ranks of local ranks in
// O(1), and sizes of datatypes. Reading takes no lock. Knows no MPI type.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/event.h"

namespace hybrid::shim {

struct Communicator {
  std::uint32_t id = 0;               // in the definitions
  std::int32_t rank = 0;              // of this process
  std::vector<std::int32_t> members;  // world rank of each local rank; kNoPeer: a process of another job
  std::vector<std::int32_t> remote;   // of an intercommunicator's other group
  std::vector<std::int32_t> neighbors_out, neighbors_in;  // world ranks, of a topology
  bool inter = false;
  /// Number of calls that are collective over it: collectives, initialisations of persistent collectives,
  /// constructions of communicators. MPI requires the same order on all members.
  mutable std::atomic<std::int32_t> collective_calls{0};

  /// World ranks of the ranks that a transfer on this communicator names.
  const std::vector<std::int32_t>& peers() const { return inter ? remote : members; }
  /// Returns the world rank of a transfer's peer: kAnyPeer for the wildcard (MPI_ANY_SOURCE), kNoPeer for
  /// MPI_PROC_NULL and for ranks that do not exist.
  std::int32_t world_rank(std::int32_t local) const {
    const auto& all = peers();
    if (static_cast<std::uint32_t>(local) < all.size()) return all[static_cast<std::uint32_t>(local)];
    return local == kAnyPeer ? kAnyPeer : kNoPeer;
  }
};

/// Counts a call that is collective over `communicator`. Returns its number.
inline std::int32_t next_collective_call(const Communicator& communicator) {
  return communicator.collective_calls.fetch_add(1, std::memory_order_relaxed) & 0x7FFF'FFFF;
}

/// Hash table handle -> object. Reading is wait-free, also while another thread inserts; inserting and
/// erasing take a lock. An object lives until the table is destroyed or reclaim() finds it unused: requests
/// may outlive their communicator.
template <class Object>
class HandleTable {
 public:
  HandleTable() { grow(); }
  HandleTable(const HandleTable&) = delete;
  HandleTable& operator=(const HandleTable&) = delete;

  /// Returns the object of `handle`, or nullptr.
  const Object* find(std::uint32_t handle) const {
    const Slots* const slots = slots_.load(std::memory_order_acquire);
    for (std::size_t i = slots->home(handle);; i = (i + 1) & slots->mask) {
      const Slot& slot = slots->slot[i];
      const std::uint32_t key = slot.key.load(std::memory_order_acquire);
      if (key == handle) return slot.object.load(std::memory_order_acquire);
      if (key == kFree) return nullptr;
    }
  }

  /// Stores `object` under `handle`, in place of an earlier object.
  const Object* insert(std::uint32_t handle, std::unique_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    if (used_ * 2 >= slots_.load(std::memory_order_relaxed)->slot.size()) grow();
    objects_.push_back(std::move(object));
    place(*slots_.load(std::memory_order_relaxed), handle, objects_.back().get());
    return objects_.back().get();
  }

  /// Removes `handle` if it still refers to `object`. Pointers to the object stay valid.
  void erase(std::uint32_t handle, const Object* object) {
    const std::lock_guard lock(mutex_);
    if (object != nullptr && find(handle) == object)
      place(*slots_.load(std::memory_order_relaxed), handle, nullptr);
  }

  /// Deletes the objects without a handle for which in_use(object) is false. Does nothing while there are few
  /// objects.
  template <class InUse>
  void reclaim_some(InUse&& in_use) {
    const std::lock_guard lock(mutex_);
    if (objects_.size() < reclaim_at_) return;
    reclaim_locked(in_use);
    reclaim_at_ = objects_.size() * 2 + 64;
  }
  /// The same without the threshold.
  template <class InUse>
  void reclaim(InUse&& in_use) {
    const std::lock_guard lock(mutex_);
    reclaim_locked(in_use);
  }

  /// Whether `predicate` holds for any object, with or without a handle.
  template <class Predicate>
  bool any(Predicate&& predicate) {
    const std::lock_guard lock(mutex_);
    return std::any_of(objects_.begin(), objects_.end(),
                       [&](const auto& object) { return predicate(*object); });
  }

  std::size_t objects() {
    const std::lock_guard lock(mutex_);
    return objects_.size();
  }

 private:
  static constexpr std::uint32_t kFree = 0;  // no MPICH handle is 0
  struct Slot {
    std::atomic<std::uint32_t> key{kFree};  // never reset, so that probe sequences stay intact
    std::atomic<const Object*> object{nullptr};
  };
  struct Slots {
    explicit Slots(std::size_t n) : slot(n), mask(n - 1) {}
    std::size_t home(std::uint32_t handle) const {
      return static_cast<std::size_t>(handle * std::uint64_t{0x9E3779B97F4A7C15u} >> 32) & mask;
    }
    std::vector<Slot> slot;
    std::size_t mask;
  };

  template <class InUse>
  void reclaim_locked(InUse&& in_use) {
    const Slots& slots = *slots_.load(std::memory_order_relaxed);
    std::erase_if(objects_, [&](const std::unique_ptr<Object>& object) {
      for (const Slot& slot : slots.slot)
        if (slot.object.load(std::memory_order_relaxed) == object.get()) return false;
      return !in_use(*object);
    });
  }

  void place(Slots& slots, std::uint32_t handle, const Object* object) {
    std::size_t i = slots.home(handle);
    while (true) {
      const std::uint32_t key = slots.slot[i].key.load(std::memory_order_relaxed);
      if (key == handle || key == kFree) break;
      i = (i + 1) & slots.mask;
    }
    slots.slot[i].object.store(object, std::memory_order_release);
    if (slots.slot[i].key.load(std::memory_order_relaxed) == kFree) {
      slots.slot[i].key.store(handle, std::memory_order_release);
      ++used_;
    }
  }

  // Copies the slots, without erased handles. The old slots are kept for concurrent readers.
  void grow() {
    const Slots* const old = slots_.load(std::memory_order_relaxed);
    auto bigger = std::make_unique<Slots>(old == nullptr ? 64 : old->slot.size() * 2);
    used_ = 0;
    if (old != nullptr)
      for (const Slot& slot : old->slot)
        if (const Object* object = slot.object.load(std::memory_order_relaxed); object != nullptr)
          place(*bigger, slot.key.load(std::memory_order_relaxed), object);
    slots_.store(bigger.get(), std::memory_order_release);
    generations_.push_back(std::move(bigger));
  }

  std::atomic<Slots*> slots_{nullptr};
  std::mutex mutex_;
  std::size_t used_ = 0;
  std::size_t reclaim_at_ = 64;
  std::vector<std::unique_ptr<Slots>> generations_;
  std::vector<std::unique_ptr<Object>> objects_;
};

using CommunicatorTable = HandleTable<Communicator>;

/// Table datatype handle -> size in bytes. Thread-safe.
class DatatypeSizes {
 public:
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
  std::uint64_t size(std::uint32_t handle) const {
    const Size* const known = table_.find(handle);
    return known == nullptr ? kUnknown : known->bytes.load(std::memory_order_acquire);
  }
  /// Stores a size. When memory is short, the size stays unknown.
  void keep(std::uint32_t handle, std::uint64_t bytes) noexcept {
    if (const Size* const known = table_.find(handle); known != nullptr) {
      known->bytes.store(bytes, std::memory_order_release);
      return;
    }
    try {
      table_.insert(handle, std::make_unique<Size>(bytes));
    } catch (const std::exception&) {
      return;
    }
  }
  void forget(std::uint32_t handle) {
    if (const Size* const known = table_.find(handle); known != nullptr)
      known->bytes.store(kUnknown, std::memory_order_release);
  }

 private:
  // MPI reuses freed handles, so there are few; each keeps its entry.
  struct Size {
    explicit Size(std::uint64_t b) : bytes(b) {}
    mutable std::atomic<std::uint64_t> bytes;
  };
  HandleTable<Size> table_;
};

}  // namespace hybrid::shim
