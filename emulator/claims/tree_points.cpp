#include "emulator/claims/tree_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "emulator/claims/sweep.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/schedule_check.h"

namespace hybrid {

namespace {

std::vector<Connection> random_permutation(std::uint32_t nodes, std::uint64_t seed) {
  Random random(seed);
  std::vector<Connection> set(nodes);
  for (Port p = 0; p < nodes; ++p) set[p] = {p, p};
  for (Port p = nodes; p > 1; --p) std::swap(set[p - 1].destination, set[random.below(p)].destination);
  return set;
}

/// Throws RunError if the independent checker rejects the schedule.
void require_sound(const FatTreeShape& shape, const std::string& algorithm, std::span<const Connection> set,
                   std::span<const TreePath> paths, std::size_t granted) {
  std::string fault = fault_of(shape, set, paths);
  const auto found = static_cast<std::size_t>(
      std::count_if(paths.begin(), paths.end(), [](const TreePath& path) { return path.granted; }));
  if (fault.empty() && found != granted)
    fault = fmt::format("{} grants reported, but {} paths granted", granted, found);
  if (!fault.empty())
    throw RunError(fmt::format("scheduler {} on {} returned an invalid schedule: {}", algorithm,
                               to_string(shape), fault));
}

}  // namespace

std::size_t TreePoints::add(const FatTreeShape& shape, const std::string& algorithm, unsigned permutations) {
  points_.push_back({shape, algorithm, permutations});
  return points_.size() - 1;
}

void TreePoints::run(const ClaimContext& context) {
  struct Run {
    std::size_t point;
    unsigned permutation;
  };
  std::vector<Run> runs;
  for (std::size_t p = 0; p < points_.size(); ++p)
    for (unsigned i = 0; i < points_[p].permutations; ++i) runs.push_back({p, i});
  std::vector<double> ratios(runs.size());
  run_jobs(context, runs.size(), [&](std::size_t r) {
    Point point = points_[runs[r].point];
    point.shape.turns_at_top = context.model.dissertation;
    const std::uint64_t seed = context.seed + runs[r].permutation;
    const auto set = random_permutation(FatTree(point.shape).nodes(), seed);
    std::vector<TreePath> paths(set.size());
    const auto scheduler =
        SchedulerRegistration::make(point.algorithm)->fat_tree(point.shape, scheduler_seed(seed));
    const std::size_t granted = scheduler->schedule(set, paths);
    require_sound(point.shape, point.algorithm, set, paths, granted);
    ratios[r] = static_cast<double>(granted) / static_cast<double>(set.size());
  });
  results_.clear();
  auto ratio = ratios.cbegin();
  for (const Point& point : points_) {
    const std::vector<double> of_point(ratio, ratio + point.permutations);
    ratio += point.permutations;
    const auto [min, max] = std::minmax_element(of_point.begin(), of_point.end());
    const Estimate mean = estimate(of_point);
    results_.push_back({mean.mean, *min, *max, mean.half});
  }
}

std::vector<FatTreeShape> symmetric_trees(std::uint32_t levels, const std::vector<std::uint32_t>& ports) {
  std::vector<FatTreeShape> shapes;
  shapes.reserve(ports.size());
  for (const std::uint32_t w : ports) shapes.push_back({levels, w, w});
  return shapes;
}

}  // namespace hybrid
