// `rtl:greedy`: greedy_pass.sv as a one-slot scheduler. Same toggles as `greedy`.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "VGreedyPass128.h"
#include "VGreedyPass16.h"
#include "VGreedyRows64.h"
#include "core/error.h"
#include "emulator/device/greedy_device.h"
#include "emulator/rtl/slot_bits.h"
#include "emulator/rtl/verilated_block.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {

namespace {

/// `kPorts`: N of the block, a multiple of 8; `shape` has at most as many. The other ports are never
/// requested, so that the rotating priority passes over them.
template <class Block, Port kPorts>
class RtlGreedy final : public Scheduler {
 public:
  explicit RtlGreedy(const SchedulerShape& shape) : ports_(shape.ports), block_(shape.waveform) {
    toggles_.reserve(2 * std::size_t{ports_});
  }

  std::span<const Connection> pass(const SchedulingPass& in) override {
    Bits::set_pass(block_, in);
    block_.settle();
    // Rows in the order of the priority; in a row the release first.
    toggles_.clear();
    for (Port i = 0; i < ports_; ++i) {
      const Port u = (in.priority.input + i) % ports_, held = in.slot.destination_of(u);
      if (held != kNoPort && Bits::test(block_->toggle, u, held)) toggles_.push_back({u, held});
      Bits::for_each(block_->toggle, u, [&](Port v) {
        if (v != held) toggles_.push_back({u, v});
      });
    }
    return toggles_;
  }

 private:
  using Bits = SlotBits<kPorts>;

  Port ports_;
  VerilatedBlock<Block> block_;
  std::vector<Connection> toggles_;
};

class RtlGreedyAlgorithm final : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<RtlGreedyAlgorithm>(); }
  std::unique_ptr<Scheduler> one_slot(const SchedulerShape& shape) const override {
    if (shape.ports <= 16) return std::make_unique<RtlGreedy<VGreedyPass16, 16>>(shape);
    if (shape.ports <= 128) return std::make_unique<RtlGreedy<VGreedyPass128, 128>>(shape);
    throw UserError(fmt::format("scheduler: 'rtl:greedy' has at most 128 ports, not {}", shape.ports),
                    "Use --scheduler greedy: it gives the same grants.");
  }
};

const SchedulerRegistration kRtlGreedy{
    "rtl:greedy", "greedy in hardware: the SL array of D 5.3.2, by Verilator", &RtlGreedyAlgorithm::make};

/// greedy_rows.sv as a device: one command at a time, as the FPGA's serial line gives them.
class RowsDevice final : public GreedyDevice {
 public:
  explicit RowsDevice(const std::string& waveform) : block_(waveform) {
    block_->reset = 1;
    clock();
    block_->reset = 0;
    command(0, 0, 0, 0);
    while (block_->ready == 0) clock();
  }
  std::uint32_t ports() const override { return 64; }
  std::uint32_t slots() const override { return 4; }
  void set_request(Connection c, bool requested) override {
    command(requested ? 1 : 2, 0, c.source, c.destination);
  }
  void hold(std::uint32_t slot, Connection c) override { command(3, slot, c.source, c.destination); }
  void drop(std::uint32_t slot, Port source) override { command(4, slot, source, 0); }
  std::span<const Connection> pass(std::uint32_t slot, SchedulingPriority priority) override {
    command(5, slot, priority.input, priority.output);
    toggles_.clear();
    for (block_->row_ready = 1; block_->ready == 0; clock()) {
      if (block_->row_valid == 0) continue;
      if (block_->row_releases != 0) toggles_.push_back({block_->row_input, block_->row_released});
      if (block_->row_establishes != 0) toggles_.push_back({block_->row_input, block_->row_established});
    }
    return toggles_;
  }

 private:
  void clock() { block_.clock(block_->clk); }
  void command(CData op, std::uint32_t slot, Port u, Port v) {
    while (block_->ready == 0) clock();
    block_->valid = 1;
    block_->op = op;
    block_->slot = static_cast<CData>(slot);
    block_->u = static_cast<CData>(u);
    block_->v = static_cast<CData>(v);
    clock();
    block_->valid = 0;
    block_.settle();
  }

  VerilatedBlock<VGreedyRows64> block_;
  std::vector<Connection> toggles_;
};

class RtlRowsAlgorithm final : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<RtlRowsAlgorithm>(); }
  std::unique_ptr<Scheduler> one_slot(const SchedulerShape& shape) const override {
    return std::make_unique<DeviceScheduler>(
        shape,
        std::make_shared<SharedDevice>("'rtl:greedy/rows'", std::make_unique<RowsDevice>(shape.waveform)));
  }
};

const SchedulerRegistration kRtlRows{"rtl:greedy/rows",
                                     "greedy in hardware, row by row: the FPGA's scheduler, by Verilator",
                                     &RtlRowsAlgorithm::make};

}  // namespace

}  // namespace hybrid
