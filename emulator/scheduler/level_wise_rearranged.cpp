// Level-wise, then few rearrangements (ours): a request without a common free port is granted all the same
// where at most kMostMoves others change their port for it (tree_colouring.h).
#include <memory>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/tree_colouring.h"

namespace hybrid {
namespace {

constexpr std::uint32_t kMostMoves = 24;

class LevelWiseRearranged final : public TreeScheduler {
 public:
  explicit LevelWiseRearranged(const FatTree& tree) : colouring_(make_tree_colouring(tree, kMostMoves)) {}
  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    return colouring_->schedule(requests, paths);
  }

 private:
  std::unique_ptr<TreeColouring> colouring_;
};

class LevelWiseRearrangedAlgorithm final : public SchedulingAlgorithm {
 public:
  std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& shape, std::uint64_t /*seed*/) const override {
    return std::make_unique<LevelWiseRearranged>(FatTree(shape));
  }
  bool schedules_fat_trees() const override { return true; }
};

const SchedulerRegistration kLevelWiseRearranged{
    "level-wise-rearranged", "fat tree: level-wise, moving at most 24 connections for a request that fails",
    []() -> std::unique_ptr<SchedulingAlgorithm> {
      return std::make_unique<LevelWiseRearrangedAlgorithm>();
    }};

}  // namespace
}  // namespace hybrid
