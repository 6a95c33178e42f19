// `rtl:level-wise`: level_wise.sv as a scheduler of fat trees. Same grants and paths as `level-wise`.
#include <fmt/format.h>

#include <memory>

#include "VLevelWise16.h"
#include "VLevelWise4.h"
#include "VLevelWise8.h"
#include "core/error.h"
#include "emulator/rtl/verilated_block.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {

namespace {

template <class Block>
class RtlLevelWise final : public TreeScheduler {
 public:
  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    block_->valid = 0;
    block_->clear = 1;
    clock();
    block_->clear = 0;
    while (block_->ready == 0) clock();
    std::size_t granted = 0, answered = 0;
    for (std::size_t sent = 0; answered < requests.size();) {
      block_->valid = sent < requests.size() ? 1 : 0;
      if (sent < requests.size()) {
        block_->source = static_cast<SData>(requests[sent].source);
        block_->destination = static_cast<SData>(requests[sent].destination);
        ++sent;
      }
      clock();
      if (block_->answer_valid == 0) continue;
      TreePath& path = paths[answered++] = {};
      path.granted = block_->granted != 0;
      path.turn = block_->turn;
      path.up[0] = block_->p0;
      path.up[1] = block_->p1;
      granted += path.granted ? 1 : 0;
    }
    return granted;
  }

 private:
  void clock() { block_.clock(block_->clk); }

  VerilatedBlock<Block> block_;
};

class RtlLevelWiseAlgorithm final : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<RtlLevelWiseAlgorithm>(); }
  std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& shape, std::uint64_t /*seed*/) const override {
    if (shape.levels == 3 && shape.down == shape.up && !shape.turns_at_top) {
      if (shape.up == 4) return std::make_unique<RtlLevelWise<VLevelWise4>>();
      if (shape.up == 8) return std::make_unique<RtlLevelWise<VLevelWise8>>();
      if (shape.up == 16) return std::make_unique<RtlLevelWise<VLevelWise16>>();
    }
    throw UserError(
        fmt::format("scheduler: 'rtl:level-wise' schedules fat trees of 3 levels with 4, 8 or 16 ports up "
                    "and down, not fattree:{},{},{}",
                    shape.levels, shape.down, shape.up),
        "Give --network fattree:3,4, fattree:3,8 or fattree:3,16 with --tree-turn ancestor, or --scheduler "
        "level-wise.");
  }
  bool schedules_fat_trees() const override { return true; }
};

const SchedulerRegistration kRtlLevelWise{"rtl:level-wise",
                                          "level-wise in hardware: the pipeline of L 6, by Verilator",
                                          &RtlLevelWiseAlgorithm::make};

}  // namespace

}  // namespace hybrid
