// A block of RTL as a scheduler `rtl:NAME` of the fat trees FT(3, W, W), registered by
// hybrid_scheduler_block() of CMakeLists.txt. The block has a parameter W and the ports of one of
//
//   level_wise.sv        requests in order, one a clock
//   level_wise_pair.sv   two requests a clock, one of each half of the sources
//   level_wise_array.sv  all requests at once, for W = 4
//
// With a ROUTE, a block with the ports of level_wise_slots.sv, it is also in the loop of a switch.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "emulator/rtl/rtl_level_wise.h"
#include "emulator/rtl/verilated_block.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {

template <class Signal>
void set_signal(Signal& signal, std::uint32_t value) {
  signal = static_cast<Signal>(value);
}

/// The ports of level_wise.sv or level_wise_pair.sv: input and output e of the block are those of the sources
/// in part e of kEngines parts of the nodes.
template <class Model, std::uint32_t kWidth>
class RtlTreePipeline final : public RtlTreeScheduler {
 public:
  RtlTreePipeline() { order_.reserve(kNodes); }

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
      set_signal(block_->valid, valid);
      set_signal(block_->source, sources);
      set_signal(block_->destination, destinations);
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
        if (i == requests.size()) throw std::logic_error("rtl: an answer without a request");
        if constexpr (kEngines == 2)
          if (bits(block_->answer_source, e, kPartBits) != requests[i].source % kPart)
            throw std::logic_error("rtl: an answer with another source");
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
  static constexpr std::uint32_t kEngines = requires(Model& m) { m.answer_source; } ? 2 : 1;
  static constexpr std::uint32_t kNodes = kWidth * kWidth * kWidth, kPart = kNodes / kEngines;
  static constexpr std::uint32_t kPortBits = std::bit_width(kWidth - 1), kNodeBits = 3 * kPortBits;
  static constexpr std::uint32_t kPartBits = kNodeBits + 1 - kEngines;
  static std::uint32_t part(Port node) { return node / kPart; }
  static std::uint32_t bits(std::uint32_t word, std::uint32_t e, std::uint32_t width) {
    return word >> (e * width) & ((1u << width) - 1);
  }
  void clock() { block_.clock(block_->clk); }

  VerilatedBlock<Model> block_;
  std::vector<std::size_t> order_;
  std::uint64_t clocks_ = 0, refused_ = 0;
};

inline constexpr std::uint32_t kRtlRouteSlots = 16;  // the parameter K of its block

/// The ports of level_wise_slots.sv, with the links of all slots.
template <class Model>
class RtlSlotRoute final : public TreeRoute {
 public:
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
    throw std::logic_error("rtl: a switch with more than 16 ports");
  }
  void use_slot(std::uint32_t slot) override { set_signal(block_->slot, slot); }
  void toggle(Connection c, const TreePath& path) override {
    block_->toggle = 1;
    set_signal(block_->given_p0, path.up[0]);
    set_signal(block_->given_p1, path.up[1]);
    command(c);
  }

 private:
  void command(Connection c) {
    set_signal(block_->source, c.source);
    set_signal(block_->destination, c.destination);
    block_->valid = 1;
    block_.clock(block_->clk);
    block_->valid = 0;
    while (block_->done == 0) block_.clock(block_->clk);
  }

  VerilatedBlock<Model> block_;
};

/// The ports of level_wise_array.sv.
template <class Model, std::uint32_t kWidth>
class RtlTreeArray final : public RtlTreeScheduler {
 public:
  RtlTreeArray() { order_.reserve(kNodes); }

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
  static constexpr std::uint32_t kPortBits = std::bit_width(kWidth - 1), kNodeBits = 3 * kPortBits;
  static constexpr std::uint32_t kSwitches = kWidth * kWidth, kNodes = kSwitches * kWidth;
  static_assert(kSwitches <= 16);

  /// The step of the hardware that schedules the request.
  static std::uint32_t step_of(Connection c) {
    const auto distance = [&](std::uint32_t unit) {
      return (c.destination / unit + kWidth - 1 - c.source / unit % kWidth) % kWidth;
    };
    return distance(kSwitches) * kWidth + distance(kWidth);
  }
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
      set_signal(block_->valid, valid);
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

  VerilatedBlock<Model> block_;
  std::vector<std::size_t> order_;
  std::uint64_t clocks_ = 0;
};

/// `Model`: the block with W = `kPorts`. `Route`: also, or void.
template <class Model, std::uint32_t kPorts, class Route = void>
struct TreeBlock {
  static constexpr std::uint32_t kWidth = kPorts;
  static constexpr bool kHasRoute = !std::is_void_v<Route>;
  static std::unique_ptr<TreeScheduler> scheduler() {
    if constexpr (requires(Model& m) { m.load; })
      return std::make_unique<RtlTreeArray<Model, kWidth>>();
    else
      return std::make_unique<RtlTreePipeline<Model, kWidth>>();
  }
  static std::unique_ptr<TreeRoute> route() {
    if constexpr (kHasRoute)
      return std::make_unique<RtlSlotRoute<Route>>();
    else
      return nullptr;
  }
};

/// `Blocks`: TreeBlocks of different widths.
template <const char* kName, class... Blocks>
class TreeBlocks final : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<TreeBlocks>(); }
  static Uses uses() { return {}; }
  std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& shape, std::uint64_t /*seed*/) const override {
    return of_width<TreeScheduler>(shape, {{Blocks::kWidth, &Blocks::scheduler}...});
  }
  std::unique_ptr<TreeRoute> tree_route(const FatTreeShape& shape, std::uint32_t slots,
                                        std::uint64_t /*seed*/) const override {
    if (!kHasRoute) return nullptr;
    if (slots > kRtlRouteSlots)
      throw UserError(fmt::format("scheduler: '{}' has {} slots, not {}", kName, kRtlRouteSlots, slots),
                      fmt::format("Use --scheduler {}: it gives the same grants.", model()));
    return of_width<TreeRoute>(shape, {{Blocks::kWidth, &Blocks::route}...});
  }
  bool schedules_fat_trees() const override { return true; }

 private:
  static constexpr bool kHasRoute = (Blocks::kHasRoute || ...);
  static std::string_view model() {
    const std::string_view model = std::string_view(kName).substr(std::string_view("rtl:").size());
    return model.substr(0, model.find('/'));
  }
  template <class Product>
  static std::unique_ptr<Product> of_width(
      const FatTreeShape& shape,
      std::initializer_list<std::pair<std::uint32_t, std::unique_ptr<Product> (*)()>> made) {
    if (shape.levels == 3 && shape.down == shape.up && !shape.turns_at_top)
      for (const auto& [width, make] : made)
        if (shape.up == width) return make();
    const std::array widths{Blocks::kWidth...};
    throw UserError(fmt::format("scheduler: '{}' schedules fattree:3,{}, not fattree:{},{},{}", kName,
                                fmt::join(widths, " or fattree:3,"), shape.levels, shape.up, shape.down),
                    fmt::format("Give one of these with --tree-turn ancestor, or --scheduler {}.", model()));
  }
};

}  // namespace hybrid
