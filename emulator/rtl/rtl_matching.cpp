// `rtl:matching`, `rtl:matching/logic` and `rtl:matching/vector`: the three processors of D 6.5 as one-slot
// schedulers, matching_matrix.sv, matching_logic.sv and matching_vector.sv. Same toggles as `matching`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "VGreedyPass128.h"
#include "VGreedyPass16.h"
#include "VGreedyPass8.h"
#include "VMatching16.h"
#include "VMatching32.h"
#include "VMatchingLogic16.h"
#include "VMatchingLogic8.h"
#include "VMatchingVector128.h"
#include "VMatchingVector16.h"
#include "core/error.h"
#include "emulator/rtl/slot_bits.h"
#include "emulator/rtl/verilated_block.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/matching.h"

namespace hybrid {

namespace {

/// Runs a clocked processor until it has the result.
template <class Block>
void run(VerilatedBlock<Block>& block, std::uint32_t odd_steps) {
  block->odd_steps = static_cast<CData>(odd_steps);
  block->start = 1;
  block.clock(block->clk);
  block->start = 0;
  block.settle();
  while (block->done == 0) block.clock(block->clk);
}

/// The matrix processor: all in one block.
template <class Block, Port kPorts>
class Matrix {
 public:
  explicit Matrix(const std::string& waveform) : block_(waveform) {}
  auto& toggles(const SchedulingPass& in, std::uint32_t odd_steps) {
    SlotBits<kPorts>::set_pass(block_, in);
    run(block_, odd_steps);
    return block_->toggle;
  }

 private:
  VerilatedBlock<Block> block_;
};

/// The pure logic processor after the SL array: one path a clock, until there is none.
template <class Greedy, class Block, Port kPorts>
class Logic {
 public:
  explicit Logic(const std::string& waveform) : block_(waveform) {}
  auto& toggles(const SchedulingPass& in, std::uint32_t odd_steps) {
    SlotBits<kPorts>::set_pass(greedy_, in);
    greedy_.settle();
    block_->request = greedy_->request;
    block_->established = greedy_->established;
    block_->slot = greedy_->slot;
    block_->odd_steps = static_cast<CData>(odd_steps);
    block_->better = greedy_->toggle;
    do {
      block_->toggle = block_->better;
      block_.settle();
    } while (odd_steps != 1 && block_->improves != 0);
    return block_->toggle;
  }

 private:
  VerilatedBlock<Greedy> greedy_;
  VerilatedBlock<Block> block_;
};

/// The vector processor after the SL array: rows in, rows out.
template <class Greedy, class Block, Port kPorts>
class Vector {
 public:
  explicit Vector(const std::string& waveform) : block_(waveform) {
    block_->reset = 1;
    block_.clock(block_->clk);
    block_->reset = 0;
  }
  auto& toggles(const SchedulingPass& in, std::uint32_t odd_steps) {
    SlotBits<kPorts>::set_pass(greedy_, in);
    greedy_.settle();
    block_->load = 1;
    for (Port u = 0; u < kPorts; ++u) {
      block_->row = static_cast<CData>(u);
      copy_row(block_->request, greedy_->request, u);
      copy_row(block_->established, greedy_->established, u);
      copy_row(block_->slot, greedy_->slot, u);
      copy_row(block_->toggle, greedy_->toggle, u);
      block_.clock(block_->clk);
    }
    block_->load = 0;
    run(block_, odd_steps);
    for (Port u = 0; u < kPorts; ++u) {
      block_->row = static_cast<CData>(u);
      block_.clock(block_->clk);
      // The slot loses what the greedy schedule releases, and gets the row of the matching.
      unsigned char* const row = SlotBits<kPorts>::row(toggles_, u);
      for (std::size_t i = 0; i < SlotBits<kPorts>::kBytes; ++i)
        row[i] = static_cast<unsigned char>(
            (SlotBits<kPorts>::row(greedy_->slot, u)[i] & ~SlotBits<kPorts>::row(greedy_->request, u)[i]) |
            SlotBits<kPorts>::row(block_->matched, 0)[i]);
    }
    return toggles_;
  }

 private:
  template <class Row, class Bits>
  static void copy_row(Row& row, Bits& bits, Port u) {
    std::memcpy(&row, SlotBits<kPorts>::row(bits, u), SlotBits<kPorts>::kBytes);
  }

