// The conventional adaptive scheduler (L 1, 5): each switch sends a request up by its first free port.
#include "emulator/scheduler/local_climb.h"
#include "emulator/scheduler/tree_algorithm.h"

namespace hybrid {
namespace {

template <std::size_t kWords>
class LocalGreedy final : public TreeScheduler {
 public:
  LocalGreedy(const FatTree& tree, std::uint64_t /*seed*/) : links_(tree) {}
  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    LowestPort choose;
    return schedule_locally(links_, choose, requests, paths);
  }

 private:
  TreeLinks<kWords> links_;
};

const SchedulerRegistration kLocalGreedy{"local-greedy",
                                         "fat tree: each switch takes its first free port up (L 1)",
                                         &TreeAlgorithm<LocalGreedy, false, LocalRoute<LowestPort>>::make};

}  // namespace
}  // namespace hybrid
