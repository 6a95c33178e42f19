// `rtl:matching`: matching_matrix.sv as a one-slot scheduler. Same toggles as `matching`.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "VMatching16.h"
#include "VMatching32.h"
#include "core/error.h"
#include "emulator/rtl/slot_bits.h"
#include "emulator/rtl/verilated_block.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/matching.h"

namespace hybrid {

namespace {

/// `kPorts`: N of the block; `shape` has at most as many.
template <class Block, Port kPorts>
class RtlMatching final : public Scheduler {
 public:
  explicit RtlMatching(const SchedulerShape& shape) : ports_(shape.ports), block_(shape.waveform) {
    const std::uint32_t steps = shape.steps == 0 ? MatchingScheduler::kSteps : shape.steps;
    block_->odd_steps = static_cast<CData>(std::min(steps / 2 + steps % 2, ports_));
    toggles_.reserve(2 * std::size_t{ports_});
  }

  std::span<const Connection> pass(const SchedulingPass& in) override {
    Bits::set_pass(block_, in);
    block_->start = 1;
    block_.clock(block_->clk);
    block_->start = 0;
    block_.settle();
    while (block_->done == 0) block_.clock(block_->clk);
    toggles_.clear();
    if (block_->odd_steps == 1) {  // the order of the greedy scheduler
      for (Port i = 0; i < ports_; ++i) add_row((in.priority.input + i) % ports_, in.slot, true, true);
      return toggles_;
    }
    for (Port u = 0; u < ports_; ++u) add_row(u, in.slot, true, false);
    for (Port u = 0; u < ports_; ++u) add_row(u, in.slot, false, true);
    return toggles_;
  }

 private:
  using Bits = SlotBits<kPorts>;

  void add_row(Port u, const Configuration& slot, bool released, bool established) {
    const Port held = slot.destination_of(u);
    if (released && held != kNoPort && Bits::test(block_->toggle, u, held)) toggles_.push_back({u, held});
    if (!established) return;
    Bits::for_each(block_->toggle, u, [&](Port v) {
      if (v != held) toggles_.push_back({u, v});
    });
  }

  Port ports_;
  VerilatedBlock<Block> block_;
  std::vector<Connection> toggles_;
};

class RtlMatchingAlgorithm final : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<RtlMatchingAlgorithm>(); }
  std::unique_ptr<Scheduler> one_slot(const SchedulerShape& shape) const override {
    if (shape.ports <= 16) return std::make_unique<RtlMatching<VMatching16, 16>>(shape);
    if (shape.ports <= 32) return std::make_unique<RtlMatching<VMatching32, 32>>(shape);
    throw UserError(fmt::format("scheduler: 'rtl:matching' has 32 ports, not {}", shape.ports),
                    "Use --scheduler matching: it gives the same grants.");
  }
};

const SchedulerRegistration kRtlMatching{
    "rtl:matching",
    "matching in hardware: the matrix processor of D 6.5.2, by Verilator",
    &RtlMatchingAlgorithm::make,
    {.options = {"scheduler-steps"}}};

}  // namespace

}  // namespace hybrid
