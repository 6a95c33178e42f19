// Test helper: request sets for fat trees, and a run of an algorithm on one.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/tree_scheduler.h"

namespace hybrid::tree_test {

using Set = std::vector<Connection>;

inline std::unique_ptr<TreeScheduler> tree_scheduler(std::string_view name, const FatTreeShape& shape,
                                                     std::uint64_t seed = 1) {
  return SchedulerRegistration::make(name)->fat_tree(shape, seed);
}

struct Schedule {
  std::size_t granted = 0;
  std::vector<TreePath> paths;
  bool operator==(const Schedule&) const = default;
};

inline Schedule run(TreeScheduler& scheduler, const Set& set) {
  Schedule s;
  s.paths.resize(set.size());
  s.granted = scheduler.schedule(set, s.paths);
  for (TreePath& path : s.paths)
    if (!path.granted) path = {};
  return s;
}

inline Set random_permutation(std::uint32_t nodes, Random& random) {
  Set set(nodes);
  for (Port p = 0; p < nodes; ++p) set[p] = {p, p};
  for (Port p = nodes; p > 1; --p) std::swap(set[p - 1].destination, set[random.below(p)].destination);
  return set;
}

/// Permutations, whole and in part; sets in which requests share nodes; the empty set.
inline std::vector<Set> request_sets(const FatTreeShape& shape, std::uint64_t seed) {
  const FatTree tree(shape);
  const std::uint32_t n = tree.nodes(), m = shape.down;
  Random random(seed);
  const auto any = [&] { return static_cast<Port>(random.below(n)); };
  std::vector<Set> sets{{}};
  sets.push_back(random_permutation(n, random));
  Set shuffled = random_permutation(n, random);
  for (std::size_t i = n; i > 1; --i) std::swap(shuffled[i - 1], shuffled[random.below(i)]);
  sets.push_back(shuffled);
  shuffled.resize(n / 2 + 1);
  sets.push_back(shuffled);
  Set uniform, from_one, to_one, to_one_leaf, same, itself, twice;
  for (std::uint32_t i = 0; i < 2 * n; ++i) uniform.push_back({any(), any()});
  for (Port p = 0; p < n; ++p) {
    from_one.push_back({0, p});
    to_one.push_back({n - 1 - p, 0});
    to_one_leaf.push_back({p, static_cast<Port>(random.below(m))});
    same.push_back({n - 1, n / 2});
    itself.push_back({p, p});
  }
  for (Port p = 0; p < n; ++p) twice.insert(twice.end(), 2, {p, (p + 1) % n});
  for (Set* set : {&uniform, &from_one, &to_one, &to_one_leaf, &same, &itself, &twice}) sets.push_back(*set);
  // Exchanges of whole leaves, with the nodes in order and reversed; the reversal; a shift by half.
  Set leaves, against, reversed, half;
  for (Port p = 0; p < n; ++p) {
    const std::uint32_t leaf = n / m - 1 - p / m;
    leaves.push_back({p, leaf * m + p % m});
    against.push_back({p, leaf * m + m - 1 - p % m});
    reversed.push_back({p, n - 1 - p});
    half.push_back({p, (p + n / 2) % n});
  }
  for (Set* set : {&leaves, &against, &reversed, &half}) sets.push_back(*set);
  return sets;
}

}  // namespace hybrid::tree_test
