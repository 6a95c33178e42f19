// `rtl:level-wise`: level_wise.sv as a scheduler of fat trees, level_wise_slots.sv in the loop. Same grants
// and paths as `level-wise`. `rtl:level-wise/two`: level_wise_pair.sv, two requests a clock. Same grants and
// paths as `level-wise` for the requests in another order.
#include "emulator/rtl/rtl_level_wise.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "VLevelWise16.h"
#include "VLevelWise4.h"
#include "VLevelWise8.h"
#include "VLevelWisePair16.h"
#include "VLevelWisePair4.h"
#include "VLevelWisePair8.h"
#include "VLevelWiseSlots16.h"
#include "VLevelWiseSlots4.h"
#include "VLevelWiseSlots8.h"
#include "core/error.h"
#include "emulator/rtl/verilated_block.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {

namespace {

template <class Signal>
void set(Signal& signal, std::uint32_t value) {
  signal = static_cast<Signal>(value);
}

/// Input and output e of the block are those of the sources in part e of kEngines parts of the nodes.
template <class Block, std::uint32_t kWidth, std::uint32_t kEngines>
class RtlLevelWise final : public RtlTreeScheduler {
 public:
  RtlLevelWise() { order_.reserve(kNodes); }

  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    block_->valid = 0;
    block_->clear = 1;
    clock();
    block_->clear = 0;
    while (block_->ready == 0) clock();
    order_.clear();
    clocks_ = refused_ = 0;
    // Of each input the next request; of each pair of parts the next to be answered.
    std::array<std::size_t, kEngines> sent{};
    std::array<std::array<std::size_t, kEngines>, kEngines> answered{};
    std::size_t granted = 0;
    while (order_.size() < requests.size()) {
      std::uint32_t valid = 0, sources = 0, destinations = 0;
      for (std::uint32_t e = 0; e < kEngines; ++e) {
        while (sent[e] < requests.size() && part(requests[sent[e]].source) != e) ++sent[e];
        if (sent[e] == requests.size()) continue;
        valid |= 1u << e;
        sources |= (requests[sent[e]].source % kPart) << (e * kPartBits);
        destinations |= requests[sent[e]].destination << (e * kNodeBits);
      }
      set(block_->valid, valid);
      set(block_->source, sources);
      set(block_->destination, destinations);
      for (std::uint32_t e = 0; e < kEngines; ++e) {
        if (bits(valid, e, 1) == 0) continue;
        if (bits(block_->ready, e, 1) != 0)
          ++sent[e];
        else
          ++refused_;
      }
      clock();
      ++clocks_;
      for (std::uint32_t e = 0; e < kEngines; ++e) {
        if (bits(block_->answer_valid, e, 1) == 0) continue;
        const std::uint32_t to = e ^ static_cast<std::uint32_t>(block_->answer_crossed);
        std::size_t& i = answered[e][to];
        while (i < requests.size() && (part(requests[i].source) != e || part(requests[i].destination) != to))
          ++i;
        if (i == requests.size()) throw std::logic_error("rtl:level-wise: an answer without a request");
        if constexpr (kEngines == 2)
          if (bits(block_->answer_source, e, kPartBits) != requests[i].source % kPart)
            throw std::logic_error("rtl:level-wise/two: an answer with another source");
        TreePath& path = paths[i] = {};
        path.granted = bits(block_->granted, e, 1) != 0;
        path.turn = static_cast<std::uint8_t>(bits(block_->turn, e, 2));
        path.up[0] = static_cast<std::uint16_t>(bits(block_->p0, e, kPortBits));
        path.up[1] = static_cast<std::uint16_t>(bits(block_->p1, e, kPortBits));
        granted += path.granted ? 1 : 0;
        order_.push_back(i++);
      }
    }
    ++clocks_;  // the last answer is there after its edge
    return granted;
  }
  std::uint64_t clocks() const override { return clocks_; }
  std::span<const std::size_t> order() const override { return order_; }
  std::uint64_t refused() const override { return refused_; }

 private:
  static constexpr std::uint32_t kNodes = kWidth * kWidth * kWidth, kPart = kNodes / kEngines;
  static constexpr std::uint32_t kPortBits = std::bit_width(kWidth - 1), kNodeBits = 3 * kPortBits;
  static constexpr std::uint32_t kPartBits = kNodeBits + 1 - kEngines;
  static std::uint32_t part(Port node) { return node / kPart; }
  static std::uint32_t bits(std::uint32_t word, std::uint32_t e, std::uint32_t width) {
    return word >> (e * width) & ((1u << width) - 1);
  }
  void clock() { block_.clock(block_->clk); }

