#include "libhybrid/shim/shared_requests.h"

#include <algorithm>
#include <exception>

namespace hybrid::shim {

namespace {
// Journal ids: below request_table.cpp's use counts, above any slot number that a program reaches.
constexpr std::uint32_t kFirstNumber = 0x0040'0000;
constexpr std::uint32_t kNumberBits = 23;
}  // namespace

SharedRequests::SharedRequests(std::uint32_t index, bool concurrent)
    : cells_(std::make_unique<Cell[]>(kCapacity)),
      first_id_(kFirstNumber + index * static_cast<std::uint32_t>(kCapacity)),
      concurrent_(concurrent) {
  for (std::uint64_t i = 0; i < kCapacity; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
}

// A cell's turn is its position p when it may be filled in round p, and p + 1 when it may be emptied.
bool SharedRequests::claim(std::atomic<std::uint64_t>& position, std::uint64_t& at, std::uint64_t offset) {
  at = position.load(std::memory_order_relaxed);
  while (true) {
    const std::uint64_t turn = cells_[at % kCapacity].turn.load(std::memory_order_acquire);
    const auto ahead = static_cast<std::int64_t>(turn - (at + offset));
    if (ahead < 0) return false;
    if (ahead > 0) {
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
  if (!claim(tail_, at, 0)) return false;
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
  if (!claim(head_, at, 1)) return false;
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
