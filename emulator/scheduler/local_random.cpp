// The conventional adaptive scheduler (L 1, 5): each switch sends a request up by a random one of its free
// ports.
#include "emulator/scheduler/local_climb.h"
#include "emulator/scheduler/tree_algorithm.h"

namespace hybrid {
namespace {

template <std::size_t kWords>
class LocalRandom final : public TreeScheduler {
 public:
  LocalRandom(const FatTree& tree, std::uint64_t seed) : links_(tree), seed_(seed) {}
  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    RandomPort choose{Random(seed_)};
    return schedule_locally(links_, choose, requests, paths);
  }

 private:
  TreeLinks<kWords> links_;
  std::uint64_t seed_;
};

const SchedulerRegistration kLocalRandom{"local-random",
                                         "fat tree: each switch takes any of its free ports up (L 1)",
                                         &TreeAlgorithm<LocalRandom, true, LocalRoute<RandomPort>>::make};

}  // namespace
}  // namespace hybrid
