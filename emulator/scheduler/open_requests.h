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
#include "emulator/scheduler/rotated.h"
#include "emulator/scheduler/scheduler.h"

namespace hybrid {

class OpenRequests {
 public:
  explicit OpenRequests(std::uint32_t ports);

  /// Takes a pass over. Appends its releases to `toggles`, inputs ascending.
  void take(const SchedulingPass& in, std::vector<Connection>& toggles);
  /// And calls `establish(connection)` for those of the greedy schedule: inputs in the order of the pass's
  /// priority, each the first of its outputs in that order that is still free. In the same go over the rows.
  template <class Establish>
  void take_greedily(const SchedulingPass& in, std::vector<Connection>& toggles, Establish&& establish) {
    take_ports(in, toggles);
    left_ = outputs_;
    for_each_rotated(looked_at_, in.priority.input, [&](Port input) {
      if (!take_edges(in, input)) return;
      const Port output = first_of_both(edges_.row(input), left_.words(), in.priority.output);
      if (output == kNoPort) return;
      left_.reset(output);
      establish(Connection{input, output});
    });
  }

  /// N x N: edges; 0 outside of inputs() and outputs().
  const BitMatrix& edges() const { return edges_; }
  /// Free inputs that have an edge.
  const PortSet& inputs() const { return inputs_; }
  /// Free outputs, whether or not they have an edge.
  const PortSet& outputs() const { return outputs_; }

 private:
  void take_ports(const SchedulingPass& in, std::vector<Connection>& toggles);
  bool take_edges(const SchedulingPass& in, Port input);

  BitMatrix edges_;
  PortSet inputs_, outputs_;
  PortSet looked_at_;  // free inputs, with an edge or without
  PortSet left_;       // outputs_ without those of the greedy schedule
};

}  // namespace hybrid
