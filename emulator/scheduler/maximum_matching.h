// The maximum matching of a bipartite graph over inputs and outputs: the most connections that one slot of a
// crossbar can hold of those asked for (D 6.3). The truth beside the schedulers.
//
// Hopcroft and Karp, on words. A phase finds the outputs that an alternating path of 1, 3, 5, ... edges from
// some free input reaches first, a layer each, until a layer has a free output; then it follows paths through
// the layers, each output at most once, and augments by them. After a phase the shortest augmenting path is
// longer than before, so that there are O(sqrt N) phases, of O(N^2 / 64) word operations each. Of sparse rows
// only the words that are not 0 are kept, side by side: then a phase stays within the first-level cache.
//
// An augmentation changes what a matched port is matched with, but never leaves it unmatched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"

namespace hybrid {

class MaximumMatching {
 public:
  explicit MaximumMatching(std::uint32_t ports);

  /// Forgets the matching.
  void clear();
  /// Matches two ports that are not matched, which an edge joins.
  void match(Connection edge);
  /// Makes the matching a maximum one of `edges` (N x N), of which it consists so far. `inputs` holds all
  /// inputs that have an edge. Allocates nothing.
  void improve(const BitMatrix& edges, const PortSet& inputs);

  std::size_t size() const { return size_; }
  /// What a port is matched with, or kNoPort.
  Port output_of(Port input) const { return output_of_[input]; }
  Port input_of(Port output) const { return input_of_[output]; }

 private:
  /// A word of an input's row, not 0.
  struct RowWord {
    std::uint32_t index;
    Word bits;
  };
  struct Step {
    Port input, output;
  };

  void take_rows(const BitMatrix& edges, const PortSet& inputs);
  std::span<const RowWord> row(Port input) const {
    return {row_words_.data() + row_begin_[input], row_begin_[input + 1] - row_begin_[input]};
  }
  bool find_layers();
  bool augment_from(Port input);
  Word* layer(std::size_t depth) { return layers_.data() + depth * words_; }

  std::size_t words_;
  std::size_t size_ = 0;
  std::vector<Port> output_of_, input_of_;
  std::vector<Port> free_inputs_;  // with an edge
  std::vector<Word> free_outputs_;
  std::vector<RowWord> row_words_;
  std::vector<std::size_t> row_begin_;  // by input, and the end
  std::vector<Word> unseen_, reached_;  // outputs: that no layer has; of the next layer
  std::vector<Word> layers_;            // outputs by distance, those not yet followed
  std::size_t depth_ = 0;               // layers of this phase
  std::vector<Step> path_;
};

}  // namespace hybrid
