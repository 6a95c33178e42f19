// The driver's part for one-sided communication.
#include "emulator/replay/job_driver.h"

namespace hybrid {

void JobDriver::begin_access(std::uint32_t index) {
  Location& location = locations_[index];
  const Operation& op = location.operation;
  ++ranks_[location.rank].accesses[op.communicator].outstanding;
  const std::uint32_t transit =
      transmit(index, location.rank, op.peer, op.bytes,
               op.kind == Operation::Kind::get ? Transit::Use::get : Transit::Use::access);
  transits_[transit].communicator = op.communicator;
  transits_[transit].key.context = location.rank;
}

void JobDriver::end_access(std::uint32_t rank, std::uint32_t communicator) {
  Accesses& accesses = ranks_[rank].accesses[communicator];
  if (--accesses.outstanding != 0) return;
  for (const std::uint32_t waiter : accesses.waiters) wake(waiter);
  accesses.waiters.clear();
}

bool JobDriver::synchronise(std::uint32_t index) {
  Location& location = locations_[index];
  switch (location.operation.sync) {
    case RmaSync::post:
    case RmaSync::start:
    case RmaSync::wait:
    case RmaSync::lock:
    case RmaSync::lock_all:
      return true;
    default:
      break;
  }
  if (location.fenced) return true;
  Accesses& accesses = ranks_[location.rank].accesses[location.operation.communicator];
  if (accesses.outstanding != 0) {
    accesses.waiters.push_back(index);
    return false;
  }
  if (location.operation.sync != RmaSync::fence) return true;
  location.fenced = true;
  location.operation.collective = CollectiveOp::barrier;
  location.operation.bytes = 0;
  return wait_for_run(begin_collective(index, location.operation), index);
}

}  // namespace hybrid
