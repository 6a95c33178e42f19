// A block of RTL as a one-slot scheduler `rtl:NAME`, registered by hybrid_scheduler_block() of
// CMakeLists.txt.
//
// The block has a parameter N, and the ports of greedy_pass.sv: `request`, `established`, `slot`, `a`, `b`
// and `toggle`. A clocked block also has `clk`, `start`, which takes the other inputs, and `done`, after
// which `toggle` is valid; and `reset`, if it needs one. A block with `odd_steps` reads --scheduler-steps:
// half of them, rounded up, and at most N.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "emulator/rtl/slot_bits.h"
#include "emulator/rtl/verilated_block.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/matching.h"

namespace hybrid {

/// `Model`: the block with N = `kMostPorts`; `shape` has at most as many. The other ports are never
/// requested, so that the rotating priority passes over them.
template <class Model, Port kMostPorts>
class OneSlotBlock final : public Scheduler {
 public:
  static constexpr Port kPorts = kMostPorts;
  static_assert(kPorts % 8 == 0 && kPorts <= 128);
  static constexpr bool kHasSteps = requires(Model& m) { m.odd_steps; };

  explicit OneSlotBlock(const SchedulerShape& shape) : ports_(shape.ports), block_(shape.waveform) {
    toggles_.reserve(2 * std::size_t{ports_});
    if constexpr (kHasSteps) {
      const std::uint32_t steps = shape.steps == 0 ? MatchingScheduler::kSteps : shape.steps;
      block_->odd_steps = static_cast<CData>(std::min(steps / 2 + steps % 2, ports_));
    }
    if constexpr (requires(Model& m) { m.reset; }) {
      block_->reset = 1;
      block_.clock(block_->clk);
      block_->reset = 0;
    }
  }

  std::span<const Connection> pass(const SchedulingPass& in) override {
    Bits::set_pass(block_, in);
    if constexpr (requires(Model& m) { m.start; }) {
      block_->start = 1;
      block_.clock(block_->clk);
      block_->start = 0;
      block_.settle();
      while (block_->done == 0) block_.clock(block_->clk);
    } else {
      block_.settle();
    }
    toggles_.clear();
    const Configuration& slot = in.slot;
    for_each_port(slot.inputs().words(), [&](Port u) {
      const Port held = slot.destination_of(u);
      if (Bits::test(block_->toggle, u, held)) toggles_.push_back({u, held});
    });
    for (Port u = 0; u < ports_; ++u)
      Bits::for_each(block_->toggle, u, [&](Port v) {
        if (v != slot.destination_of(u)) toggles_.push_back({u, v});
      });
    return toggles_;
  }

 private:
  using Bits = SlotBits<kPorts>;

  Port ports_;
  VerilatedBlock<Model> block_;
  std::vector<Connection> toggles_;
};

/// `Blocks`: OneSlotBlocks, ascending.
template <const char* kName, class... Blocks>
class OneSlotBlocks final : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<OneSlotBlocks>(); }
  static Uses uses() { return (Blocks::kHasSteps || ...) ? Uses{.options = {"scheduler-steps"}} : Uses{}; }
  std::unique_ptr<Scheduler> one_slot(const SchedulerShape& shape) const override {
    std::unique_ptr<Scheduler> made;
    const bool fits =
        ((shape.ports <= Blocks::kPorts && (made = std::make_unique<Blocks>(shape)) != nullptr) || ...);
    if (fits) return made;
    const std::string_view model = std::string_view(kName).substr(std::string_view("rtl:").size());
    throw UserError(
        fmt::format("scheduler: '{}' has at most {} ports, not {}", kName, std::max({Blocks::kPorts...}),
                    shape.ports),
        fmt::format("Use --scheduler {}: it gives the same grants.", model.substr(0, model.find('/'))));
  }
};

}  // namespace hybrid
