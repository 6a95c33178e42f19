// `rtl:greedy/rows`: greedy_rows.sv as a device. Same toggles as `greedy`.
#include <memory>
#include <string>
#include <vector>

#include "VGreedyRows64.h"
#include "emulator/device/greedy_device.h"
#include "emulator/rtl/verilated_block.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {

namespace {

/// One command at a time, as the FPGA's serial line gives them.
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
