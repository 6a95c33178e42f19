// The level-wise schedulers (L 4; D 7.4) in three variants: `level-wise`, `level-wise-request` and
// `level-wise-rearranged`. A port must be free upward at the source's switch and downward at the switch by
// which the destination is reached (Theorem 2).
#include <array>
#include <memory>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/tree_colouring.h"
#include "emulator/scheduler/tree_links.h"

namespace hybrid {

namespace {

/// Finds a path with one port per level, the lowest that is free both upward and downward (L figure 7); no
/// backtracking.
struct LevelWiseRoute {
  template <std::size_t kWords>
  bool operator()(const TreeLinks<kWords>& links, Connection c, TreePath& path) const {
    std::uint32_t level = 0;
    for (TreeClimb climb = links.start(c); !links.turns(level, climb); ++level) {
      const std::uint32_t port =
          links.first_common(links.source(level, climb), links.destination(level, climb));
      if (port == links.none()) return false;
      path.up[level] = static_cast<std::uint16_t>(port);
      climb = links.above(climb, port);
    }
    path.turn = static_cast<std::uint8_t>(level);
    return true;
  }
};

/// Level by level (L figure 7): all requests choose their port at level 0, then those that got one at level
/// 1, and so on; the lowest port is taken.
///
/// Partial paths: a request that fails at level h keeps its links of the levels below until the end.
/// Returning them would not help any request: all others have already chosen there. After the pass it holds
/// no links. The same applies to the links of its two nodes: a later request that shares one of them is
/// refused.
///
/// So no decision at a level depends on the links of another level, and the requests can also be processed
/// one by one through all levels: the same grants in one pass, without state between levels. A test compares
/// this with figure 7 implemented literally.
template <std::size_t kWords>
class LevelWise final : public TreeScheduler {
 public:
  LevelWise(const FatTree& tree, std::uint64_t /*seed*/) : links_(tree) {}

  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    links_.reset();
    std::array<TreeRow<kWords>, kMostTreeLevels> rows;
    for (std::uint32_t h = 0; h + 1 < links_.tree().levels(); ++h) rows[h] = links_.row(h);
    std::size_t granted = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      TreePath& path = paths[i] = {};
      if (!links_.nodes_free(requests[i])) continue;
      links_.take_nodes(requests[i]);
      TreeClimb climb = links_.start(requests[i]);
      std::uint32_t level = 0;
      for (; !links_.turns(level, climb); ++level) {
        const TreeRow<kWords>& row = rows[level];
        const std::uint32_t port = row.take_first_common(row.source(climb), row.destination(climb));
        if (port == row.none()) break;
        path.up[level] = static_cast<std::uint16_t>(port);
        climb = row.above(climb, port);
      }
      path.turn = static_cast<std::uint8_t>(level);
      path.granted = links_.turns(level, climb);
      granted += path.granted ? 1 : 0;
    }
    return granted;
  }

 private:
  TreeLinks<kWords> links_;
};

const SchedulerRegistration kLevelWise{"level-wise", "fat tree: each level for all requests (L figure 7)",
                                       &TreeAlgorithm<LevelWise, false, LevelWiseRoute>::make};

/// Request by request, as in the pipeline of L 6: a request chooses its ports at all its levels before the
/// next one starts.
///
/// Partial paths: a request that fails returns its links at once, those of its nodes too, to later requests.
/// (L does not specify what happens to a request that fails in the P_1 block; its hardware has no path back
/// to the memories of the P_0 block.)
template <std::size_t kWords>
class LevelWiseRequest final : public TreeScheduler {
 public:
  LevelWiseRequest(const FatTree& tree, std::uint64_t /*seed*/) : links_(tree) {}

  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    links_.reset();
    std::size_t granted = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) granted += climb(requests[i], paths[i] = {});
    return granted;
  }

 private:
  bool climb(Connection c, TreePath& path) {
    if (!links_.nodes_free(c)) return false;
    std::uint32_t level = 0;
    std::array<TreeClimb, kMostTreeLevels> climbs;
    for (climbs[0] = links_.start(c); !links_.turns(level, climbs[level]); ++level) {
      const std::size_t source = links_.source(level, climbs[level]);
      const std::size_t destination = links_.destination(level, climbs[level]);
      const std::uint32_t port = links_.first_common(source, destination);
      if (port == links_.none()) {
        give_back(climbs, path, level);
        return false;
      }
      links_.take(source, destination, port);
      path.up[level] = static_cast<std::uint16_t>(port);
      climbs[level + 1] = links_.above(climbs[level], port);
    }
    links_.take_nodes(c);
    path.turn = static_cast<std::uint8_t>(level);
    path.granted = true;
    return true;
  }

  void give_back(const std::array<TreeClimb, kMostTreeLevels>& climbs, const TreePath& path,
                 std::uint32_t levels) {
    for (std::uint32_t h = 0; h < levels; ++h)
      links_.give_back(links_.source(h, climbs[h]), links_.destination(h, climbs[h]), path.up[h]);
  }

  TreeLinks<kWords> links_;
};

const SchedulerRegistration kLevelWiseRequest{
    "level-wise-request", "fat tree: level-wise, each request through all its levels (L 6)",
    &TreeAlgorithm<LevelWiseRequest, false, LevelWiseRoute>::make};

constexpr std::uint32_t kMostMoves = 24;  // connections moved for one request at one level

/// Level-wise with rearrangements (ours): a request without a common free port is granted if at most
/// kMostMoves other connections change their port for it (tree_colouring.h).
class LevelWiseRearranged final : public TreeScheduler {
 public:
  explicit LevelWiseRearranged(const FatTree& tree) : colouring_(make_tree_colouring(tree, kMostMoves)) {}
  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) override {
    return colouring_->schedule(requests, paths);
  }

 private:
  std::unique_ptr<TreeColouring> colouring_;
};

class LevelWiseRearrangedAlgorithm final : public SchedulingAlgorithm {
 public:
  std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& shape, std::uint64_t /*seed*/) const override {
    return std::make_unique<LevelWiseRearranged>(FatTree(shape));
  }
  bool schedules_fat_trees() const override { return true; }
};

const SchedulerRegistration kLevelWiseRearranged{
    "level-wise-rearranged", "fat tree: level-wise, moving at most 24 connections for a request that fails",
    []() -> std::unique_ptr<SchedulingAlgorithm> {
      return std::make_unique<LevelWiseRearrangedAlgorithm>();
    }};

}  // namespace

}  // namespace hybrid
