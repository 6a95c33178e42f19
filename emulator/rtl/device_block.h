// A block of RTL as a greedy device (emulator/device/greedy_device.h) and as the one-slot scheduler
// `rtl:NAME`, registered by hybrid_scheduler_block() of CMakeLists.txt. The block has the parameters N and K
// and the ports of greedy_rows.sv.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/device/greedy_device.h"
#include "emulator/rtl/verilated_block.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {

/// One command at a time, as the FPGA's serial line gives them.
template <class Model, Port kPorts, std::uint32_t kSlots>
class DeviceBlock final : public GreedyDevice {
 public:
  explicit DeviceBlock(const std::string& waveform) : block_(waveform) {
    block_->reset = 1;
    clock();
    block_->reset = 0;
    command(0, 0, 0, 0);
    while (block_->ready == 0) clock();
  }
  std::uint32_t ports() const override { return kPorts; }
  std::uint32_t slots() const override { return kSlots; }
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

  VerilatedBlock<Model> block_;
  std::vector<Connection> toggles_;
};

template <const char* kName, class Model, Port kPorts, std::uint32_t kSlots>
class DeviceBlocks final : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<DeviceBlocks>(); }
  static Uses uses() { return {}; }
  std::unique_ptr<Scheduler> one_slot(const SchedulerShape& shape) const override {
    return std::make_unique<DeviceScheduler>(
        shape,
        std::make_shared<SharedDevice>(std::string("'") + kName + "'",
                                       std::make_unique<DeviceBlock<Model, kPorts, kSlots>>(shape.waveform)));
  }
};

}  // namespace hybrid
