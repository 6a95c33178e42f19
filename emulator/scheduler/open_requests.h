// What a pass may establish once it has released everything that it may: the bipartite graph that one-slot
// algorithms match. Inputs are its one side, outputs the other, an edge is a connection that is requested, in
// no slot, and between ports that the slot leaves free.
//
// The SL array establishes while it releases, so that a freed port is seen downstream only (greedy.h);
// algorithms that start from here have their releases first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"
#include "emulator/scheduler/scheduler.h"

namespace hybrid {

class OpenRequests {
 public:
  explicit OpenRequests(std::uint32_t ports);

  /// Takes a pass over. Appends its releases to `toggles`, inputs ascending.
  void take(const SchedulingPass& in, std::vector<Connection>& toggles);

  /// N x N: edges; 0 outside of inputs() and outputs().
  const BitMatrix& edges() const { return edges_; }
  /// Free inputs that have an edge.
  const PortSet& inputs() const { return inputs_; }
  /// Free outputs, whether or not they have an edge.
  const PortSet& outputs() const { return outputs_; }

 private:
  BitMatrix edges_;
  PortSet inputs_, outputs_, looked_at_;
};

}  // namespace hybrid
