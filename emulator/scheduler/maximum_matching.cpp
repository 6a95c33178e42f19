#include "emulator/scheduler/maximum_matching.h"

#include <algorithm>
#include <bit>

namespace hybrid {

namespace {

class MatrixEdges final : public MaximumMatching::Edges {
 public:
  explicit MatrixEdges(const BitMatrix& edges) : edges_(edges) {}
  void read_row(Port input, SparseRows& rows) const override {
    rows.add_row(input, edges_.row(input), [](std::size_t /*w*/, Word bits) { return bits; });
  }

 private:
  const BitMatrix& edges_;
};

}  // namespace

MaximumMatching::MaximumMatching(std::uint32_t ports)
    : words_(words_for(ports)),
      output_of_(ports, kNoPort),
      input_of_(ports, kNoPort),
      free_outputs_(words_),
      rows_(ports),
      unseen_(words_),
      reached_(words_),
      layers_(words_ * ports),
      path_(ports) {
  free_inputs_.reserve(ports);
  clear();
}

void MaximumMatching::clear() {
  std::fill(output_of_.begin(), output_of_.end(), kNoPort);
  std::fill(input_of_.begin(), input_of_.end(), kNoPort);
  std::fill(free_outputs_.begin(), free_outputs_.end(), ~Word{0});  // edges are to ports only
  size_ = 0;
}

void MaximumMatching::match(Connection edge) {
  output_of_[edge.source] = edge.destination;
  input_of_[edge.destination] = edge.source;
  free_outputs_[edge.destination / kWordBits] &= ~bit_of(edge.destination);
  ++size_;
}

void MaximumMatching::improve(const BitMatrix& edges, const PortSet& inputs) {
  const MatrixEdges rows(edges);
  rows_.clear();
  for_each_port(inputs.words(), [&](Port input) { rows.read_row(input, rows_); });
  improve_with_rows(rows, inputs);
}

void MaximumMatching::improve(const Edges& edges, const PortSet& inputs) {
  rows_.clear();
  improve_with_rows(edges, inputs);
}

void MaximumMatching::improve_with_rows(const Edges& edges, const PortSet& inputs) {
  match_free_outputs(edges, inputs);
  while (find_layers(edges))
    std::erase_if(free_inputs_, [&](Port input) { return augment_from(edges, input); });
}

/// First phase: matches each free input with a free output, if an edge leads to one.
void MaximumMatching::match_free_outputs(const Edges& edges, const PortSet& inputs) {
  free_inputs_.clear();
  for_each_port(inputs.words(), [&](Port input) {
    if (output_of_[input] != kNoPort) return;
    const auto words = row(edges, input);
    if (words.empty()) return;
    for (const auto& word : words)
      if (const Word free = word.bits & free_outputs_[word.index]; free != 0) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(free));
        return match({input, static_cast<Port>(word.index * kWordBits + bit)});
      }
    free_inputs_.push_back(input);
  });
}

/// Builds the layers of a phase. Returns whether the last layer has a free output; the layers before it have
/// none.
bool MaximumMatching::find_layers(const Edges& edges) {
  std::fill(unseen_.begin(), unseen_.end(), ~Word{0});
  std::fill(reached_.begin(), reached_.end(), Word{0});
  const auto reach = [&](Port input) {
    for (const auto& word : row(edges, input)) reached_[word.index] |= word.bits;
  };
  for (const Port input : free_inputs_) reach(input);
  for (depth_ = 0;;) {
    const std::span<Word> outputs(layer(depth_), words_);
    Word any = 0, any_free = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      outputs[w] = reached_[w] & unseen_[w];
      unseen_[w] &= ~reached_[w];
      any |= outputs[w];
      any_free |= outputs[w] & free_outputs_[w];
    }
    if (any == 0) return false;
    ++depth_;
    if (any_free != 0) {
      for (std::size_t w = 0; w < words_; ++w) outputs[w] &= free_outputs_[w];  // where paths end
      return true;
    }
    std::fill(reached_.begin(), reached_.end(), Word{0});
    for_each_port(outputs, [&](Port output) { reach(input_of_[output]); });
  }
}

/// Follows the layers from a free input. Augments by the path if one ends at a free output; otherwise returns
/// false. Visited outputs leave their layer: no further path leads through them in this phase.
bool MaximumMatching::augment_from(const Edges& edges, Port input) {
  std::size_t depth = 0;
  path_[0].input = input;
  for (;;) {
    Word* outputs = layer(depth);
    const auto words = row(edges, path_[depth].input);
    const auto found = std::find_if(words.begin(), words.end(), [outputs](const SparseRows::RowWord& word) {
      return (word.bits & outputs[word.index]) != 0;
    });
    if (found == words.end()) {
      if (depth == 0) return false;
      --depth;
      continue;
    }
    Word& left = outputs[found->index];
    const auto bit = static_cast<std::size_t>(std::countr_zero(found->bits & left));
    left &= ~(Word{1} << bit);
    const auto output = static_cast<Port>(found->index * kWordBits + bit);
    path_[depth].output = output;
    if (depth + 1 == depth_) break;
    path_[++depth].input = input_of_[output];
  }
  const Port end = path_[depth].output;
  free_outputs_[end / kWordBits] &= ~bit_of(end);
  for (std::size_t i = 0; i <= depth; ++i) {
    output_of_[path_[i].input] = path_[i].output;
    input_of_[path_[i].output] = path_[i].input;
  }
  ++size_;
  return true;
}

}  // namespace hybrid
