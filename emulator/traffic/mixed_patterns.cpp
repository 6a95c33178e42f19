// Patterns that mix random and ordered-mesh traffic. The predictable ratio (--ratio) is the mesh's share of
// the data. The mesh's directions are known.
//
// - mixed (D 4.6.1): each round of a node is drawn from either kind, or the kinds alternate evenly, so that
// any
//   number of rounds in a row has its share of both, within one.
// - phases (D 4.6.2): phases of one kind only. Each turn of --phase-length rounds begins with the mesh phase,
//   which has the number of whole rounds that brings its share of the data nearest to --ratio. Each node
//   changes phase by itself. When a phase begins is not known.
#include <cmath>
#include <memory>
#include <string>

#include "core/error.h"
#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

/// Returns a random destination of `source`; with `avoids_mesh` none of its neighbours in the mesh.
Port random_destination(SmallRandom& random, std::uint32_t nodes, Port source, const Directions& directions,
                        bool avoids_mesh) {
  const auto is_neighbor = [&](Port node) {
    for (std::uint64_t d = 0; d < directions.count(); ++d)
      if (directions.neighbor(source, d) == node) return true;
    return false;
  };
  Port destination = other_node(random, nodes, source);
  while (avoids_mesh && is_neighbor(destination)) destination = other_node(random, nodes, source);
  return destination;
}

/// Throws UserError if every other node is a neighbour, so that no random destination is left.
void check_random_hits(const PatternShape& shape) {
  if (!shape.random_avoids_mesh) return;
  const Grid mesh = mesh_of(shape);
  for (Port node = 0; node < shape.nodes; ++node)
    if (mesh.neighbors(node).size() + 1 >= shape.nodes)
      throw UserError(
          "random-hits: every node is a neighbour of node " + std::to_string(node) + " in the mesh",
          "Give more --nodes, or --random-hits on.");
}

class MixedNode {
 public:
  MixedNode(const PatternShape& shape, Port source)
      : nodes_(shape.nodes),
        avoids_mesh_(shape.random_avoids_mesh),
        evenly_(shape.mixes_evenly),
        mesh_share_(mesh_share_of_rounds(shape)),
        random_(node_random(shape.seed, source)),
        mesh_(shape, source) {
    if (evenly_) mesh_due_ = random_.fraction();
  }
  Pattern::Send draw(const Directions& directions, Port source) {
    if (is_mesh()) return mesh_.draw(directions, source);
    return {random_destination(random_, nodes_, source, directions, avoids_mesh_), Pattern::kNoStep};
  }

 private:
  bool is_mesh() {
    if (!evenly_) return random_.fraction() < mesh_share_;
    mesh_due_ += mesh_share_;
    if (mesh_due_ < 1) return false;
    mesh_due_ -= 1;
    return true;
  }

  std::uint32_t nodes_;
  bool avoids_mesh_, evenly_;
  double mesh_share_;    // of the rounds
  double mesh_due_ = 0;  // rounds of the mesh that are due
  SmallRandom random_;
  DirectionsInOrder mesh_;
};

const PatternRegistration kMixed{
    "mixed",
    "D 4.6.1: ordered-mesh messages (--ratio of the data) mixed with random ones",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
      check_random_hits(shape);
      return std::make_unique<Rounds<MixedNode>>(shape);
    },
    {.options = {"ratio", "mesh-edge", "random-hits", "mixed-draw"}}};

class PhasesNode {
 public:
  PhasesNode(const PatternShape& shape, Port source)
      : nodes_(shape.nodes),
        avoids_mesh_(shape.random_avoids_mesh),
        turn_(shape.phase_length),
        mesh_rounds_(static_cast<std::uint64_t>(
            std::llround(mesh_share_of_rounds(shape) * static_cast<double>(turn_)))),
        random_(node_random(shape.seed, source)),
        mesh_(shape, source) {}
  Pattern::Send draw(const Directions& directions, Port source) {
    if (round_++ % turn_ < mesh_rounds_) return mesh_.draw(directions, source);
    return {random_destination(random_, nodes_, source, directions, avoids_mesh_), Pattern::kNoStep, 1, 1};
  }

 private:
  std::uint32_t nodes_;
  bool avoids_mesh_;
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
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
      check_random_hits(shape);
      return std::make_unique<Phases>(shape);
    },
    {.options = {"ratio", "phase-length", "mesh-edge", "random-hits", "phase-barrier"}}};

}  // namespace
}  // namespace hybrid
