#include "libhybrid/shim/request_table.h"

#include <algorithm>
#include <exception>
#include <new>
#include <thread>

#include "libhybrid/shim/compute_clock.h"

namespace hybrid::shim {

namespace {
// A journal id: the slot's number in the low bits, above them the count of its uses, second_half in the top
// bit.
constexpr std::uint32_t kNumberBits = 23;
// First number of the shared requests, above any slot number that a program reaches.
constexpr std::uint32_t kFirstSharedNumber = 0x0040'0000;
}  // namespace

RequestTable::RequestTable() { block(0); }

RequestTable::~RequestTable() {
  for (auto& block : blocks_) delete[] block.load(std::memory_order_relaxed);
}

RequestTable::Slot* RequestTable::block(std::size_t index) noexcept {
  Slot* slots = blocks_[index].load(std::memory_order_acquire);
  if (slots != nullptr) return slots;
  Slot* const fresh = new (std::nothrow) Slot[block_size(index)];
  if (fresh == nullptr) return nullptr;
  // Blocks 0 .. index-1 hold kFirst * (2^index - 1) slots.
  const std::size_t before = block_size(index) - kFirst;
  for (std::size_t i = 0; i < block_size(index); ++i)
    fresh[i].number = static_cast<std::uint32_t>(before + i + 1);
  if (blocks_[index].compare_exchange_strong(slots, fresh, std::memory_order_acq_rel)) return fresh;
  delete[] fresh;  // another thread was first
  return slots;
}

RequestTable::Slot* RequestTable::find(std::uint32_t handle) const {
  for (std::size_t b = 0; b < kBlocks; ++b) {
    Slot* const slots = blocks_[b].load(std::memory_order_acquire);
    if (slots == nullptr) return nullptr;
    const std::size_t mask = block_size(b) - 1;
    std::size_t i = home(handle, b);
    for (std::size_t probed = 0; probed < kWindow; ++probed, i = (i + 1) & mask) {
      const std::uint32_t key = slots[i].handle.load(std::memory_order_acquire);
      if (key == handle) return &slots[i];
      if (key == 0) return nullptr;  // insert takes the first free slot, so it is in no later one
    }
  }
  return nullptr;
}

RequestTable::Slot* RequestTable::insert(std::uint32_t handle, const Request& request) noexcept {
  Slot* slot = find(handle);
  for (std::size_t b = 0; slot == nullptr && b < kBlocks; ++b) {
    Slot* const slots = block(b);
    if (slots == nullptr) return nullptr;
    const std::size_t mask = block_size(b) - 1;
    std::size_t i = home(handle, b);
    for (std::size_t probed = 0; probed < kWindow && slot == nullptr; ++probed, i = (i + 1) & mask) {
      std::uint32_t expected = 0;
      if (slots[i].handle.compare_exchange_strong(expected, handle, std::memory_order_acq_rel))
        slot = &slots[i];
    }
  }
  if (slot == nullptr) return nullptr;
  constexpr std::uint32_t kUsesMask = (1u << (31 - kNumberBits)) - 1;
  slot->partitions_left.store(request.partitions, std::memory_order_relaxed);
  slot->request = request;
  slot->request.id = (++slot->uses & kUsesMask) << kNumberBits | slot->number;
  if (slot->counts != nullptr) slot->counts.reset();
  return slot;
}

bool RequestTable::uses(const Communicator& communicator) const {
  for (std::size_t b = 0; b < kBlocks; ++b) {
    const Slot* const slots = blocks_[b].load(std::memory_order_acquire);
    if (slots == nullptr) break;
    for (std::size_t i = 0; i < block_size(b); ++i)
      if (slots[i].handle.load(std::memory_order_acquire) != 0 &&
          slots[i].request.communicator == &communicator)
        return true;
  }
  return false;
}

SharedRequests::SharedRequests(std::uint32_t index, bool concurrent)
    : cells_(std::make_unique<Cell[]>(kCapacity)),
      first_id_(kFirstSharedNumber + index * static_cast<std::uint32_t>(kCapacity)),
      concurrent_(concurrent) {
  for (std::uint64_t i = 0; i < kCapacity; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
}

// A cell's turn is its position p when it may be filled in round p, and p + 1 when it may be emptied.
bool SharedRequests::claim(std::atomic<std::uint64_t>& position, const std::atomic<std::uint64_t>& other,
                           std::uint64_t& at, std::uint64_t offset) {
  at = position.load(std::memory_order_relaxed);
  for (int yields = 0;;) {
    const std::uint64_t turn = cells_[at % kCapacity].turn.load(std::memory_order_acquire);
    const auto ahead = static_cast<std::int64_t>(turn - (at + offset));
    if (ahead < 0) {
      // A thread that has claimed the cell for the other operation was preempted before it ended.
      const bool under_way = other.load(std::memory_order_relaxed) > at + offset * kCapacity - kCapacity;
      if (!under_way || !waits_.load(std::memory_order_relaxed)) return false;
      if (++yields > kMostYields) waits_.store(false, std::memory_order_relaxed);
      ++yields_of_thread;
      std::this_thread::yield();
      at = position.load(std::memory_order_relaxed);
    } else if (ahead > 0) {
      at = position.load(std::memory_order_relaxed);
    } else if (!concurrent_) {
      position.store(at + 1, std::memory_order_relaxed);
      return true;
    } else if (position.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
      return true;
    }
  }
}

bool SharedRequests::push(Request& request) {
  std::uint64_t at = 0;
  if (!claim(tail_, head_, at, 0)) return false;
  request.id = static_cast<std::uint32_t>(at / kCapacity & 0xFF) << kNumberBits |
               (first_id_ + static_cast<std::uint32_t>(at % kCapacity));
  Cell& cell = cells_[at % kCapacity];
  cell.request = request;
  cell.communicator.store(request.communicator, std::memory_order_relaxed);
  cell.turn.store(at + 1, std::memory_order_release);
  return true;
}

bool SharedRequests::pop(Request& request) {
  std::uint64_t at = 0;
  if (!claim(head_, tail_, at, 1)) return false;
  Cell& cell = cells_[at % kCapacity];
  request = cell.request;
  cell.communicator.store(nullptr, std::memory_order_relaxed);
  cell.turn.store(at + kCapacity, std::memory_order_release);
  return true;
}

bool SharedRequests::uses(const Communicator& communicator) const {
  for (std::uint64_t i = 0; i < kCapacity; ++i)
    if (cells_[i].communicator.load(std::memory_order_relaxed) == &communicator) return true;
  return false;
}

bool SharedRequestTable::uses(const Communicator& communicator) const {
  return std::any_of(queues_.begin(), queues_.end(), [&](const auto& each) {
    const SharedRequests* const queue = each.load(std::memory_order_acquire);
    return queue != nullptr && queue->uses(communicator);
  });
}

SharedRequestTable::~SharedRequestTable() {
  for (auto& queue : queues_) delete queue.load(std::memory_order_relaxed);
}

SharedRequests* SharedRequestTable::queue(std::uint32_t handle, bool concurrent) noexcept {
  const std::uint32_t index = handle % queues_.size();
  SharedRequests* known = queues_[index].load(std::memory_order_acquire);
  if (known != nullptr) return known;
  try {
    auto fresh = std::make_unique<SharedRequests>(index, concurrent);
    if (queues_[index].compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel))
      return fresh.release();
    return known;  // another thread was first
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace hybrid::shim
