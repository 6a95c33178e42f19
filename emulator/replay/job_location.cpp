#include "emulator/replay/job_location.h"

#include <fmt/format.h>

#include "emulator/replay/collective.h"

namespace hybrid {
namespace {

bool receives(const JobLocation& location) {
  return location.operation.kind == Operation::Kind::recv ||
         location.operation.kind == Operation::Kind::recv_complete;
}

std::string describe_wait(const JobLocation& location) {
  const Operation& op = location.operation;
  switch (op.kind) {
    case Operation::Kind::recv:
    case Operation::Kind::recv_complete:
      return fmt::format("to receive from rank {} (tag {}, communicator {})", op.peer, op.tag,
                         op.communicator);
    case Operation::Kind::collective:
      return fmt::format("in a {} (communicator {})", name_of(op.collective), op.communicator);
    case Operation::Kind::collective_complete:
      return "for a nonblocking collective to complete";
    case Operation::Kind::rma_sync:
      if (op.sync == RmaSync::start || op.sync == RmaSync::wait)
        return fmt::format("for rank {} to {} (window {})", op.group[location.notices - 1],
                           op.sync == RmaSync::start ? "post" : "complete", op.window);
      return fmt::format("in a fence (communicator {})", op.communicator);
    default:
      return "for a send to complete";
  }
}

}  // namespace

std::string describe_stall(const std::vector<JobLocation>& locations) {
  std::uint64_t waiting = 0;
  const JobLocation* shown = nullptr;
  for (const JobLocation& location : locations) {
    if (location.finished) continue;
    ++waiting;
    // A receive is the better clue: other locations may wait in a collective because of it.
    if (shown == nullptr || (receives(location) && !receives(*shown))) shown = &location;
  }
  return fmt::format("rank {} waits forever {}: operation {} of its trace; {} of {} threads wait",
                     shown->rank, describe_wait(*shown), shown->operations, waiting, locations.size());
}

std::string wait_name(const Operation& op) {
  switch (op.kind) {
    case Operation::Kind::recv:
    case Operation::Kind::recv_complete:
      return fmt::format("receive from {}", op.peer);
    case Operation::Kind::send:
      return fmt::format("send to {}", op.peer);
    case Operation::Kind::collective:
      return std::string(name_of(op.collective));
    case Operation::Kind::collective_complete:
      return "nonblocking collective";
    case Operation::Kind::rma_sync:
      return "one-sided synchronisation";
    default:
      return "completion of a send";
  }
}

}  // namespace hybrid
