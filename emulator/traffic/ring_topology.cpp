#include "emulator/traffic/fixed_topology.h"

namespace hybrid {
namespace {

class RingTopology final : public FixedTopology {
 public:
  using FixedTopology::FixedTopology;
  std::vector<Port> neighbors(Port position) const override {
    const Port next = (position + 1) % nodes(), before = (position + nodes() - 1) % nodes();
    return next == before ? std::vector<Port>{next} : std::vector<Port>{next, before};
  }
};

const FixedTopologyRegistration kRing{"ring", "each node and the next, both ways: 2 slots",
                                      [](std::uint32_t nodes) -> std::unique_ptr<FixedTopology> {
                                        return std::make_unique<RingTopology>(nodes);
                                      }};

}  // namespace
}  // namespace hybrid
