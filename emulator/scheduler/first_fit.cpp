// First-fit greedy (D 3.4.2): "starts to perform scheduling from the first time slot ... If failed, ... will
// try the next time slot until either the request is successfully scheduled or the scheduler reaches the last
// time slot". Requests are processed in the given order; any set needs at most 2 F - 1 slots, where F is the
// smallest possible number.
//
// On a fat tree: into the first slot with a free path (fit_tree_slots).
//
// The busy slots of a port are words: the first slot in which both ports are free is the lowest 0 of their
// union.
#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/slot_fitter.h"
#include "emulator/scheduler/tree_slots.h"

namespace hybrid {
namespace {

/// The slots in which each port is busy.
class BusySlots {
 public:
  explicit BusySlots(std::uint32_t ports) : ports_(ports), words_(ports) {}

  /// Returns the first slot in which neither port is busy; all slots beyond the last word are free.
  static std::uint32_t first_free(const BusySlots& a, Port p, const BusySlots& b, Port q) {
    const Word* of_p = &a.words_[p * a.stride_];
    const Word* of_q = &b.words_[q * b.stride_];
    for (std::size_t w = 0; w < a.stride_; ++w)
      if (const Word free = ~(of_p[w] | of_q[w]); free != 0)
        return static_cast<std::uint32_t>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(free)));
    return static_cast<std::uint32_t>(a.stride_ * kWordBits);
  }
  void set(Port p, std::uint32_t slot) { words_[p * stride_ + slot / kWordBits] |= bit_of(slot); }
  /// Doubles the number of slots.
  void widen() {
    std::vector<Word> wider(2 * words_.size());
    for (std::size_t p = 0; p < ports_; ++p)
      std::copy_n(&words_[p * stride_], stride_, &wider[p * 2 * stride_]);
    words_ = std::move(wider);
    stride_ *= 2;
  }
  std::size_t room() const { return stride_ * kWordBits; }

 private:
  std::size_t ports_, stride_ = 1;
  std::vector<Word> words_;
};

class FirstFit final : public SlotFitter {
 public:
  SlotFit fit(const SlotProblem& problem) override {
    FixedSlots fixed = take_fixed(problem);
    const auto first = static_cast<std::uint32_t>(problem.fixed.size());
    BusySlots inputs(problem.set.ports), outputs(problem.set.ports);
    std::uint32_t used = 0;
    for (const std::size_t i : fixed.rest) {
      const Connection c = problem.set.requests[i].connection;
      const std::uint32_t slot = BusySlots::first_free(inputs, c.source, outputs, c.destination);
      if (slot >= fixed.slots_left) continue;
      if (slot >= inputs.room()) {
        inputs.widen();
        outputs.widen();
      }
      inputs.set(c.source, slot);
      outputs.set(c.destination, slot);
      used = std::max(used, slot + 1);
      fixed.fit.slot_of[i] = first + slot;
    }
    fixed.fit.slots = first + used;
    return std::move(fixed.fit);
  }
};

class FirstFitOfTree final : public TreeSlotFitter {
 public:
  explicit FirstFitOfTree(const FatTreeShape& shape) : shape_(shape) {}
  TreeSlotFit fit(const RequestSet& set, std::uint32_t slots) override {
    return fit_tree_slots(shape_, set, slots);
  }

 private:
  FatTreeShape shape_;
};

class FirstFitAlgorithm final : public SchedulingAlgorithm {
 public:
  std::unique_ptr<SlotFitter> slot_fitter() const override { return std::make_unique<FirstFit>(); }
  std::unique_ptr<TreeSlotFitter> tree_slot_fitter(const FatTreeShape& shape) const override {
    return std::make_unique<FirstFitOfTree>(shape);
  }
  bool fits_tree_slots() const override { return true; }
};

const SchedulerRegistration kFirstFit{
    "first-fit", "each request into the first slot with both ports, or a path of a tree, free (D 3.4.2)",
    []() -> std::unique_ptr<SchedulingAlgorithm> { return std::make_unique<FirstFitAlgorithm>(); }};

}  // namespace
}  // namespace hybrid
