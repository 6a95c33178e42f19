// The conventional adaptive schedulers (L 1, 5): each switch sends a request up by its first free port
// (`local-greedy`) or by a random one of its free ports (`local-random`).
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/local_climb.h"

namespace hybrid {

namespace {

template <std::size_t kWords>
class LocalGreedy final : public TreeScheduler {
 public:
  LocalGreedy(const FatTree& tree, std::uint64_t /*seed*/) : links_(tree) {}
  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    const auto choose_for = [](const Connection& /*c*/) { return LowestPort{}; };
    return schedule_locally(links_, choose_for, requests, paths);
  }

 private:
  TreeLinks<kWords> links_;
};

const SchedulerRegistration kLocalGreedy{"local-greedy",
                                         "fat tree: each switch takes its first free port up (L 1)",
                                         &TreeAlgorithm<LocalGreedy, false, LocalRoute<LowestPort>>::make};

template <std::size_t kWords>
class LocalRandom final : public TreeScheduler {
 public:
  LocalRandom(const FatTree& tree, std::uint64_t seed) : links_(tree), seed_(seed) {}
  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    RandomPort choose{Random(seed_)};
    const auto choose_for = [&choose](const Connection& /*c*/) -> RandomPort& { return choose; };
    return schedule_locally(links_, choose_for, requests, paths);
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
