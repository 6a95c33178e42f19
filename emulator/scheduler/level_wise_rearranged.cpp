// Level-wise, then few rearrangements (ours): a request without a common free port is granted all the same
// where at most kMostMoves others change their port for it (tree_colouring.h).
#include "emulator/scheduler/tree_algorithm.h"
#include "emulator/scheduler/tree_colouring.h"

namespace hybrid {
namespace {

constexpr std::uint32_t kMostMoves = 24;

template <std::size_t kWords>
class LevelWiseRearranged final : public TreeScheduler {
 public:
  LevelWiseRearranged(const FatTree& tree, std::uint64_t /*seed*/) : colouring_(tree, kMostMoves) {}
  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    return colouring_.schedule(requests, paths);
  }

 private:
  TreeColouring<kWords> colouring_;
};

const SchedulerRegistration kLevelWiseRearranged{
    "level-wise-rearranged", "fat tree: level-wise, moving at most 24 connections for a request that fails",
    &TreeAlgorithm<LevelWiseRearranged>::make};

}  // namespace
}  // namespace hybrid
