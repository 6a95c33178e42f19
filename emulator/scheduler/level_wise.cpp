// The level-wise scheduler, level by level (L 4, figure 7; D 7.4): all requests choose their port at level 0,
// then those that got one at level 1, and so on. A port must be free upward at the source's switch and
// downward at the destination's, where it will come down (Theorem 2); the lowest is taken.
//
// Partial paths: a request that fails at level h keeps what it took below until the end. Giving it back would
// help nobody: all others have already chosen there. After the pass it holds nothing. The same goes for the
// links of its two nodes: a later request that shares one of them was refused.
#include <vector>

#include "emulator/scheduler/tree_algorithm.h"
#include "emulator/scheduler/tree_links.h"

namespace hybrid {
namespace {

template <std::size_t kWords>
class LevelWise final : public TreeScheduler {
 public:
  LevelWise(const FatTree& tree, std::uint64_t /*seed*/) : links_(tree), climbing_(tree.nodes() + 1) {}

  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    links_.reset();
    left_ = granted_ = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      paths[i] = {};
      if (!links_.nodes_free(requests[i])) continue;
      links_.take_nodes(requests[i]);
      const TreeClimb climb = links_.start(requests[i]);
      if (climb.turns()) {
        paths[i].granted = true;
        ++granted_;
      } else {
        step(0, static_cast<std::uint32_t>(i), climb, paths[i]);
      }
    }
    for (std::uint32_t level = 1; left_ != 0; ++level) {
      const std::size_t count = left_;
      left_ = 0;
      for (std::size_t k = 0; k < count; ++k) {
        const Climbing c = climbing_[k];
        step(level, c.request, c.climb, paths[c.request]);
      }
    }
    return granted_;
  }

 private:
  struct Climbing {
    std::uint32_t request = 0;
    TreeClimb climb;
  };

  void step(std::uint32_t level, std::uint32_t request, const TreeClimb& climb, TreePath& path) {
    const std::size_t source = links_.source(level, climb), destination = links_.destination(level, climb);
    const std::uint32_t port = links_.first_common(source, destination);
    if (port == links_.none()) return;
    links_.take(source, destination, port);
    path.up[level] = static_cast<std::uint16_t>(port);
    const TreeClimb above = links_.above(climb, port);
    // Written either way: whether a connection turns here is hard to guess.
    climbing_[left_] = {request, above};
    path.turn = static_cast<std::uint8_t>(level + 1);
    path.granted = above.turns();
    granted_ += above.turns();
    left_ += !above.turns();
  }

  TreeLinks<kWords> links_;
  std::vector<Climbing> climbing_;
  std::size_t left_ = 0, granted_ = 0;
};

const SchedulerRegistration kLevelWise{"level-wise", "fat tree: each level for all requests (L figure 7)",
                                       &TreeAlgorithm<LevelWise>::make};

}  // namespace
}  // namespace hybrid
