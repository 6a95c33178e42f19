// D-mod-k, the static routing of InfiniBand's fat trees: the destination alone determines the ports up, P_h =
// (d div w^h) mod w; connections that meet on a link are served first come, first served. With m = w no two
// destinations share a link down, so that connections contend only for links up, and every shift (d = s + k
// mod N) is granted whole.
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/local_climb.h"

namespace hybrid {
namespace {

/// Selects the port up that the destination determines, level by level.
struct PortOfDestination {
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
    return LocalRoute<PortOfDestination>{{c.destination, links.tree().shape().up}}(links, c, path);
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
    const auto choose_for = [w = links_.tree().shape().up](const Connection& c) {
      return PortOfDestination{c.destination, w};
    };
    return schedule_locally(links_, choose_for, requests, paths);
  }

 private:
  TreeLinks<kWords> links_;
};

const SchedulerRegistration kDModK{"d-mod-k",
                                   "fat tree: static, the destination determines the ports up (InfiniBand)",
                                   &TreeAlgorithm<DModK, false, DModKRoute>::make};

}  // namespace
}  // namespace hybrid
