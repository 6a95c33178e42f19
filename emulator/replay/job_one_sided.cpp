// The driver's part for one-sided communication.
#include "emulator/replay/call_site.h"
#include "emulator/replay/job_driver.h"

namespace hybrid {

void JobDriver::begin_access(std::uint32_t index) {
  Location& location = locations_[index];
  const Operation& op = location.operation;
  ++ranks_[location.rank].accesses[op.window].outstanding;
  const std::uint32_t transit =
      transmit(location.phase, location.rank, op.peer, op.bytes, call_site(op),
               op.kind == Operation::Kind::get ? Transit::Use::get : Transit::Use::access);
  transits_[transit].window = op.window;
  transits_[transit].key.context = location.rank;
}

void JobDriver::end_access(std::uint32_t rank, std::uint32_t window) {
  Accesses& accesses = ranks_[rank].accesses[window];
  if (--accesses.outstanding != 0) return;
  for (const std::uint32_t waiter : accesses.waiters) wake(waiter);
  accesses.waiters.clear();
}

void JobDriver::notify(std::uint32_t index, bool complete) {
  const Location& location = locations_[index];
  const Operation& op = location.operation;
  for (const std::uint32_t member : op.group)
    send_matched(location.phase, {location.rank, member, ChannelKey::epoch(op.window, complete)}, 0,
                 call_site(op), SendMode::standard, kNobody);
}

bool JobDriver::hear(std::uint32_t index, bool complete) {
  Location& location = locations_[index];
  const Operation& op = location.operation;
  // One after the other: the last that comes decides, whatever the order.
  while (location.heard < op.group.size()) {
    const std::uint32_t member = op.group[location.heard++];
    if (!receive({member, location.rank, ChannelKey::epoch(op.window, complete)}, index)) return false;
  }
  return true;
}

bool JobDriver::synchronise(std::uint32_t index) {
  Location& location = locations_[index];
  switch (location.operation.sync) {
    case RmaSync::post:
      notify(index, false);
      return true;
    case RmaSync::start:
      return hear(index, false);
    case RmaSync::wait:
      return hear(index, true);
    case RmaSync::lock:
    case RmaSync::lock_all:
    case RmaSync::create:
    case RmaSync::free:
      return true;
    default:
      break;
  }
  if (location.fenced) return true;
  Accesses& accesses = ranks_[location.rank].accesses[location.operation.window];
  if (accesses.outstanding != 0) {
    accesses.waiters.push_back(index);
    return false;
  }
  if (location.operation.sync == RmaSync::complete) notify(index, true);
  if (location.operation.sync != RmaSync::fence) return true;
  location.fenced = true;
  location.operation.collective = CollectiveOp::barrier;
  location.operation.bytes = 0;
  return wait_for_run(begin_collective(index, location.operation), index);
}

}  // namespace hybrid
