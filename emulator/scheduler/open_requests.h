// What a pass may establish once it has released everything that it may: the bipartite graph that one-slot
// algorithms match. Inputs are its one side, outputs the other, an edge is a connection that is requested, in
// no slot, and between ports that the slot leaves free.
//
// The SL array establishes while it releases, so that a freed port is seen downstream only (greedy.h);
// algorithms that start from here have their releases first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"
#include "emulator/scheduler/scheduler.h"

namespace hybrid {

/// The ports that a pass finds free, or makes free.
class OpenPorts {
 public:
  explicit OpenPorts(std::uint32_t ports) : inputs_(ports), outputs_(ports), left_(ports) {}

  /// Appends the pass's releases to `toggles`, inputs ascending.
  void take(const SchedulingPass& in, std::vector<Connection>& toggles);

  /// Of the inputs to look at those that are free, with an edge or without; and all free outputs.
  const PortSet& inputs() const { return inputs_; }
  const PortSet& outputs() const { return outputs_; }

  /// The greedy schedule of the pass that was taken: calls `establish(connection)` for the inputs in the
  /// order of its priority, each with the first of its outputs in that order that is still free; or
  /// `refuse(input)` where it has edges, but to outputs that others have taken.
  template <class Establish, class Refuse>
  void schedule_greedily(const SchedulingPass& in, Establish&& establish, Refuse&& refuse) {
    left_ = outputs_;
    const bool long_rows = left_.words().size() > 2 && left_.words().size() <= kWordBits;
    const std::span<const Word> free = outputs_.words(), left = left_.words();
    for_each_rotated(inputs_, in.priority.input, [&](Port input) {
      const std::span<const Word> open = in.open.row(input);
      Word edges = 0;
      const auto word_at = [&](std::size_t w) {
        edges |= open[w] & free[w];
        return open[w] & left[w];
      };
      const Port output = in.open_words != nullptr && long_rows
                              ? first_rotated_of(in.open_words->row(input)[0], in.priority.output, word_at)
                              : first_rotated(left.size(), in.priority.output, word_at);
      if (output != kNoPort) {
        left_.reset(output);
        establish(Connection{input, output});
      } else if (edges != 0) {
        refuse(input);
      }
    });
  }

 private:
  PortSet inputs_, outputs_;
  PortSet left_;  // free outputs without those of the greedy schedule
};

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
  const PortSet& outputs() const { return ports_.outputs(); }

 private:
  bool take_edges(const SchedulingPass& in, Port input);

  OpenPorts ports_;
  BitMatrix edges_;
  PortSet inputs_;
};

}  // namespace hybrid
