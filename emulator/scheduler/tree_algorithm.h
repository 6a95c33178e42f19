// An algorithm that is its fat-tree scheduler, in the width that the tree's switches need.
#pragma once

#include <cstdint>
#include <memory>

#include "core/port_set.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {

/// `OnTree<k>` is a TreeScheduler for switches of up to k words of ports up (0: any), made from a FatTree and
/// a seed.
template <template <std::size_t> class OnTree, bool kDraws = false>
class TreeAlgorithm : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<TreeAlgorithm>(); }
  std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& shape, std::uint64_t seed) const override {
    const FatTree tree(shape);
    if (shape.up <= kWordBits) return std::make_unique<OnTree<1>>(tree, seed);
    return std::make_unique<OnTree<0>>(tree, seed);
  }
  bool schedules_fat_trees() const override { return true; }
  bool draws() const override { return kDraws; }
};

}  // namespace hybrid