  VerilatedBlock<Block> block_;
  std::vector<std::size_t> order_;
  std::uint64_t clocks_ = 0, refused_ = 0;
};

/// level_wise_slots.sv, with the links of all slots.
template <class Block>
class RtlSlotRoute final : public TreeRoute {
 public:
  static constexpr std::uint32_t kSlots = 16;  // the parameter K of the block

  RtlSlotRoute() {
    block_->reset = 1;
    block_.clock(block_->clk);
    block_->reset = 0;
    while (block_->ready == 0) block_.clock(block_->clk);
  }
  bool find(const TreeLinks<1>& /*links*/, Connection c, TreePath& path) override {
    block_->toggle = 0;
    command(c);
    path = {};
    path.turn = block_->turn;
    path.up[0] = block_->p0;
    path.up[1] = block_->p1;
    return block_->granted != 0;
  }
  bool find(const TreeLinks<0>& /*links*/, Connection /*c*/, TreePath& /*path*/) override {
    throw std::logic_error("rtl:level-wise: a switch with more than 16 ports");
  }
  void use_slot(std::uint32_t slot) override { set(block_->slot, slot); }
  void toggle(Connection c, const TreePath& path) override {
    block_->toggle = 1;
    set(block_->given_p0, path.up[0]);
    set(block_->given_p1, path.up[1]);
    command(c);
  }

 private:
  void command(Connection c) {
    set(block_->source, c.source);
    set(block_->destination, c.destination);
    block_->valid = 1;
    block_.clock(block_->clk);
    block_->valid = 0;
    while (block_->done == 0) block_.clock(block_->clk);
  }

  VerilatedBlock<Block> block_;
};

template <class Block4, class Block8, class Block16, std::uint32_t kEngines>
class RtlLevelWiseAlgorithm final : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<RtlLevelWiseAlgorithm>(); }
  std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& shape, std::uint64_t /*seed*/) const override {
    if (shape.levels == 3 && shape.down == shape.up && !shape.turns_at_top) {
      if (shape.up == 4) return std::make_unique<RtlLevelWise<Block4, 4, kEngines>>();
      if (shape.up == 8) return std::make_unique<RtlLevelWise<Block8, 8, kEngines>>();
      if (shape.up == 16) return std::make_unique<RtlLevelWise<Block16, 16, kEngines>>();
    }
    refuse(shape);
  }
  std::unique_ptr<TreeRoute> tree_route(const FatTreeShape& shape, std::uint32_t slots,
                                        std::uint64_t /*seed*/) const override {
    if (kEngines != 1) return nullptr;
    if (slots > RtlSlotRoute<VLevelWiseSlots4>::kSlots)
      throw UserError(fmt::format("scheduler: 'rtl:level-wise' has 16 slots, not {}", slots),
                      "Use --scheduler level-wise: it gives the same grants.");
    if (shape.levels == 3 && shape.down == shape.up && !shape.turns_at_top) {
      if (shape.up == 4) return std::make_unique<RtlSlotRoute<VLevelWiseSlots4>>();
      if (shape.up == 8) return std::make_unique<RtlSlotRoute<VLevelWiseSlots8>>();
      if (shape.up == 16) return std::make_unique<RtlSlotRoute<VLevelWiseSlots16>>();
    }
    refuse(shape);
  }
  bool schedules_fat_trees() const override { return true; }

 private:
  [[noreturn]] static void refuse(const FatTreeShape& shape) {
    throw UserError(
        fmt::format("scheduler: '{}' schedules fat trees of 3 levels with 4, 8 or 16 ports up "
                    "and down, not fattree:{},{},{}",
                    kEngines == 1 ? "rtl:level-wise" : "rtl:level-wise/two", shape.levels, shape.up,
                    shape.down),
        "Give --network fattree:3,4, fattree:3,8 or fattree:3,16 with --tree-turn ancestor, or --scheduler "
        "level-wise.");
  }
};

const SchedulerRegistration kOne{"rtl:level-wise",
                                 "level-wise in hardware: the pipeline of L 6, by Verilator",
                                 &RtlLevelWiseAlgorithm<VLevelWise4, VLevelWise8, VLevelWise16, 1>::make};
const SchedulerRegistration kTwo{
    "rtl:level-wise/two", "level-wise in hardware, two requests a clock, by Verilator",
    &RtlLevelWiseAlgorithm<VLevelWisePair4, VLevelWisePair8, VLevelWisePair16, 2>::make};

}  // namespace

}  // namespace hybrid
