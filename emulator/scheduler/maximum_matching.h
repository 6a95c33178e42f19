// The maximum matching of a bipartite graph over inputs and outputs: the most connections that one slot of a
// crossbar can hold of those asked for (D 6.3). The truth beside the schedulers.
//
// Hopcroft and Karp, on words. A phase finds the outputs that an alternating path of 1, 3, 5, ... edges from
// some free input reaches first, a layer each, until a layer has a free output; then it follows paths through
// the layers, each output at most once, and augments by them. After a phase the shortest augmenting path is
// longer than before, so that there are O(sqrt N) phases, of O(N^2 / 64) word operations each; fewer of
// sparse rows (sparse_rows.h).
//
// An augmentation changes what a matched port is matched with, but never leaves it unmatched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"
#include "emulator/scheduler/sparse_rows.h"

namespace hybrid {

class MaximumMatching {
 public:
  /// A graph: row by row, when a row is come to, for many are not.
  class Edges {
   public:
    virtual ~Edges() = default;
    /// Has `rows` take the row of `input`.
    virtual void take(Port input, SparseRows& rows) const = 0;
  };

  explicit MaximumMatching(std::uint32_t ports);

  /// Forgets the matching.
  void clear();
  /// Matches two ports that are not matched, which an edge joins.
  void match(Connection edge);
  /// Makes the matching a maximum one of `edges`, of which it consists so far. `inputs` holds all inputs that
  /// are not matched and have an edge; others do no harm. Allocates nothing.
  void improve(const Edges& edges, const PortSet& inputs);
  /// The same, of an N x N matrix.
  void improve(const BitMatrix& edges, const PortSet& inputs);

  std::size_t size() const { return size_; }
  /// What a port is matched with, or kNoPort.
  Port output_of(Port input) const { return output_of_[input]; }
  Port input_of(Port output) const { return input_of_[output]; }

 private:
  struct Step {
    Port input, output;
  };

  std::span<const SparseRows::RowWord> row(const Edges& edges, Port input) {
    if (!rows_.has(input)) edges.take(input, rows_);
    return rows_.row(input);
  }
  void improve_with_rows(const Edges& edges, const PortSet& inputs);
  void match_at_once(const Edges& edges, const PortSet& inputs);
  bool find_layers(const Edges& edges);
  bool augment_from(const Edges& edges, Port input);
  Word* layer(std::size_t depth) { return layers_.data() + depth * words_; }

  std::size_t words_;
  std::size_t size_ = 0;
  std::vector<Port> output_of_, input_of_;
  std::vector<Port> free_inputs_;  // with an edge
  std::vector<Word> free_outputs_;
  SparseRows rows_;
  std::vector<Word> unseen_, reached_;  // outputs: that no layer has; of the next layer
  std::vector<Word> layers_;            // outputs by distance, those not yet followed
  std::size_t depth_ = 0;               // layers of this phase
  std::vector<Step> path_;
};

}  // namespace hybrid
