// The optimizing scheduler of D 6.4: the greedy schedule, then augmenting paths, found by unfolding the
// graph.
//
// A search goes forward through the unfolded graph, all paths at once (D figure 6.6): XMask[1] holds the free
// inputs; an odd step goes along unsaturated edges, requests, to outputs, an even step along saturated ones,
// the schedule's connections, back to inputs. It ends at the first odd step that reaches a free output. Then
// it traces one path back, the lowest set bit of each mask (figure 6.7), and the schedule takes the path's
// unsaturated edges for its saturated ones (figure 6.5): one connection more. Searches follow each other
// until one finds nothing in K steps.
//
// K is the longest path searched for, in edges (D 6.4.1). K = 1 is the greedy schedule, since that leaves no
// path of one edge; K = 2N - 1 is exact; an even K is as K - 1. The default is the paper's K = 9, "about 99 %
// of the optimum" (D 6.6). Whatever K, at least (K + 1) / (K + 3) of the optimum, for K >= 3: matchings
// without an augmenting path of K edges have that (Hopcroft and Karp).
//
// Two differences to the printed figures, neither of which changes a schedule:
// - A mask leaves out what an earlier one had: a vertex met again lies on no shortest path.
// - The matrices F[i], which Table 6.1 counts as O(KN^2) memory, are not stored: F[i] is the request matrix
//   filtered by XMask[i], so that the K masks of N bits are enough to trace back.
//
// In the loop, connections that the slot holds and that are still requested stay, as scheduler.h asks: a
// circuit in use is not taken away to make room for two. The graph is that of this pass's free ports, the
// greedy schedule is the pass's of greedy.h with its releases; K = 1 is that, toggle for toggle. A larger K
// also takes what the SL array's wave missed beside its releases: paths of one edge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/scheduler/greedy.h"
#include "emulator/scheduler/open_requests.h"
#include "emulator/scheduler/scheduler.h"

namespace hybrid {

class MatchingScheduler final : public Scheduler {
 public:
  static constexpr std::uint32_t kSteps = 9;  // D 6.6

  explicit MatchingScheduler(const SchedulerShape& shape);
  std::span<const Connection> pass(const SchedulingPass& in) override;

  /// Searches of the last pass, the one that found nothing included: what the hardware repeats.
  std::uint64_t searches() const { return searches_; }

 private:
  void take_greedy_schedule(const SchedulingPass& in, std::span<const Connection> greedy);
  bool improve();
  void trace_back(std::size_t odd_step, Port output);
  Word* mask(std::size_t odd_step) { return masks_.data() + odd_step * words_; }

  std::size_t words_;
  std::size_t odd_steps_;  // of K
  GreedyScheduler greedy_;
  OpenRequests open_;     // the graph: the greedy schedule's edges and those it leaves
  PortSet free_inputs_;   // UnsaturatedXVertices
  PortSet free_outputs_;  // UnsaturatedYVertices
  std::vector<Port> output_of_, input_of_;
  std::vector<Word> masks_;             // XMask[1], XMask[3], ...
  std::vector<Word> reached_, unseen_;  // XMask[2], XMask[4], ..., and what none of them had
  std::vector<Connection> toggles_;
  std::uint64_t searches_ = 0;
};

}  // namespace hybrid
