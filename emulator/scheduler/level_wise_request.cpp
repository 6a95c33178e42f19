// The level-wise scheduler, request by request, as L 6's pipeline takes them: a request chooses its ports at
// all its levels before the next one does.
//
// Partial paths: a request that fails gives back at once what it took, its nodes' links too, for those after
// it. (L does not say what becomes of a request that fails in the P_1 block; its hardware has no way back to
// the P_0 block's memories.)
#include "emulator/scheduler/tree_algorithm.h"
#include "emulator/scheduler/tree_links.h"

namespace hybrid {
namespace {

template <std::size_t kWords>
class LevelWiseRequest final : public TreeScheduler {
 public:
  LevelWiseRequest(const FatTree& tree, std::uint64_t /*seed*/) : links_(tree) {}

  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    links_.reset();
    std::size_t granted = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) granted += climb(requests[i], paths[i] = {});
    return granted;
  }

 private:
  bool climb(Connection c, TreePath& path) {
    if (!links_.nodes_free(c)) return false;
    std::uint32_t level = 0;
    std::array<TreeClimb, kMostTreeLevels> climbs;
    for (climbs[0] = links_.start(c); !climbs[level].turns(); ++level) {
      const std::size_t source = links_.source(level, climbs[level]);
      const std::size_t destination = links_.destination(level, climbs[level]);
      const std::uint32_t port = links_.first_common(source, destination);
      if (port == links_.none()) {
        give_back(climbs, path, level);
        return false;
      }
      links_.take(source, destination, port);
      path.up[level] = static_cast<std::uint16_t>(port);
      climbs[level + 1] = links_.above(climbs[level], port);
    }
    links_.take_nodes(c);
    path.turn = static_cast<std::uint8_t>(level);
    path.granted = true;
    return true;
  }

  void give_back(const std::array<TreeClimb, kMostTreeLevels>& climbs, const TreePath& path,
                 std::uint32_t levels) {
    for (std::uint32_t h = 0; h < levels; ++h)
      links_.give_back(links_.source(h, climbs[h]), links_.destination(h, climbs[h]), path.up[h]);
  }

  TreeLinks<kWords> links_;
};

const SchedulerRegistration kLevelWiseRequest{
    "level-wise-request", "fat tree: level-wise, each request through all its levels (L 6)",
    &TreeAlgorithm<LevelWiseRequest, false, LevelWiseRoute>::make};

}  // namespace
}  // namespace hybrid
