// As many as can be: a maximum matching of the nodes where requests share some, then recursive edge colouring
// without a bound on moves (tree_colouring.h). With m <= w that grants every request of the matching, and no
// schedule grants more; every permutation fits whole.
//
// With m > w links are short of nodes, and this is a heuristic: the best of edge colouring (each level
// grants, in the order given, whatever both switches have a port left for), `level-wise`,
// `level-wise-request` and `level-wise-rearranged`; then each refused request, in order, gets the path that
// is still free, if one is (tree_circuits.h). So it is never below these, but another choice of connections
// may be larger.
//
// In slots: with m <= w the slots are those of a crossbar, each of which is a partial permutation and fits
// whole. So `edge-colouring` decides, and is exact: the maximum degree is the fewest slots. With m > w the
// better of slot by slot and first fit.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/node_matching.h"
#include "emulator/scheduler/slot_fitter.h"
#include "emulator/scheduler/tree_circuits.h"
#include "emulator/scheduler/tree_colouring.h"
#include "emulator/scheduler/tree_slot_by_slot.h"
#include "emulator/scheduler/tree_slots.h"

namespace hybrid {
namespace {

/// Whether every permutation fits whole.
bool has_enough_links(const FatTreeShape& shape) { return shape.down <= shape.up || shape.levels == 1; }

/// What is tried beside edge colouring on trees with m > w, and what makes their schedules maximal.
class NarrowTree {
 public:
  NarrowTree(const FatTreeShape& shape, std::uint64_t seed) : circuits_(shape) {
    for (std::size_t r = 0; r < rivals_.size(); ++r)
      rivals_[r] = SchedulerRegistration::make(kRivals[r])->fat_tree(shape, seed);
    for (auto* paths : {&best_, &other_}) paths->resize(circuits_.tree().nodes());
  }

  /// The best of `paths`, with `granted` of them, and the rivals', and what still fits.
  std::size_t improve(std::span<const Connection> requests, std::span<TreePath> paths, std::size_t granted) {
    if (other_.size() < requests.size()) other_.resize(requests.size());
    const std::span<TreePath> other(other_.data(), requests.size());
    for (const auto& rival : rivals_)
      if (const std::size_t rivals = rival->schedule(requests, other); rivals > granted) {
        granted = rivals;
        std::copy(other.begin(), other.end(), paths.begin());
      }
    if (granted == requests.size()) return granted;
    circuits_.clear();
    for (std::size_t i = 0; i < requests.size(); ++i)
      if (paths[i].granted) circuits_.hold(requests[i], paths[i]);
    for (std::size_t i = 0; i < requests.size(); ++i)
      if (!paths[i].granted && !circuits_.holds(requests[i])) {
        paths[i] = circuits_.request(requests[i]);
        granted += paths[i].granted;
      }
    return granted;
  }

  /// A second schedule to choose from; its `best` is kept in `paths`.
  std::span<TreePath> spare(std::size_t requests) {
    if (best_.size() < requests) best_.resize(requests);
    return {best_.data(), requests};
  }

 private:
  static constexpr std::array<std::string_view, 3> kRivals{"level-wise", "level-wise-request",
                                                           "level-wise-rearranged"};
  std::array<std::unique_ptr<TreeScheduler>, kRivals.size()> rivals_;
  TreeCircuits circuits_;
  std::vector<TreePath> best_, other_;
};

class Optimal final : public TreeScheduler {
 public:
  Optimal(const FatTree& tree, std::uint64_t seed)
      : colouring_(make_tree_colouring(tree, kAnyMoves)), matching_(tree.nodes()) {
    if (!has_enough_links(tree.shape())) narrow_.emplace(tree.shape(), seed);
  }

  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    std::size_t granted = colouring_->schedule(requests, paths);
    if (!narrow_) {
      if (!colouring_->nodes_were_shared()) return granted;
      return colouring_->schedule(requests, paths, matching_.match(requests));
    }
    if (colouring_->nodes_were_shared()) {
      const std::span<TreePath> spare = narrow_->spare(requests.size());
      if (const std::size_t of_matching = colouring_->schedule(requests, spare, matching_.match(requests));
          of_matching > granted) {
        granted = of_matching;
        std::copy(spare.begin(), spare.end(), paths.begin());
      }
    }
    return narrow_->improve(requests, paths, granted);
  }

