#include "libhybrid/shim/request_table.h"

#include <new>

namespace hybrid::shim {

namespace {
// A slot's number takes the low bits of a journal id, the count of its uses those above, second_half the top.
constexpr std::uint32_t kNumberBits = 23;
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
    for (std::size_t looked = 0; looked < kWindow; ++looked, i = (i + 1) & mask) {
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
    for (std::size_t looked = 0; looked < kWindow && slot == nullptr; ++looked, i = (i + 1) & mask) {
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

}  // namespace hybrid::shim
