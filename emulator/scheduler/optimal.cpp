// The largest number of grants on a fat tree: if requests share nodes, a maximum matching of the nodes; then
// recursive edge colouring without a limit on moves (tree_colouring.h). With m <= w this grants every request
// of the matching, and no schedule grants more; every permutation is granted whole.
//
// With m > w there are fewer links than nodes, and this is a heuristic. It takes the best of edge colouring
// (each level grants, in the given order, every request for which both switches have a port left),
// `level-wise`, `level-wise-request` and `level-wise-rearranged`. Then each refused request, in order, gets a
// path if one is still free (tree_circuits.h). So it never grants less than these, but another choice of
// connections may be larger.
//
// In slots: with m <= w the slots are those of a crossbar; each is a partial permutation and is granted
// whole. So `edge-colouring` chooses the slots, and the result is exact: the maximum degree is the smallest
// number of slots. With m > w the better one of slot by slot and first fit is taken.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "core/connection.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/slot_fitter.h"
#include "emulator/scheduler/tree_circuits.h"
#include "emulator/scheduler/tree_colouring.h"
#include "emulator/scheduler/tree_slots.h"

namespace hybrid {

namespace {

constexpr std::uint32_t kNoRequest = ~std::uint32_t{0};  // no request

/// Selects requests such that each node sends and receives at most once, as many as possible (a maximum
/// matching, by Hopcroft and Karp).
class NodeMatching {
 public:
  explicit NodeMatching(std::uint32_t nodes);

  /// Returns for each request 1 if it is selected, else 0; valid until the next call. Of several equally
  /// large selections, the earlier requests are preferred. Allocates only if there are more requests than
  /// ever before (at first: than nodes).
  std::span<const std::uint8_t> match(std::span<const Connection> requests);

 private:
  bool find_levels();
  void augment_from(Port source);
  Port source(std::uint32_t request) const { return requests_[request].source; }
  Port destination(std::uint32_t request) const { return requests_[request].destination; }

