// As many as can be, by recursive edge colouring (tree_colouring.h).
#include "emulator/scheduler/tree_algorithm.h"
#include "emulator/scheduler/tree_colouring.h"

namespace hybrid {
namespace {

template <std::size_t kWords>
class Optimal final : public TreeScheduler {
 public:
  Optimal(const FatTree& tree, std::uint64_t /*seed*/) : colouring_(tree, kAnyMoves) {}
  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    return colouring_.schedule(requests, paths);
  }

 private:
  TreeColouring<kWords> colouring_;
};

const SchedulerRegistration kOptimal{"optimal", "fat tree: recursive edge colouring, every permutation fits",
                                     &TreeAlgorithm<Optimal>::make};

}  // namespace
}  // namespace hybrid
