// Eclipse (Bojja Venkatakrishnan, Alizadeh and Viswanath, "Costly circuits, submodular schedules and
// approximate Caratheodory theorems", SIGMETRICS 2016): greedily takes the configuration M and the time a
// that carry the most in the time that they cost,
//
//   maximise  sum over M of min(a, demand left)  /  (a + reconfiguration)
//
// For a given a this is a maximum weight matching. Between the values of two entries the quotient is monotone
// in a, so that only the entries of the matrix need to be tried as a. The paper searches by bisection of the
// sorted entries. Here entries about a factor of the square root of two apart are tried first, then the range
// between the neighbours of the best one is bisected. A cheap upper bound (the largest entry of each row and
// each column) saves most matchings.
//
// The paper fills a given window; here the greedy choice is repeated until the demand is drained.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/demand_matrix.h"
#include "emulator/scheduler/weighted_matching.h"

namespace hybrid {
namespace {

class EclipseRun {
 public:
  explicit EclipseRun(const DemandProblem& problem)
      : problem_(problem),
        entries_(demand_entries(problem)),
        schedule_(problem, entries_),
        row_(problem.set.ports),
        column_(problem.set.ports) {}

  std::vector<TimedConfiguration> drain() {
    while (!schedule_.done()) add_configuration();
    return schedule_.take_schedule();
  }

 private:
  struct Choice {
    double rate = 0;  // carried per time
    std::int64_t time = 0;
    std::vector<std::size_t> members;
  };

  void add_configuration() {
    waiting_.clear();
    connections_.clear();
    values_.clear();
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].left > 0) {
        waiting_.push_back(i);
        connections_.push_back(entries_[i].connection);
        values_.push_back(entries_[i].left);
      }
    std::sort(values_.begin(), values_.end());
    values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
    WeightedMatching matching(connections_, problem_.set.ports, 1);

    std::vector<std::size_t> tried;  // positions in values_, descending
    for (std::size_t k = values_.size(); k > 0;) {
      tried.push_back(--k);
      const double next = static_cast<double>(values_[k]) / 1.41421356237;
      while (k > 0 && static_cast<double>(values_[k - 1]) > next) --k;
    }
    Choice best;
    std::size_t at = 0;
    for (std::size_t t = 0; t < tried.size(); ++t)
      if (consider(values_[tried[t]], matching, best)) at = t;
    // Bisect between the neighbours of the best position, both ends exclusive.
    const auto position = [&](std::size_t t) { return static_cast<std::ptrdiff_t>(tried[t]); };
    std::ptrdiff_t low = at + 1 < tried.size() ? position(at + 1) : -1;
    std::ptrdiff_t high = at > 0 ? position(at - 1) : static_cast<std::ptrdiff_t>(values_.size());
    std::ptrdiff_t centre = position(at);
    while (high - low > 2) {
      const std::ptrdiff_t below = centre - (centre - low) / 2, above = centre + (high - centre) / 2;
      const auto better = [&](std::ptrdiff_t k) {
        return k != centre && consider(values_[static_cast<std::size_t>(k)], matching, best);
      };
      if (better(below)) {
        high = std::exchange(centre, below);
      } else if (better(above)) {
        low = std::exchange(centre, above);
      } else {
        if (below != centre) low = below;
        if (above != centre) high = above;
      }
    }
    // If all members have more left, a longer time is no worse; so each configuration drains at least one
    // entry.
    std::int64_t least = entries_[best.members.front()].left;
    for (const std::size_t m : best.members) least = std::min(least, entries_[m].left);
    best.time = std::max(best.time, least);
    schedule_.hold(best.members, best.time);
  }

  /// Updates `best` with the matching for `time` if that carries more per time. Returns whether it does.
  bool consider(std::int64_t time, WeightedMatching& matching, Choice& best) {
    const double cost = static_cast<double>(time) + static_cast<double>(problem_.reconfiguration.ps);
    std::fill(row_.begin(), row_.end(), 0);
    std::fill(column_.begin(), column_.end(), 0);
    int shift = 0;  // weights too large for exact sums lose their last bits
    while (time >> shift > matching.largest_weight()) ++shift;
    weights_.resize(waiting_.size());
    for (std::size_t k = 0; k < waiting_.size(); ++k) {
      const DemandEntry& e = entries_[waiting_[k]];
      const std::int64_t weight = std::min(time, e.left);
      weights_[k] = weight >> shift;
      row_[e.connection.source] = std::max(row_[e.connection.source], weight);
      column_[e.connection.destination] = std::max(column_[e.connection.destination], weight);
    }
    double rows = 0, columns = 0;
    for (const std::int64_t r : row_) rows += static_cast<double>(r);
    for (const std::int64_t c : column_) columns += static_cast<double>(c);
    if (std::min(rows, columns) / cost <= best.rate) return false;
    matching.solve(weights_);
    double carried = 0;
    for (std::size_t k = 0; k < waiting_.size(); ++k)
      if (matching.chosen(k)) carried += static_cast<double>(std::min(time, entries_[waiting_[k]].left));
    if (carried / cost <= best.rate) return false;
    best.rate = carried / cost;
    best.time = time;
    best.members.clear();
    for (std::size_t k = 0; k < waiting_.size(); ++k)
      if (matching.chosen(k)) best.members.push_back(waiting_[k]);
    return true;
  }

  const DemandProblem& problem_;
  std::vector<DemandEntry> entries_;
  DrainBuilder schedule_;
  std::vector<std::size_t> waiting_;  // entries with something left
  std::vector<Connection> connections_;
  std::vector<std::int64_t> values_, weights_, row_, column_;
};

std::vector<TimedConfiguration> drain_by_eclipse(const DemandProblem& problem) {
  return EclipseRun(problem).drain();
}

const SchedulerRegistration kEclipse{
    "eclipse", "demand by the configuration that carries most for its time, greedily (submodular, 2016)",
    &DemandAlgorithm<drain_by_eclipse>::make};

}  // namespace
}  // namespace hybrid
