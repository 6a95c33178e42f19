#include "emulator/scheduler/maximum_matching.h"

#include <algorithm>
#include <bit>
#include <span>

namespace hybrid {

MaximumMatching::MaximumMatching(std::uint32_t ports)
    : words_(words_for(ports)),
      output_of_(ports, kNoPort),
      input_of_(ports, kNoPort),
      free_outputs_(ports),
      unseen_(ports),
      reached_(words_),
      layers_(words_ * ports),
      path_(ports) {
  clear();
}

void MaximumMatching::clear() {
  std::fill(output_of_.begin(), output_of_.end(), kNoPort);
  std::fill(input_of_.begin(), input_of_.end(), kNoPort);
  for (std::size_t port = 0; port < input_of_.size(); ++port) free_outputs_.set(port);
  size_ = 0;
}

void MaximumMatching::match(Connection edge) {
  output_of_[edge.source] = edge.destination;
  input_of_[edge.destination] = edge.source;
  free_outputs_.reset(edge.destination);
  ++size_;
}

void MaximumMatching::improve(const BitMatrix& edges, const PortSet& inputs) {
  while (find_layers(edges, inputs))
    for_each_port(inputs.words(), [&](Port input) {
      if (output_of_[input] == kNoPort) augment_from(edges, input);
    });
}

/// The layers of a phase; whether the last one has a free output. Layers before it have none.
bool MaximumMatching::find_layers(const BitMatrix& edges, const PortSet& inputs) {
  const std::span<Word> unseen = unseen_.words();
  const std::span<const Word> free = free_outputs_.words();
  std::fill(unseen.begin(), unseen.end(), ~Word{0});
  std::fill(reached_.begin(), reached_.end(), Word{0});
  const auto reach = [&](Port input) {
    const std::span<const Word> row = edges.row(input);
    for (std::size_t w = 0; w < words_; ++w) reached_[w] |= row[w];
  };
  for_each_port(inputs.words(), [&](Port input) {
    if (output_of_[input] == kNoPort) reach(input);
  });
  for (depth_ = 0;;) {
    const std::span<Word> outputs(layer(depth_), words_);
    Word any = 0, any_free = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      outputs[w] = reached_[w] & unseen[w];
      unseen[w] &= ~reached_[w];
      any |= outputs[w];
      any_free |= outputs[w] & free[w];
    }
    if (any == 0) return false;
    ++depth_;
    if (any_free != 0) {
      for (std::size_t w = 0; w < words_; ++w) outputs[w] &= free[w];  // where paths end
      return true;
    }
    std::fill(reached_.begin(), reached_.end(), Word{0});
    for_each_port(outputs, [&](Port output) { reach(input_of_[output]); });
  }
}

/// Follows the layers from a free input; augments by the path if one ends at a free output. Outputs that were
/// tried leave their layer: no path through them is left in this phase.
void MaximumMatching::augment_from(const BitMatrix& edges, Port input) {
  std::size_t depth = 0;
  path_[0].input = input;
  for (;;) {
    const std::span<const Word> row = edges.row(path_[depth].input);
    Word* outputs = layer(depth);
    std::size_t w = 0;
    while (w < words_ && (row[w] & outputs[w]) == 0) ++w;
    if (w == words_) {
      if (depth == 0) return;
      --depth;
      continue;
    }
    const auto bit = static_cast<std::size_t>(std::countr_zero(row[w] & outputs[w]));
    outputs[w] &= ~(Word{1} << bit);
    const auto output = static_cast<Port>(w * kWordBits + bit);
    path_[depth].output = output;
    if (depth + 1 == depth_) break;
    path_[++depth].input = input_of_[output];
  }
  free_outputs_.reset(path_[depth].output);
  for (std::size_t i = 0; i <= depth; ++i) {
    output_of_[path_[i].input] = path_[i].output;
    input_of_[path_[i].output] = path_[i].input;
  }
  ++size_;
}

}  // namespace hybrid
