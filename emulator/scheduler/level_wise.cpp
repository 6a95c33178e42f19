// The level-wise scheduler, level by level (L 4, figure 7; D 7.4): all requests choose their port at level 0,
// then those that got one at level 1, and so on. A port must be free upward at the source's switch and
// downward at the destination's, where it will come down (Theorem 2); the lowest is taken.
//
// Partial paths: a request that fails at level h keeps what it took below until the end. Giving it back would
// help nobody: all others have already chosen there. After the pass it holds nothing. The same goes for the
// links of its two nodes: a later request that shares one of them was refused.
//
// So nothing that happens at a level depends on another level's links, and the requests can as well be taken
// one by one through all levels: the same grants in one pass, with nothing to remember between levels. A test
// holds it against figure 7 taken literally.
#include <array>

#include "emulator/scheduler/tree_algorithm.h"
#include "emulator/scheduler/tree_links.h"

namespace hybrid {
namespace {

template <std::size_t kWords>
class LevelWise final : public TreeScheduler {
 public:
  LevelWise(const FatTree& tree, std::uint64_t /*seed*/) : links_(tree) {}

  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    links_.reset();
    std::array<TreeRow<kWords>, kMostTreeLevels> rows;
    for (std::uint32_t h = 0; h + 1 < links_.tree().levels(); ++h) rows[h] = links_.row(h);
    std::size_t granted = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      TreePath& path = paths[i] = {};
      if (!links_.nodes_free(requests[i])) continue;
      links_.take_nodes(requests[i]);
      TreeClimb climb = links_.start(requests[i]);
      std::uint32_t level = 0;
      for (; !climb.turns(); ++level) {
        const TreeRow<kWords>& row = rows[level];
        const std::uint32_t port = row.take_first_common(row.source(climb), row.destination(climb));
        if (port == row.none()) break;
        path.up[level] = static_cast<std::uint16_t>(port);
        climb = row.above(climb, port);
      }
      path.turn = static_cast<std::uint8_t>(level);
      path.granted = climb.turns();
      granted += climb.turns();
    }
    return granted;
  }

 private:
  TreeLinks<kWords> links_;
};

const SchedulerRegistration kLevelWise{"level-wise", "fat tree: each level for all requests (L figure 7)",
                                       &TreeAlgorithm<LevelWise, false, LevelWiseRoute>::make};

}  // namespace
}  // namespace hybrid
