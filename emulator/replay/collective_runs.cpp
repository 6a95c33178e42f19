#include "emulator/replay/collective_runs.h"

#include <fmt/format.h>

namespace hybrid {
namespace {

/// Whether all ranks pass the same `bytes`; the first one's value then holds for all.
bool bytes_agree(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::gatherv:
    case CollectiveOp::scatterv:
    case CollectiveOp::alltoallv:
    case CollectiveOp::alltoallw:
    case CollectiveOp::neighbor_allgather:
    case CollectiveOp::neighbor_allgatherv:
    case CollectiveOp::neighbor_alltoall:
    case CollectiveOp::neighbor_alltoallv:
    case CollectiveOp::neighbor_alltoallw:
      return false;
    default:
      return true;
  }
}

/// "barrier", "bcast (root 3)".
std::string describe(CollectiveOp op, std::uint32_t root) {
  if (!is_rooted(op)) return std::string(name_of(op));
  return root == kNoRoot ? fmt::format("{} (no root)", name_of(op))
                         : fmt::format("{} (root {})", name_of(op), root);
}

}  // namespace

CollectiveRuns::CollectiveRuns(const JobTrace& trace, const ReplayOptions& options,
                               PointToPoint& point_to_point, JobMessages& messages, JobEvents& events,
                               CollectivePlane* plane)
    : point_to_point_(point_to_point),
      events_(events),
      algorithms_(options.algorithms),
      communicators_(trace),
      fabric_(plane, options, messages, events) {}

CollectiveRuns::Instance& CollectiveRuns::instance_of(CollectivePart& part, const Operation& operation,
                                                      Communicators::View& view) {
  const std::uint32_t communicator = operation.communicator;
  if (!operation.persistent) {
    part.instance =
        ChannelKey::collective(communicator, operation.number ? *operation.number : view.collectives++,
                               operation.number.has_value());
    return instances_[part.instance];
  }
  // The ranks initialise persistent collectives in the same order, and start them in any order.
  const std::uint32_t number = operation.number.value_or(0);
  const Start start{communicator, number, view.starts[number]++};
  const auto [id, first] = started_.try_emplace(start, next_start_);
  if (first) ++next_start_;
  part.instance = ChannelKey::started_collective(id->second);
  Instance& instance = instances_[part.instance];
  instance.start = start;
  return instance;
}

/// The first rank decides what all must agree on, so that ranks that recorded it differently still meet.
void CollectiveRuns::join_instance(CollectivePart& part, const Operation& operation,
                                   Communicators::View& view) {
  Instance& instance = instance_of(part, operation, view);
  CollectiveCall& call = part.call;
  const bool intra = call.remote_size == 0;
  if (instance.begun++ == 0) {
    instance.op = call.op;
    instance.root = operation.peer;
    instance.bytes = call.bytes;
    instance.counts_received = part.counts_received;
    instance.first_rank = part.rank;
    if (intra) instance.algorithm = &algorithms_.pick(call);
  }
  if (instance.op != call.op || (is_rooted(call.op) && intra && instance.root != operation.peer))
    throw UnfinishedReplay(UnfinishedReplay::Fault::trace,
                           fmt::format("rank {} calls a {} where rank {} of the same communicator calls a {}",
                                       part.rank, describe(call.op, operation.peer), instance.first_rank,
                                       describe(instance.op, instance.root)),
                           "The trace lacks a collective, or the program is wrong.");
  if (!intra) {
    part.algorithm = &algorithms_.pick(call);
    return;
  }
  part.algorithm = instance.algorithm;
  if (bytes_agree(call.op)) call.bytes = instance.bytes;
  if (call.op == CollectiveOp::allgatherv || call.op == CollectiveOp::reduce_scatter) {
    part.counts_received = instance.counts_received;
    call.counts_received = part.counts_received;
  }
}

CollectiveHandle CollectiveRuns::begin(const Caller& caller, const Operation& operation) {
  const CollectiveHandle handle{parts_.acquire_as_left()};
  CollectivePart& part = parts_[handle];
  Communicators::View& view = communicators_.view(operation.communicator, caller.rank);
  part.counts_sent = operation.counts_sent;
  part.counts_received = operation.counts_received;
  part.neighbors_out = operation.neighbors_out;
  part.neighbors_in = operation.neighbors_in;
  part.call = communicators_.call(operation, caller.rank, view);
  part.call.counts_sent = part.counts_sent;
  part.call.counts_received = part.counts_received;
  part.call.neighbors_out = part.neighbors_out;
  part.call.neighbors_in = part.neighbors_in;
  part.view = &view;
  part.algorithm = nullptr;
  part.phase = caller.phase;
  part.rank = caller.rank;
  part.rounds = part.next_round = part.outstanding = 0;
  part.waiter = {};
  part.done = false;
  part.requested = true;
  // MPI_COMM_SELF is one communicator in the trace, and one for each rank in the job.
  const bool alone = view.size == 1 && view.remote_size == 0;
  if (!alone) {
    join_instance(part, operation, view);
    part.rounds = part.algorithm->rounds(part.call);
  }
  if (!alone && fabric_.performs(part.call))
    fabric_.join(handle, part);
  else
    advance(handle);
  return handle;
}

void CollectiveRuns::advance(CollectiveHandle handle) {
  CollectivePart& part = parts_[handle];
  while (part.next_round < part.rounds) {
    round_.clear();
    part.algorithm->round(part.call, part.next_round++, round_);
    part.outstanding = static_cast<std::uint32_t>(round_.sends.size());
    for (const Transfer& t : round_.receives) {
      const std::uint32_t source = Communicators::world_rank(part.call, *part.view, t.peer);
      if (!point_to_point_.receive({source, part.rank, part.instance}, handle)) ++part.outstanding;
    }
    for (const Transfer& t : round_.sends) {
      const std::uint32_t destination = Communicators::world_rank(part.call, *part.view, t.peer);
      point_to_point_.send(part.phase, {part.rank, destination, part.instance}, t.bytes,
                           prediction_context(part.call.op), SendMode::standard, handle);
    }
    if (part.outstanding != 0) return;
  }
  end(handle);
}

void CollectiveRuns::end(CollectiveHandle handle) {
  CollectivePart& part = parts_[handle];
  part.done = true;
  if (part.algorithm != nullptr) {
    const auto instance = instances_.find(part.instance);
    if (++instance->second.ended == part.view->participants) {
      if (instance->second.start) started_.erase(*instance->second.start);
      instances_.erase(instance);
    }
  }
  if (part.requested) return;
  events_.wake(part.waiter);
  parts_.release(handle);
}

bool CollectiveRuns::wait(CollectiveHandle handle, const Waiter& waiter) {
  CollectivePart& part = parts_[handle];
  const bool done = part.done;
  part.waiter = waiter;
  abandon(handle);
  return done;
}

void CollectiveRuns::abandon(CollectiveHandle handle) {
  CollectivePart& part = parts_[handle];
  part.requested = false;
  if (part.done) parts_.release(handle);
}

}  // namespace hybrid
