// iSLIP (McKeown, "The iSLIP scheduling algorithm for input-queued switches", 1999): the round-robin matching
// of packet switches, a baseline.
//
// An iteration has three parts. Each free input requests all outputs it has something for; each free output
// grants the first request at or after its pointer; each input accepts the first grant at or after its
// pointer. Pointers move one past the match, in the first iteration of a pass only: an output that was
// refused keeps asking for the same input, which is what makes it fair and desynchronises the outputs.
//
// `steps` is the most iterations of a pass, by default log2 N rounded up; a pass ends early with an iteration
// that matches nothing, being maximal then. The given priority is not used: the pointers are the algorithm's
// own. Connections that the slot holds stay; releases come first (open_requests.h).
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/scheduler/open_requests.h"
#include "emulator/scheduler/scheduler.h"

namespace hybrid {

class IslipScheduler final : public Scheduler {
 public:
  explicit IslipScheduler(const SchedulerShape& shape);
  std::span<const Connection> pass(const SchedulingPass& in) override;

 private:
  bool iterate(bool first);

  std::uint32_t ports_, iterations_;
  OpenRequests open_;
  BitMatrix requests_;  // the edges, output by output
  PortSet free_inputs_, free_outputs_;
  BitMatrix grants_;  // input by input
  PortSet granted_;   // inputs with grants
  std::vector<Port> grant_pointer_, accept_pointer_;
  std::vector<Connection> toggles_;
};

/// log2 of the number of ports, rounded up, at least 1: iterations in which round-robin and random matching
/// become maximal or nearly so.
std::uint32_t iterations_of(const SchedulerShape& shape);

}  // namespace hybrid
