// The bipartite graph of a pass after its releases, which one-slot algorithms match: inputs on one side,
// outputs on the other. An edge is a connection that is requested, in no slot, and between two ports that the
// slot leaves free.
//
// The SL array establishes connections while it releases others, so that a freed port is seen downstream only
// (greedy.h). Algorithms that use this graph release first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"
#include "emulator/scheduler/scheduler.h"

namespace hybrid {

/// The ports that are free in a pass after its releases.
class OpenPorts {
 public:
  explicit OpenPorts(std::uint32_t ports) : inputs_(ports), outputs_(ports), left_(ports) {}

  /// Reads a pass. Appends its releases to `toggles`, inputs ascending.
  void begin_pass(const SchedulingPass& in, std::vector<Connection>& toggles);

  /// The free inputs among those to consider, with or without an edge; all free outputs.
  const PortSet& inputs() const { return inputs_; }
  const PortSet& outputs() const { return outputs_; }

  /// Computes the greedy schedule of the pass that begin_pass() read. For each input, in the order of the
  /// pass's priority: calls `establish(connection)` with the first of its outputs in that order that is still
  /// free, or `refuse(input)` if it has edges but other inputs have taken all their outputs.
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
  PortSet left_;  // free outputs that the greedy schedule has not taken
};

class OpenRequests {
 public:
  explicit OpenRequests(std::uint32_t ports);

  /// Reads a pass. Appends its releases to `toggles`, inputs ascending.
  void begin_pass(const SchedulingPass& in, std::vector<Connection>& toggles);

  /// The edges, N x N; 0 outside of inputs() and outputs().
  const BitMatrix& edges() const { return edges_; }
  /// Free inputs with an edge.
  const PortSet& inputs() const { return inputs_; }
  /// Free outputs, with or without an edge.
  const PortSet& outputs() const { return ports_.outputs(); }

 private:
  bool read_edges(const SchedulingPass& in, Port input);

  OpenPorts ports_;
  BitMatrix edges_;
  PortSet inputs_;
};

}  // namespace hybrid
