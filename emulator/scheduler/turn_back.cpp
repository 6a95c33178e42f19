// Turn back when possible, TBWP (Kariniemi and Nurmi; L 1, D 7.1): local and random as `local-random`, but
// the top switches are connected to each other. A request that is blocked on its path down continues upward
// to the top, crosses to another top switch, and tries the path down from there.
//
// The papers do not specify how the top switches are connected. Here their unused ports up connect them
// (FatTree::across): from each top switch to those that another P_0 reaches, so that the new path down shares
// no link with the old one. A request turns at the lowest possible level and tries each free wire across the
// top in turn; it crosses once. Turning between that level and the top is not tried: by Theorem 2 that path
// down leads to the link that was busy. So this is a local scheduler on a tree with w^l additional links, and
// must be compared as such.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/local_climb.h"

namespace hybrid {
namespace {

template <std::size_t kWords>
class TurnBack final : public TreeScheduler {
 public:
  TurnBack(const FatTree& tree, std::uint64_t seed)
      : links_(tree), seed_(seed), top_(tree.levels() - 1), taken_across_(count_wires(tree)) {}

  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    links_.reset();
    std::fill(taken_across_.begin(), taken_across_.end(), std::uint8_t{0});
    RandomPort choose{Random(seed_)};
    std::size_t granted = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      paths[i] = {};
      if (!links_.nodes_free(requests[i])) continue;
      LocalClimb climb;
      climb.at[0] = links_.start(requests[i]);
      if (!climb_locally(links_, choose, false, climb, paths[i])) continue;
      if (downward_path_is_free(links_, climb, paths[i])) {
        take_climb(links_, requests[i], climb, paths[i]);
        ++granted;
      } else if (climb_locally(links_, choose, true, climb, paths[i])) {
        granted += cross_top(requests[i], climb, paths[i]);
      }
    }
    return granted;
  }

 private:
  /// Number of wires across the top: w for each of its w^(l-1) switches, which is many times the links of any
  /// level if w is large and m small.
  static std::size_t count_wires(const FatTree& tree) {
    if (tree.levels() == 1) return 0;
    const std::size_t count = std::size_t{tree.switches(tree.levels() - 1)} * tree.shape().up;
    if (count > kMostTreeNodes)
      throw UserError(fmt::format("turn-back: the top of {} has {} wires across it, more than {}",
                                  to_string(tree.shape()), count, kMostTreeNodes),
                      "Give a tree with fewer ports up, or name other algorithms with --scheduler.");
    return count;
  }

  using Links = TreeLinks<kWords>;

  /// Grants the request over the first wire from the top switch that is free and has a free path down.
  /// Returns false if there is none.
  bool cross_top(Connection c, const LocalClimb& climb, TreePath& path) {
    const std::uint32_t here = climb.at[top_].ports, w = links_.tree().shape().up;
    for (std::uint32_t port = 0; port < w; ++port) {
      if (port == path.up[0] || taken_across_[std::size_t{here} * w + port] != 0) continue;
      TreePath down = path;
      down.up[0] = static_cast<std::uint16_t>(port);
      LocalClimb other;
      other.level = top_;
      other.at[0] = climb.at[0];
      for (std::uint32_t h = 0; h < top_; ++h) other.at[h + 1] = links_.above(other.at[h], down.up[h]);
      if (!downward_path_is_free(links_, other, down)) continue;
      for (std::uint32_t h = 0; h < top_; ++h) {
        links_.take(Links::kUp, links_.source(h, climb.at[h]), path.up[h]);
        links_.take(Links::kDown, links_.destination(h, other.at[h]), down.up[h]);
      }
      taken_across_[std::size_t{here} * w + port] = 1;
      links_.take_nodes(c);
      path.up[top_] = static_cast<std::uint16_t>(port);
      path.turn = static_cast<std::uint8_t>(top_ + 1);
      path.granted = true;
      return true;
    }
    return false;
  }

  Links links_;
  std::uint64_t seed_;
  std::uint32_t top_;
  std::vector<std::uint8_t> taken_across_;  // by top switch and port up
};

const SchedulerRegistration kTurnBack{
    "turn-back", "fat tree, top switches connected: local, blocked requests continue to the top (TBWP, L 1)",
    &TreeAlgorithm<TurnBack, true>::make};

}  // namespace
}  // namespace hybrid
