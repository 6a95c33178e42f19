// Phases (D 4.6.2): random traffic and ordered-mesh traffic in phases of their own. Each turn of
// --phase-length messages of a node begins with the mesh's share (--ratio); a node goes on to the next phase
// by itself. What is known are the mesh's directions, not when a phase begins.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

class Phases final : public RoundOfNeighbors {
 public:
  explicit Phases(const PatternShape& shape)
      : RoundOfNeighbors(shape, Grid::Edge::mesh),
        nodes_(shape.nodes),
        turn_(shape.phase_length),
        mesh_(static_cast<std::uint64_t>(shape.ratio * static_cast<double>(shape.phase_length) + 0.5)),
        sent_(shape.nodes, 0) {
    for (Port node = 0; node < nodes_; ++node) random_.push_back(node_random(shape.seed, node));
  }
  Send next(Port source) override {
    if (sent_[source]++ % turn_ < mesh_) return RoundOfNeighbors::next(source);
    return {other_node(random_[source], nodes_, source), kNoStep};
  }

 private:
  std::uint32_t nodes_;
  std::uint64_t turn_, mesh_;  // messages of a turn, and of its mesh phase
  std::vector<std::uint64_t> sent_;
  std::vector<Random> random_;
};

const PatternRegistration kPhases{
    "phases", "D 4.6.2: phases of ordered-mesh and of random messages, --ratio of the first",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> { return std::make_unique<Phases>(shape); }};

}  // namespace
}  // namespace hybrid
