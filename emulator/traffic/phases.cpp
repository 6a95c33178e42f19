// Phases (D 4.6.2): random traffic and ordered-mesh traffic in phases of their own. Each turn of
// --phase-length rounds begins with the mesh's, as many whole rounds as bring its share of the data nearest
// to
// --ratio; a node goes on to the next phase by itself.
// What is known are the mesh's directions, not when a phase begins.
#include <cmath>
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

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
  InOrder mesh_;
};

class Phases final : public Rounds<PhasesNode> {
 public:
  using Rounds::Rounds;
  std::vector<std::string> phases() const override { return {"mesh", "random"}; }
};

const PatternRegistration kPhases{
    "phases", "D 4.6.2: phases of ordered-mesh and of random messages, --ratio of the first",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> { return std::make_unique<Phases>(shape); }};

}  // namespace
}  // namespace hybrid
