// Parallel iterative matching (Anderson, Owicki, Saxe, Thacker, "High-speed switch scheduling for local-area
// networks", 1993): the random matching of packet switches, a baseline.
//
// As iSLIP (islip.h), but an output grants one of the requests at random, and an input accepts one of the
// grants at random, all equally likely. An iteration settles three quarters of what is left on average, so
// that log2 N iterations, the default of `steps`, are nearly always enough for a maximal matching. Draws come
// from the shape's seed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "emulator/scheduler/open_requests.h"
#include "emulator/scheduler/scheduler.h"

namespace hybrid {

class PimScheduler final : public Scheduler {
 public:
  explicit PimScheduler(const SchedulerShape& shape);
  std::span<const Connection> pass(const SchedulingPass& in) override;

 private:
  bool iterate();

  std::uint32_t ports_, iterations_;
  Random random_;
  OpenRequests open_;
  BitMatrix requests_;  // the edges, output by output
  PortSet free_inputs_, free_outputs_;
  std::vector<std::uint32_t> grants_;  // of each input, so far in this iteration
  std::vector<Port> accepted_;         // of each input, one of its grants
  PortSet granted_;                    // inputs with grants
  std::vector<Connection> toggles_;
};

}  // namespace hybrid