  std::span<const Connection> requests_;
  std::vector<std::uint32_t> first_, next_;                // requests by source, as linked lists
  std::vector<std::uint32_t> of_source_, of_destination_;  // the selected request of a node
  std::vector<std::uint32_t> level_, trying_;              // by source, in this phase
  std::vector<Port> queue_;
  std::vector<std::uint8_t> taken_;
};

NodeMatching::NodeMatching(std::uint32_t nodes)
    : first_(nodes),
      next_(nodes),
      of_source_(nodes),
      of_destination_(nodes),
      level_(nodes),
      trying_(nodes),
      queue_(nodes),
      taken_(nodes) {}

std::span<const std::uint8_t> NodeMatching::match(std::span<const Connection> requests) {
  requests_ = requests;
  if (next_.size() < requests.size()) {
    next_.resize(requests.size());
    taken_.resize(requests.size());
  }
  for (auto* all : {&first_, &of_source_, &of_destination_}) std::fill(all->begin(), all->end(), kNoRequest);
  for (auto i = static_cast<std::uint32_t>(requests.size()); i-- > 0;) {
    next_[i] = first_[source(i)];
    first_[source(i)] = i;
  }
  for (std::uint32_t i = 0; i < requests.size(); ++i)
    if (of_source_[source(i)] == kNoRequest && of_destination_[destination(i)] == kNoRequest)
      of_source_[source(i)] = of_destination_[destination(i)] = i;
  while (find_levels()) {
    trying_ = first_;
    for (Port s = 0; s < first_.size(); ++s)
      if (of_source_[s] == kNoRequest) augment_from(s);
  }
  std::fill(taken_.begin(), taken_.end(), std::uint8_t{0});
  for (const std::uint32_t request : of_source_)
    if (request != kNoRequest) taken_[request] = 1;
  return {taken_.data(), requests.size()};
}

/// Computes the distance of each source from a source without a selected request, forward along unselected
/// requests and back along selected ones. Returns false if no free destination can be reached.
bool NodeMatching::find_levels() {
  std::size_t end = 0;
  for (Port s = 0; s < first_.size(); ++s) {
    const bool starts = of_source_[s] == kNoRequest && first_[s] != kNoRequest;
    level_[s] = starts ? 0 : kNoRequest;
    if (starts) queue_[end++] = s;
  }
  bool found = false;
  for (std::size_t at = 0; at < end; ++at)
    for (std::uint32_t r = first_[queue_[at]]; r != kNoRequest; r = next_[r]) {
      const std::uint32_t there = of_destination_[destination(r)];
      if (there == kNoRequest) {
        found = true;
      } else if (level_[source(there)] == kNoRequest) {
        level_[source(there)] = level_[queue_[at]] + 1;
        queue_[end++] = source(there);
      }
    }
  return found;
}

/// Follows the levels to a free destination and exchanges selected and unselected requests along the path;
/// each source is used once per phase.
void NodeMatching::augment_from(Port start) {
  std::vector<Port>& path = queue_;
  std::size_t depth = 0;
  path[depth++] = start;
  while (depth != 0) {
    const Port s = path[depth - 1];
    const std::uint32_t r = level_[s] == kNoRequest ? kNoRequest : trying_[s];
    if (r == kNoRequest) {
      level_[s] = kNoRequest;
      if (--depth != 0) trying_[path[depth - 1]] = next_[trying_[path[depth - 1]]];
      continue;
    }
    const std::uint32_t there = of_destination_[destination(r)];
    if (there == kNoRequest) {
      for (; depth != 0; --depth) {
        const Port source_on_path = path[depth - 1];
        of_source_[source_on_path] = trying_[source_on_path];
        of_destination_[destination(trying_[source_on_path])] = trying_[source_on_path];
        level_[source_on_path] = kNoRequest;
      }
      return;
    }
    if (level_[source(there)] == level_[s] + 1) {
      path[depth++] = source(there);
    } else {
      trying_[s] = next_[r];
    }
  }
}

/// Whether every permutation can be granted whole.
bool has_enough_links(const FatTreeShape& shape) { return shape.down <= shape.up || shape.levels == 1; }

/// Improves the schedules of trees with m > w: tries other schedulers and makes the schedule maximal.
class NarrowTree {
 public:
  NarrowTree(const FatTreeShape& shape, std::uint64_t seed) : circuits_(shape) {
    for (std::size_t r = 0; r < alternatives_.size(); ++r)
      alternatives_[r] = SchedulerRegistration::make(kAlternatives[r])->fat_tree(shape, seed);
    for (auto* paths : {&best_, &other_}) paths->resize(circuits_.tree().nodes());
  }

  /// Sets `paths`, of which `granted` are granted, to the best schedule of `paths` and the alternatives; then
  /// grants what still fits. Returns the number of grants.
  std::size_t improve(std::span<const Connection> requests, std::span<TreePath> paths, std::size_t granted) {
    if (other_.size() < requests.size()) other_.resize(requests.size());
    const std::span<TreePath> other(other_.data(), requests.size());
    for (const auto& alternative : alternatives_)
      if (const std::size_t alternative_granted = alternative->schedule(requests, other);
          alternative_granted > granted) {
        granted = alternative_granted;
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

  /// Storage for a second schedule.
  std::span<TreePath> spare(std::size_t requests) {
    if (best_.size() < requests) best_.resize(requests);
    return {best_.data(), requests};
  }

 private:
  static constexpr std::array<std::string_view, 3> kAlternatives{"level-wise", "level-wise-request",
                                                                 "level-wise-rearranged"};
  std::array<std::unique_ptr<TreeScheduler>, kAlternatives.size()> alternatives_;
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
    return has_enough_links(shape_) ? fit_exactly(set, slots) : fit_heuristically(set, slots);
  }

 private:
  TreeSlotFit fit_exactly(const RequestSet& set, std::uint32_t slots) {
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

  TreeSlotFit fit_heuristically(const RequestSet& set, std::uint32_t slots) {
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
