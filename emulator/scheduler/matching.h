// The optimizing scheduler of D 6.4: the greedy schedule, then augmenting paths, found by unfolding the
// graph.
//
// A search proceeds forward through the unfolded graph, all paths at once (D figure 6.6). XMask[1] holds the
// free inputs; an odd step follows unsaturated edges, requests, to outputs, an even step follows saturated
// edges, connections of the schedule, back to inputs. It ends at the first odd step that reaches a free
// output. Then it traces one path back, by the lowest set bit of each mask (figure 6.7), and the schedule
// exchanges the path's saturated edges for its unsaturated ones (figure 6.5): one connection more. Searches
// are repeated until one finds nothing in K steps.
//
// K is the length of the longest path in the search, in edges (D 6.4.1). K = 1 is the greedy schedule, since
// that leaves no path of one edge; K = 2N - 1 is exact; an even K is equivalent to K - 1. The default is the
// paper's K = 9, "about 99 % of the optimum" (D 6.6). For K >= 3 the schedule has at least (K + 1) / (K + 3)
// of the optimum, as every matching without an augmenting path of K edges (Hopcroft and Karp).
//
// Two differences to the printed figures; neither changes a schedule:
// - A mask leaves out the vertices of earlier masks: such a vertex lies on no shortest path.
// - The matrices F[i], which Table 6.1 counts as O(KN^2) memory, are not stored: F[i] is the request matrix
//   filtered by XMask[i], so that the K masks of N bits are enough to trace back.
//
// In the loop, connections that the slot holds and that are still requested stay, as scheduler.h requires: a
// circuit in use is not removed to make room for two. The graph is that of this pass's free ports, and the
// greedy schedule is that of greedy.h with its releases; K = 1 gives the same toggles. A larger K also
// establishes the connections that the SL array's wave missed because of its releases: paths of one edge.
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

  /// Number of searches of the last pass, including the one that found nothing: what the hardware repeats.
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
  std::vector<Word> reached_, unseen_;  // XMask[2], XMask[4], ..., and the vertices in none of them
  std::vector<Connection> toggles_;
  std::uint64_t searches_ = 0;
};

}  // namespace hybrid
