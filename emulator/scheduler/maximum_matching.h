// The maximum matching of a bipartite graph over inputs and outputs: the largest number of requested
// connections that one slot of a crossbar can hold (D 6.3). The reference for the schedulers.
//
// Hopcroft and Karp, on words. A phase finds the outputs at distance 1, 3, 5, ... on alternating paths from a
// free input, one layer per distance, until a layer has a free output. Then it follows paths through the
// layers, each output at most once, and augments the matching by them. After a phase the shortest augmenting
// path is longer than before, so that there are O(sqrt N) phases, of O(N^2 / 64) word operations each; fewer
// for sparse rows (sparse_rows.h).
//
// An augmentation may change the partner of a matched port, but never leaves the port unmatched.
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
  /// A graph, read row by row when a row is needed; many rows are never needed.
  class Edges {
   public:
    virtual ~Edges() = default;
    /// Adds the row of `input` to `rows`.
    virtual void read_row(Port input, SparseRows& rows) const = 0;
  };

  explicit MaximumMatching(std::uint32_t ports);

  /// Removes all connections from the matching.
  void clear();
  /// Adds an edge of the graph to the matching. Precondition: both its ports are unmatched.
  void match(Connection edge);
  /// Extends the matching, which consists of edges of `edges`, to a maximum matching. `inputs` must contain
  /// all unmatched inputs that have an edge; others are allowed. Does not allocate.
  void improve(const Edges& edges, const PortSet& inputs);
  /// The same for an N x N matrix.
  void improve(const BitMatrix& edges, const PortSet& inputs);

  std::size_t size() const { return size_; }
  /// The partner of a port, or kNoPort.
  Port output_of(Port input) const { return output_of_[input]; }
  Port input_of(Port output) const { return input_of_[output]; }

 private:
  struct Step {
    Port input, output;
  };

  std::span<const SparseRows::RowWord> row(const Edges& edges, Port input) {
    if (!rows_.has(input)) edges.read_row(input, rows_);
    return rows_.row(input);
  }
  void improve_with_rows(const Edges& edges, const PortSet& inputs);
  void match_free_outputs(const Edges& edges, const PortSet& inputs);
  bool find_layers(const Edges& edges);
  bool augment_from(const Edges& edges, Port input);
  Word* layer(std::size_t depth) { return layers_.data() + depth * words_; }

  std::size_t words_;
  std::size_t size_ = 0;
  std::vector<Port> output_of_, input_of_;
  std::vector<Port> free_inputs_;  // with an edge
  std::vector<Word> free_outputs_;
  SparseRows rows_;
  std::vector<Word> unseen_, reached_;  // outputs: in no layer yet; in the next layer
  std::vector<Word> layers_;            // outputs by distance that are not yet followed
  std::size_t depth_ = 0;               // layers of this phase
  std::vector<Step> path_;
};

}  // namespace hybrid
