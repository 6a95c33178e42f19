// An algorithm that is its fat-tree scheduler, in the width that the tree's switches need.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "core/port_set.h"
#include "core/random.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {

/// `OnTree<k>` is a TreeScheduler for switches of up to k words of ports up (0: any), made from a FatTree and
/// a seed. `Rule` is how it finds one circuit's path in the loop, made from a seed where it draws; void: it
/// cannot.
template <template <std::size_t> class OnTree, bool kDraws = false, class Rule = void>
class TreeAlgorithm : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<TreeAlgorithm>(); }
  std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& shape, std::uint64_t seed) const override {
    const FatTree tree(shape);
    if (shape.up <= kWordBits) return std::make_unique<OnTree<1>>(tree, seed);
    return std::make_unique<OnTree<0>>(tree, seed);
  }
  std::unique_ptr<TreeRoute> tree_route(std::uint64_t seed) const override {
    if constexpr (std::is_void_v<Rule>)
      return nullptr;
    else if constexpr (kDraws)
      return tree_route_by(Rule{Random(seed)});
    else
      return tree_route_by(Rule{});
  }
  bool schedules_fat_trees() const override { return true; }
  bool draws() const override { return kDraws; }
};

}  // namespace hybrid
