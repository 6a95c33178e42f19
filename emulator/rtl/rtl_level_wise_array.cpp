// `rtl:level-wise/array`: level_wise_array.sv, a fat tree of 64 nodes with a cell for each switch. Same
// grants and paths as `level-wise` for the requests in another order.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "VLevelWiseArray4.h"
#include "core/error.h"
#include "emulator/rtl/rtl_level_wise.h"
#include "emulator/rtl/verilated_block.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {

namespace {

constexpr std::uint32_t kWidth = 4, kPortBits = 2, kNodeBits = 3 * kPortBits;
constexpr std::uint32_t kSwitches = kWidth * kWidth, kNodes = kSwitches * kWidth;

/// The step of the hardware that schedules the request.
std::uint32_t step_of(Connection c) {
  const auto distance = [&](std::uint32_t unit) {
    return (c.destination / unit + kWidth - 1 - c.source / unit % kWidth) % kWidth;
  };
  return distance(kSwitches) * kWidth + distance(kWidth);
}

class RtlLevelWiseArray final : public RtlTreeScheduler {
 public:
  RtlLevelWiseArray() { order_.reserve(kNodes); }

  /// At most one request of each source at once: the other ones of a source come after the answers.
  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    block_->load = 0;
    block_->clear = 1;
    clock();
    block_->clear = 0;
    order_.clear();
    clocks_ = 0;
    std::size_t granted = 0;
    std::vector<bool> sent(requests.size());
    while (order_.size() < requests.size()) {
      std::array<std::size_t, kNodes> request_of;
      request_of.fill(requests.size());
      for (std::size_t i = 0; i < requests.size(); ++i) {
        if (sent[i] || request_of[requests[i].source] != requests.size()) continue;
        request_of[requests[i].source] = i;
        sent[i] = true;
        order_.push_back(i);
      }
      std::sort(order_.end() - std::ranges::count_if(request_of, [&](auto i) { return i < requests.size(); }),
                order_.end(), [&](std::size_t i, std::size_t j) {
                  return std::pair(step_of(requests[i]), requests[i].source) <
                         std::pair(step_of(requests[j]), requests[j].source);
                });
      granted += round(requests, request_of, paths);
    }
    return granted;
  }
  std::uint64_t clocks() const override { return clocks_; }
  std::span<const std::size_t> order() const override { return order_; }
  std::uint64_t refused() const override { return 0; }

 private:
  /// The requests request_of[source], with requests.size() for none.
  std::size_t round(std::span<const Connection> requests, std::span<const std::size_t, kNodes> request_of,
                    std::span<TreePath> paths) {
    for (std::uint32_t k = 0; k < kWidth; ++k) {
      std::uint32_t valid = 0;
      std::array<std::uint32_t, kSwitches * kNodeBits / 32> destinations{};
      for (std::uint32_t s = 0; s < kSwitches; ++s) {
        const std::size_t i = request_of[s * kWidth + k];
        if (i == requests.size()) continue;
        valid |= 1u << s;
        for (std::uint32_t bit = 0; bit < kNodeBits; ++bit)
          destinations[(s * kNodeBits + bit) / 32] |= (requests[i].destination >> bit & 1)
                                                      << (s * kNodeBits + bit) % 32;
      }
      block_->load = 1;
      block_->valid = static_cast<SData>(valid);
      std::memcpy(&block_->destination, destinations.data(), sizeof destinations);
      clock();
      ++clocks_;
    }
    block_->load = 0;
    for (; block_->answers == 0; ++clocks_) clock();
    std::size_t granted = 0;
    for (std::uint32_t k = 0; k < kWidth; ++k, ++clocks_, clock())
      for (std::uint32_t s = 0; s < kSwitches; ++s) {
        const std::size_t i = request_of[s * kWidth + k];
        if (i == requests.size()) continue;
        TreePath& path = paths[i] = {};
        path.granted = (block_->granted >> s & 1) != 0;
        path.turn = static_cast<std::uint8_t>(block_->turn >> 2 * s & 3);
        path.up[0] = static_cast<std::uint16_t>(block_->p0 >> kPortBits * s & (kWidth - 1));
        path.up[1] = static_cast<std::uint16_t>(block_->p1 >> kPortBits * s & (kWidth - 1));
        granted += path.granted ? 1 : 0;
      }
    return granted;
  }
  void clock() { block_.clock(block_->clk); }

  VerilatedBlock<VLevelWiseArray4> block_;
  std::vector<std::size_t> order_;
  std::uint64_t clocks_ = 0;
};

class RtlLevelWiseArrayAlgorithm final : public SchedulingAlgorithm {
 public:
  std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& shape, std::uint64_t /*seed*/) const override {
    if (shape.levels == 3 && shape.down == kWidth && shape.up == kWidth && !shape.turns_at_top)
      return std::make_unique<RtlLevelWiseArray>();
    throw UserError(
        fmt::format("scheduler: 'rtl:level-wise/array' schedules fattree:3,4, not fattree:{},{},{}",
                    shape.levels, shape.up, shape.down),
        "Give --network fattree:3,4 with --tree-turn ancestor, or --scheduler level-wise.");
  }
  bool schedules_fat_trees() const override { return true; }
};

const SchedulerRegistration kArray{
    "rtl:level-wise/array", "level-wise in hardware, all switches at once, by Verilator",
    []() -> std::unique_ptr<SchedulingAlgorithm> { return std::make_unique<RtlLevelWiseArrayAlgorithm>(); }};

}  // namespace

}  // namespace hybrid
