// Schedulability of random permutations on fat trees: the points of a figure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/claims/claim.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

/// granted / requested over some permutations.
struct Schedulability {
  double mean = 0, min = 1, max = 0;
};

class TreePoints {
 public:
  /// Returns the point's number. `permutations` > 0 of the tree's nodes are drawn, the same for every
  /// algorithm: permutation i from seed + i; an algorithm that draws does so from scheduler_seed(seed + i).
  std::size_t add(const FatTreeShape& shape, const std::string& algorithm, unsigned permutations);
  /// Runs all points, each schedule checked independently. Throws what a run throws, and RunError for what is
  /// no schedule.
  void run(const ClaimContext& context);
  const Schedulability& at(std::size_t point) const { return results_[point]; }

 private:
  struct Point {
    FatTreeShape shape;
    std::string algorithm;
    unsigned permutations = 1;
  };
  std::vector<Point> points_;
  std::vector<Schedulability> results_;
};

/// Symmetric trees of `levels` levels, one for each of these numbers of ports.
std::vector<FatTreeShape> symmetric_trees(std::uint32_t levels, const std::vector<std::uint32_t>& ports);

}  // namespace hybrid
