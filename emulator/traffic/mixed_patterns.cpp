// Patterns that mix random and ordered-mesh traffic. The predictable ratio (--ratio) is the mesh's share of
// the data. The mesh's directions are known.
//
// - mixed (D 4.6.1): each message of a node is drawn from either kind.
// - phases (D 4.6.2): phases of one kind only. Each turn of --phase-length rounds begins with the mesh phase,
//   which has the number of whole rounds that brings its share of the data nearest to --ratio. Each node
//   changes phase by itself. When a phase begins is not known.
#include <cmath>
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

class MixedNode {
 public:
  MixedNode(const PatternShape& shape, Port source)
      : nodes_(shape.nodes),
        mesh_share_(mesh_share_of_rounds(shape)),
        random_(node_random(shape.seed, source)),
        mesh_(shape, source) {}
  Pattern::Send draw(const Directions& directions, Port source) {
    if (random_.fraction() < mesh_share_) return mesh_.draw(directions, source);
    return {other_node(random_, nodes_, source), Pattern::kNoStep};
  }

 private:
  std::uint32_t nodes_;
  double mesh_share_;  // of the rounds
  SmallRandom random_;
  DirectionsInOrder mesh_;
};

const PatternRegistration kMixed{
    "mixed",
    "D 4.6.1: ordered-mesh messages (--ratio of the data) mixed with random ones",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
      return std::make_unique<Rounds<MixedNode>>(shape);
    },
    {.options = {"ratio"}}};

class PhasesNode {
 public:
  PhasesNode(const PatternShape& shape, Port source)
      : nodes_(shape.nodes),
        turn_(shape.phase_length),
        mesh_rounds_(static_cast<std::uint64_t>(
            std::llround(mesh_share_of_rounds(shape) * static_cast<double>(turn_)))),
        random_(node_random(shape.seed, source)),
        mesh_(shape, source) {}
  Pattern::Send draw(const Directions& directions, Port source) {
    if (round_++ % turn_ < mesh_rounds_) return mesh_.draw(directions, source);
    return {other_node(random_, nodes_, source), Pattern::kNoStep, 1, 1};
  }

 private:
  std::uint32_t nodes_;
  std::uint64_t turn_, mesh_rounds_, round_ = 0;
  SmallRandom random_;
  DirectionsInOrder mesh_;
};

class Phases final : public Rounds<PhasesNode> {
 public:
  using Rounds::Rounds;
  std::vector<std::string> phases() const override { return {"mesh", "random"}; }
};

const PatternRegistration kPhases{
    "phases",
    "D 4.6.2: phases of ordered-mesh messages (--ratio of the data) and of random ones",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> { return std::make_unique<Phases>(shape); },
    {.options = {"ratio", "phase-length"}}};

}  // namespace
}  // namespace hybrid
