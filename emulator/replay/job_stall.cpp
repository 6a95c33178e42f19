// What the driver does when nothing is on its way and somebody still waits.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/replay/job_driver.h"
#include "emulator/replay/unfinished_replay.h"

namespace hybrid {

void JobDriver::resolve_stall() {
  if (!incomplete_ || in_flight_.count() != 0) report_stall();
  // In a recording that lacks something: first the receives from ranks that have come to their end, whose
  // messages cannot come any more; else the first of those that wait for each other.
  const std::vector<MessageMatching::Waiting> waiting = matching_.waiting_receives();
  const auto first = std::find_if(waiting.begin(), waiting.end(), [this](const MessageMatching::Waiting& w) {
    return is_awaited(w.receive);
  });
  if (first == waiting.end()) {
    if (!drop_from_fabric()) report_stall();
    return;
  }
  const auto ended = [this](const MessageMatching::Waiting& w) { return ranks_[w.key.source].running == 0; };
  const bool any = std::any_of(waiting.begin(), waiting.end(), ended);
  for (const MessageMatching::Waiting& w : waiting) {
    if (any ? !ended(w) : w.key != first->key) continue;
    ++dropped_receives_;
    matching_.drop_receives(w.key);
    drop_receive(w.receive);
  }
}

std::string JobDriver::waits_for(const Location& location) const {
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
        return fmt::format("for rank {} to {} (window {})", op.group[location.heard - 1],
                           op.sync == RmaSync::start ? "post" : "complete", op.window);
      return fmt::format("in a fence (communicator {})", op.communicator);
    default:
      return "for a send to complete";
  }
}

void JobDriver::report_stall() const {
  std::uint64_t waiting = 0;
  const Location* first = nullptr;
  for (const Location& location : locations_) {
    if (location.finished) continue;
    ++waiting;
    // A receive says more than a collective that others cannot reach.
    const bool receives = location.operation.kind == Operation::Kind::recv ||
                          location.operation.kind == Operation::Kind::recv_complete;
    const bool better = first == nullptr || (receives && first->operation.kind != Operation::Kind::recv &&
                                             first->operation.kind != Operation::Kind::recv_complete);
    if (better) first = &location;
  }
  const std::string who =
      fmt::format("rank {} waits for ever {}: operation {} of its trace; {} of {} threads wait", first->rank,
                  waits_for(*first), first->operations, waiting, locations_.size());
  if (in_flight_.count() != 0)
    throw UnfinishedReplay(
        UnfinishedReplay::Fault::technique,
        fmt::format("the technique does nothing more, with {} of {} messages not delivered; {}",
                    in_flight_.count(), in_flight_.sent(), who),
        "This is a fault of libhybrid: please report it with the trace.");
  throw UnfinishedReplay(UnfinishedReplay::Fault::trace, who,
                         "The trace lacks what should have been sent, or is not of one job.");
}

}  // namespace hybrid
