#include "emulator/traffic/fixed_topology.h"

namespace hybrid {
namespace {

/// Position 0 is the root; those of i's children are 2i + 1 and 2i + 2.
class TreeTopology final : public FixedTopology {
 public:
  using FixedTopology::FixedTopology;
  std::vector<Port> neighbors(Port position) const override {
    std::vector<Port> all;
    if (position > 0) all.push_back((position - 1) / 2);
    for (const Port child : {2 * position + 1, 2 * position + 2})
      if (child < nodes()) all.push_back(child);
    return all;
  }
};

const FixedTopologyRegistration kTree{"tree", "a balanced binary tree: 3 slots",
                                      [](std::uint32_t nodes) -> std::unique_ptr<FixedTopology> {
                                        return std::make_unique<TreeTopology>(nodes);
                                      }};

}  // namespace
}  // namespace hybrid
