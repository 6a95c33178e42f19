// Schedulability of random permutations on fat trees, for the points of a figure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/claims/claim.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

/// Ratio granted / requested over a number of permutations.
struct Schedulability {
  double mean = 0, min = 1, max = 0;
  double half = 0;  // of the 95 % confidence interval of the mean; 0 for one permutation
};

class TreePoints {
 public:
  /// Adds a point and returns its number. Draws `permutations` > 0 permutations of the tree's nodes, the same
  /// for every algorithm: permutation i has seed + i. A randomised algorithm has scheduler_seed(seed + i).
  std::size_t add(const FatTreeShape& shape, const std::string& algorithm, unsigned permutations);
  /// Runs all points and checks each schedule independently. Throws RunError for an invalid schedule, and
  /// rethrows exceptions of the scheduler.
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

/// Returns symmetric trees of `levels` levels, one for each number of ports.
std::vector<FatTreeShape> symmetric_trees(std::uint32_t levels, const std::vector<std::uint32_t>& ports);

}  // namespace hybrid
