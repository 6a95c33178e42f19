// D-mod-k, the static routing of InfiniBand's fat trees: the destination alone says the ports up,
// P_h = (d div w^h) mod w, and connections that meet on a link are served first come, first served. Where
// m = w no two destinations share a link down, so that only links up are fought for, and every shift
// (d = s + k mod N) fits whole.
#include "emulator/scheduler/local_climb.h"
#include "emulator/scheduler/tree_algorithm.h"

namespace hybrid {
namespace {

/// The port up that the destination says, level by level.
struct DestinationsPort {
  std::uint32_t destination, width;
  template <std::size_t kWords>
  std::uint32_t operator()(const TreeLinks<kWords>& links, std::size_t at) {
    const std::uint32_t port = destination % width;
    destination /= width;
    return links.is_free(TreeLinks<kWords>::kUp, at, port) ? port : links.none();
  }
};

struct DModKRoute {
  template <std::size_t kWords>
  bool operator()(const TreeLinks<kWords>& links, Connection c, TreePath& path) const {
    return LocalRoute<DestinationsPort>{{c.destination, links.tree().shape().up}}(links, c, path);
  }
  std::uint32_t port_to_free(Connection c, std::uint32_t level, std::span<const std::uint32_t> links) const {
    const auto width = static_cast<std::uint32_t>(links.size());
    std::uint32_t destination = c.destination;
    for (; level != 0; --level) destination /= width;
    return destination % width;
  }
};

template <std::size_t kWords>
class DModK final : public TreeScheduler {
 public:
  DModK(const FatTree& tree, std::uint64_t /*seed*/) : links_(tree) {}

  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    links_.reset();
    const std::uint32_t w = links_.tree().shape().up;
    std::size_t granted = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      paths[i] = {};
      if (!links_.nodes_free(requests[i])) continue;
      LocalClimb climb;
      climb.at[0] = links_.start(requests[i]);
      DestinationsPort choose{requests[i].destination, w};
      if (!climb_locally(links_, choose, false, climb, paths[i]) ||
          !way_down_is_free(links_, climb, paths[i]))
        continue;
      take_climb(links_, requests[i], climb, paths[i]);
      ++granted;
    }
    return granted;
  }

 private:
  TreeLinks<kWords> links_;
};

const SchedulerRegistration kDModK{"d-mod-k",
                                   "fat tree: static, the destination says the ports up (InfiniBand)",
                                   &TreeAlgorithm<DModK, false, DModKRoute>::make};

}  // namespace
}  // namespace hybrid
