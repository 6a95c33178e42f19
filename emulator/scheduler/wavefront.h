// The wrapped wave front arbiter (Tamir, Chi, "Symmetric crossbar arbiters for VLSI communication switches",
// 1993): the diagonal matching of packet switches, a baseline.
//
// The array's cells (u, v) with u + v = d modulo N share no row and no column: a wave goes over the N
// diagonals d, and all cells of one grant at once what is requested between free ports. The result is
// maximal. The first diagonal is the priority's input, so that every connection is among the first once in N
// sweeps. Connections that the slot holds stay; releases come first (open_requests.h). `steps` is not used.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/scheduler/open_requests.h"
#include "emulator/scheduler/scheduler.h"

namespace hybrid {

class WavefrontScheduler final : public Scheduler {
 public:
  explicit WavefrontScheduler(const SchedulerShape& shape);
  std::span<const Connection> pass(const SchedulingPass& in) override;

 private:
  void turn_row(Port input);

  std::uint32_t ports_;
  OpenRequests open_;
  BitMatrix by_input_;     // [u][d]: whether (u, d - u) is asked for
  BitMatrix by_diagonal_;  // [d][u]
  PortSet free_inputs_, free_outputs_, turned_;
  std::vector<Connection> toggles_;
};

}  // namespace hybrid
