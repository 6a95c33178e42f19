// How one circuit finds its path through a fat tree while others are held: what of a fat-tree algorithm can
// run in the loop, where requests and releases come one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "emulator/scheduler/tree_links.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

class TreeRoute {
 public:
  virtual ~TreeRoute() = default;
  /// Whether the algorithm finds `c`, whose nodes are free, a path of free links; sets `path`'s ports and
  /// turn. Takes nothing.
  virtual bool find(const TreeLinks<1>& links, Connection c, TreePath& path) = 0;
  virtual bool find(const TreeLinks<0>& links, Connection c, TreePath& path) = 0;
  /// Which port `c` would best take from `level` up if circuits went for it. `links[port]`: how many of the
  /// two links that belong to it there, up and down, are taken now. The one of fewest, the lowest of those,
  /// unless the algorithm has no choice.
  virtual std::uint32_t port_to_free(Connection /*c*/, std::uint32_t /*level*/,
                                     std::span<const std::uint32_t> links) const {
    return static_cast<std::uint32_t>(std::min_element(links.begin(), links.end()) - links.begin());
  }
};

/// Of a `Rule` that finds it in links of any width: rule(links, c, path). It may have a port_to_free, too.
template <class Rule>
class TreeRouteBy final : public TreeRoute {
 public:
  explicit TreeRouteBy(Rule rule) : rule_(std::move(rule)) {}
  bool find(const TreeLinks<1>& links, Connection c, TreePath& path) override {
    return rule_(links, c, path);
  }
  bool find(const TreeLinks<0>& links, Connection c, TreePath& path) override {
    return rule_(links, c, path);
  }

  std::uint32_t port_to_free(Connection c, std::uint32_t level,
                             std::span<const std::uint32_t> links) const override {
    if constexpr (requires { rule_.port_to_free(c, level, links); })
      return rule_.port_to_free(c, level, links);
    else
      return TreeRoute::port_to_free(c, level, links);
  }

 private:
  Rule rule_;
};

template <class Rule>
std::unique_ptr<TreeRoute> tree_route_by(Rule rule) {
  return std::make_unique<TreeRouteBy<Rule>>(std::move(rule));
}

/// Any path that is free: of those the one of lowest P_0, then P_1, and so on. Fails only where there is
/// none.
struct AnyFreePath {
  template <std::size_t kWords>
  bool operator()(const TreeLinks<kWords>& links, Connection c, TreePath& path) const {
    return from(links, 0, links.start(c), path);
  }

 private:
  template <std::size_t kWords>
  static bool from(const TreeLinks<kWords>& links, std::uint32_t level, const TreeClimb& climb,
                   TreePath& path) {
    if (climb.turns()) {
      path.turn = static_cast<std::uint8_t>(level);
      return true;
    }
    bool found = false;
    links.for_each_common(links.source(level, climb), links.destination(level, climb),
                          [&](std::uint32_t port) {
                            path.up[level] = static_cast<std::uint16_t>(port);
                            found = from(links, level + 1, links.above(climb, port), path);
                            return !found;
                          });
    return found;
  }
};

/// One port a level, the lowest that is free on the way up and on the way down (L figure 7); no way back.
struct LevelWiseRoute {
  template <std::size_t kWords>
  bool operator()(const TreeLinks<kWords>& links, Connection c, TreePath& path) const {
    std::uint32_t level = 0;
    for (TreeClimb climb = links.start(c); !climb.turns(); ++level) {
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

}  // namespace hybrid