 private:
  std::unique_ptr<TreeColouring> colouring_;
  NodeMatching matching_;
  std::optional<NarrowTree> narrow_;
};

class OptimalInSlots final : public TreeSlotFitter {
 public:
  OptimalInSlots(const FatTreeShape& shape, std::unique_ptr<TreeScheduler> scheduler)
      : shape_(shape), scheduler_(std::move(scheduler)) {}

  TreeSlotFit fit(const RequestSet& set, std::uint32_t slots) override {
    check_tree_requests(set, FatTree(shape_).nodes());
    return has_enough_links(shape_) ? exactly(set, slots) : as_well_as_can_be(set, slots);
  }

 private:
  TreeSlotFit exactly(const RequestSet& set, std::uint32_t slots) {
    const SlotFit crossbar =
        SchedulerRegistration::make("edge-colouring")->slot_fitter()->fit({set, slots, {}});
    TreeSlotFit fit{crossbar.slots, crossbar.slot_of, std::vector<TreePath>(set.requests.size())};
    std::vector<std::vector<std::size_t>> in_slot(fit.slots);
    for (std::size_t i = 0; i < set.requests.size(); ++i)
      if (fit.slot_of[i] != kNoSlot) in_slot[fit.slot_of[i]].push_back(i);
    std::vector<Connection> connections;
    std::vector<TreePath> paths;
    for (const auto& members : in_slot) {
      connections.clear();
      for (const std::size_t i : members) connections.push_back(set.requests[i].connection);
      paths.resize(members.size());
      if (scheduler_->schedule(connections, paths) != members.size())
        throw std::logic_error("a partial permutation does not fit into a tree with m <= w");
      for (std::size_t k = 0; k < members.size(); ++k) fit.path_of[members[k]] = paths[k];
    }
    return fit;
  }

  TreeSlotFit as_well_as_can_be(const RequestSet& set, std::uint32_t slots) {
    TreeSlotFit first = fit_tree_slots(shape_, set, slots);
    TreeSlotFit other = fit_slot_by_slot(*scheduler_, set, slots);
    const Bytes of_first = served(set, first), of_other = served(set, other);
    if (of_first != of_other) return of_first > of_other ? std::move(first) : std::move(other);
    return first.slots <= other.slots ? std::move(first) : std::move(other);
  }

  static Bytes served(const RequestSet& set, const TreeSlotFit& fit) {
    Bytes bytes = 0;
    for (std::size_t i = 0; i < set.requests.size(); ++i)
      if (fit.slot_of[i] != kNoSlot) bytes += std::max<Bytes>(set.requests[i].bytes, 1);
    return bytes;
  }

  FatTreeShape shape_;
  std::unique_ptr<TreeScheduler> scheduler_;
};

class OptimalAlgorithm final : public SchedulingAlgorithm {
 public:
  std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& shape, std::uint64_t seed) const override {
    return std::make_unique<Optimal>(FatTree(shape), seed);
  }
  bool schedules_fat_trees() const override { return true; }
  std::unique_ptr<TreeSlotFitter> tree_slot_fitter(const FatTreeShape& shape) const override {
    return std::make_unique<OptimalInSlots>(shape, fat_tree(shape, 0));
  }
  bool fits_tree_slots() const override { return true; }
};

const SchedulerRegistration kOptimal{
    "optimal", "fat tree: recursive edge colouring; exact where M <= W, beyond that a heuristic",
    []() -> std::unique_ptr<SchedulingAlgorithm> { return std::make_unique<OptimalAlgorithm>(); }};

}  // namespace
}  // namespace hybrid
