// The driver's part that runs collectives round by round.
#include <fmt/format.h>

#include "emulator/replay/call_site.h"
#include "emulator/replay/job_driver.h"
#include "emulator/replay/unfinished_replay.h"

namespace hybrid {

/// The first rank decides what all must agree on, so that ranks that recorded it differently still meet.
void JobDriver::agree(Instance& instance, Run& run, const Operation& operation) {
  CollectiveCall& call = run.call;
  if (instance.begun++ == 0) {
    instance.op = call.op;
    instance.root = operation.peer;
    instance.bytes = call.bytes;
    instance.counts_received = run.counts_received;
    instance.first_rank = run.rank;
    if (call.remote_size == 0) instance.algorithm = &algorithms_.pick(call);
  }
  if (instance.op != call.op ||
      (is_rooted(call.op) && call.remote_size == 0 && instance.root != operation.peer))
    throw UnfinishedReplay(
        UnfinishedReplay::Fault::trace,
        fmt::format(
            "rank {} calls a {} (root {}) where rank {} of the same communicator calls a {} (root {})",
            run.rank, name_of(call.op), operation.peer, instance.first_rank, name_of(instance.op),
            instance.root),
        "The trace lacks a collective, or the program is wrong.");
  if (call.remote_size != 0) {
    run.algorithm = &algorithms_.pick(call);
    return;
  }
  run.algorithm = instance.algorithm;
  switch (call.op) {
    case CollectiveOp::allgatherv:
    case CollectiveOp::reduce_scatter:
      run.counts_received = instance.counts_received;
      call.counts_received = run.counts_received;
      call.bytes = instance.bytes;
      break;
    case CollectiveOp::gatherv:
    case CollectiveOp::scatterv:
    case CollectiveOp::alltoallv:
    case CollectiveOp::alltoallw:
    case CollectiveOp::neighbor_allgather:
    case CollectiveOp::neighbor_allgatherv:
    case CollectiveOp::neighbor_alltoall:
    case CollectiveOp::neighbor_alltoallv:
    case CollectiveOp::neighbor_alltoallw:
      break;
    default:
      call.bytes = instance.bytes;
  }
}

std::uint32_t JobDriver::begin_collective(std::uint32_t index, const Operation& operation) {
  std::uint32_t number = 0;
  if (free_runs_.empty()) {
    number = static_cast<std::uint32_t>(runs_.size());
    runs_.emplace_back();
  } else {
    number = free_runs_.back();
    free_runs_.pop_back();
  }
  Run& run = runs_[number];
  const std::uint32_t rank = locations_[index].rank;
  Communicators::View& view = communicators_.view(operation.communicator, rank);
  run.counts_sent = operation.counts_sent;
  run.counts_received = operation.counts_received;
  run.neighbors_out = operation.neighbors_out;
  run.neighbors_in = operation.neighbors_in;
  run.call = communicators_.call(operation, rank, view);
  run.call.counts_sent = run.counts_sent;
  run.call.counts_received = run.counts_received;
  run.call.neighbors_out = run.neighbors_out;
  run.call.neighbors_in = run.neighbors_in;
  run.view = &view;
  run.phase = locations_[index].phase;
  run.rank = rank;
  run.waiter = kNobody;
  run.done = false;
  run.instance = ChannelKey::collective(operation.communicator, view.collectives++);
  // MPI_COMM_SELF is one communicator in the trace and as many as there are ranks in the job.
  if (view.size == 1 && view.remote_size == 0) {
    run.algorithm = nullptr;
    run.rounds = 0;
  } else {
    agree(instances_[run.instance], run, operation);
    run.rounds = run.algorithm->rounds(run.call);
  }
  run.next_round = 0;
  run.outstanding = 0;
  if (run.algorithm != nullptr && in_fabric(run.call))
    join_in_fabric(number);
  else
    advance_run(number);
  return number;
}

void JobDriver::advance_run(std::uint32_t number) {
  while (runs_[number].next_round < runs_[number].rounds) {
    Run& run = runs_[number];
    round_.clear();
    run.algorithm->round(run.call, run.next_round++, round_);
    const std::uint32_t waiter = number | kRunBit;
    run.outstanding = static_cast<std::uint32_t>(round_.sends.size());
    for (const Transfer& t : round_.receives) {
      const std::uint32_t source = Communicators::world_rank(run.call, *run.view, t.peer);
      if (!receive({source, run.rank, run.instance}, waiter)) ++run.outstanding;
    }
    for (const Transfer& t : round_.sends)
      send_matched(run.phase,
                   {run.rank, Communicators::world_rank(run.call, *run.view, t.peer), run.instance}, t.bytes,
                   call_site(run.call.op), SendMode::standard, waiter);
    if (run.outstanding != 0) return;
  }
  end_run(number);
}

void JobDriver::end_run(std::uint32_t number) {
  Run& run = runs_[number];
  run.done = true;
  if (run.algorithm != nullptr) {
    const auto found = instances_.find(run.instance);
    if (++found->second.ended == run.view->participants) instances_.erase(found);
  }
  if (run.waiter == kNobody) return;
  ready_.push_back(std::exchange(run.waiter, kNobody));
  free_runs_.push_back(number);
}

bool JobDriver::wait_for_run(std::uint32_t number, std::uint32_t location) {
  if (!runs_[number].done) {
    runs_[number].waiter = location;
    return false;
  }
  free_runs_.push_back(number);
  return true;
}

}  // namespace hybrid