  VerilatedBlock<Greedy> greedy_;
  VerilatedBlock<Block> block_;
  std::array<unsigned char, std::size_t{kPorts} * SlotBits<kPorts>::kBytes> toggles_{};
};

/// `kPorts`: N of the processor; `shape` has at most as many.
template <class Processor, Port kPorts>
class RtlMatching final : public Scheduler {
 public:
  explicit RtlMatching(const SchedulerShape& shape) : ports_(shape.ports), processor_(shape.waveform) {
    const std::uint32_t steps = shape.steps == 0 ? MatchingScheduler::kSteps : shape.steps;
    odd_steps_ = std::min(steps / 2 + steps % 2, ports_);
    toggles_.reserve(2 * std::size_t{ports_});
  }

  std::span<const Connection> pass(const SchedulingPass& in) override {
    auto& bits = processor_.toggles(in, odd_steps_);
    toggles_.clear();
    if (odd_steps_ == 1) {  // the order of the greedy scheduler
      for (Port i = 0; i < ports_; ++i) add_row(bits, (in.priority.input + i) % ports_, in.slot, true, true);
      return toggles_;
    }
    for (Port u = 0; u < ports_; ++u) add_row(bits, u, in.slot, true, false);
    for (Port u = 0; u < ports_; ++u) add_row(bits, u, in.slot, false, true);
    return toggles_;
  }

 private:
  template <class Toggles>
  void add_row(Toggles& bits, Port u, const Configuration& slot, bool released, bool established) {
    const Port held = slot.destination_of(u);
    if (released && held != kNoPort && SlotBits<kPorts>::test(bits, u, held)) toggles_.push_back({u, held});
    if (!established) return;
    SlotBits<kPorts>::for_each(bits, u, [&](Port v) {
      if (v != held) toggles_.push_back({u, v});
    });
  }

  Port ports_;
  std::uint32_t odd_steps_;
  Processor processor_;
  std::vector<Connection> toggles_;
};

/// `Small` has `kSmall` ports, `Large` `kLarge`.
template <const char* kName, class Small, Port kSmall, class Large, Port kLarge>
class RtlMatchingAlgorithm final : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<RtlMatchingAlgorithm>(); }
  std::unique_ptr<Scheduler> one_slot(const SchedulerShape& shape) const override {
    if (shape.ports <= kSmall) return std::make_unique<RtlMatching<Small, kSmall>>(shape);
    if (shape.ports <= kLarge) return std::make_unique<RtlMatching<Large, kLarge>>(shape);
    throw UserError(fmt::format("scheduler: '{}' has at most {} ports, not {}", kName, kLarge, shape.ports),
                    "Use --scheduler matching: it gives the same grants.");
  }
};

using Logic8 = Logic<VGreedyPass8, VMatchingLogic8, 8>;
using Logic16 = Logic<VGreedyPass16, VMatchingLogic16, 16>;
using Vector16 = Vector<VGreedyPass16, VMatchingVector16, 16>;
using Vector128 = Vector<VGreedyPass128, VMatchingVector128, 128>;

constexpr char kMatrixName[] = "rtl:matching", kLogicName[] = "rtl:matching/logic",
               kVectorName[] = "rtl:matching/vector";

const SchedulerRegistration kMatrix{
    kMatrixName,
    "matching in hardware: the matrix processor of D 6.5.2, by Verilator",
    &RtlMatchingAlgorithm<kMatrixName, Matrix<VMatching16, 16>, 16, Matrix<VMatching32, 32>, 32>::make,
    {.options = {"scheduler-steps"}}};
const SchedulerRegistration kLogic{kLogicName,
                                   "matching in hardware: the pure logic processor of D 6.5.1, by Verilator",
                                   &RtlMatchingAlgorithm<kLogicName, Logic8, 8, Logic16, 16>::make,
                                   {.options = {"scheduler-steps"}}};
const SchedulerRegistration kVector{kVectorName,
                                    "matching in hardware: the vector processor of D 6.5.3, by Verilator",
                                    &RtlMatchingAlgorithm<kVectorName, Vector16, 16, Vector128, 128>::make,
                                    {.options = {"scheduler-steps"}}};

}  // namespace

}  // namespace hybrid
