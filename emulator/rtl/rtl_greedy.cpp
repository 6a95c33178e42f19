// `rtl:greedy`: greedy_pass.sv as a one-slot scheduler. Same toggles as `greedy`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "VGreedyPass128.h"
#include "VGreedyPass16.h"
#include "core/error.h"
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
    clear(block_->request);
    clear(block_->established);
    clear(block_->slot);
    for_each_port(in.inputs.words(), [&](Port u) {
      const std::span<const Word> open = in.open.row(u);
      std::memcpy(row(block_->request, u), open.data(), std::min(open.size_bytes(), kBytes));
    });
    for_each_port(in.slot.inputs().words(), [&](Port u) {
      const Port v = in.slot.destination_of(u);
      set(block_->slot, u, v);
      set(block_->established, u, v);
      if (!in.to_release.test(u)) set(block_->request, u, v);
    });
    block_->a = static_cast<CData>(in.priority.input);
    block_->b = static_cast<CData>(in.priority.output);
    block_.settle();
    read_toggles(in);
    return toggles_;
  }

 private:
  static constexpr std::size_t kBytes = kPorts / 8;

  template <class Bits>
  static void clear(Bits& bits) {
    std::memset(&bits, 0, sizeof(Bits));
  }
  /// The bytes of row `u` of an N x N vector. Verilator stores bit 0 first, in words of the host.
  template <class Bits>
  static unsigned char* row(Bits& bits, Port u) {
    return reinterpret_cast<unsigned char*>(&bits) + u * kBytes;
  }
  template <class Bits>
  static void set(Bits& bits, Port u, Port v) {
    row(bits, u)[v / 8] |= static_cast<unsigned char>(1U << (v % 8));
  }

  /// Rows in the order of the priority; in a row the release first.
  void read_toggles(const SchedulingPass& in) {
    toggles_.clear();
    for (Port i = 0; i < ports_; ++i) {
      const Port u = (in.priority.input + i) % ports_;
      std::array<Word, (kPorts + kWordBits - 1) / kWordBits> bits{};
      std::memcpy(bits.data(), row(block_->toggle, u), kBytes);
      if (const Port held = in.slot.destination_of(u);
          held != kNoPort && (bits[held / kWordBits] & bit_of(held)) != 0) {
        toggles_.push_back({u, held});
        bits[held / kWordBits] &= ~bit_of(held);
      }
      for_each_port(bits, [&](Port v) { toggles_.push_back({u, v}); });
    }
  }

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
    throw UserError(fmt::format("scheduler: 'rtl:greedy' has 128 ports, not {}", shape.ports),
                    "Use --scheduler greedy: it gives the same grants.");
  }
};

const SchedulerRegistration kRtlGreedy{
    "rtl:greedy", "greedy in hardware: the SL array of D 5.3.2, by Verilator", &RtlGreedyAlgorithm::make};

}  // namespace

}  // namespace hybrid
