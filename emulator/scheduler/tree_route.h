// Search for the path of one circuit through a fat tree while others are held: the part of a fat-tree
// algorithm that can run in the loop, where requests and releases come one at a time.
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
  /// Searches a path of free links for `c`, whose nodes are free. Sets the ports and the turn of `path`;
  /// takes no links; the caller then holds the circuit. Returns whether the algorithm found a path.
  virtual bool find(const TreeLinks<1>& links, Connection c, TreePath& path) = 0;
  virtual bool find(const TreeLinks<0>& links, Connection c, TreePath& path) = 0;
  /// Returns the port up from `level` for which the fewest circuits would have to be released to route `c`.
  /// `links[port]`: how many of the two links of that port, up and down, are taken now. The default returns
  /// the port with the fewest, the lowest one of several; an algorithm without a choice returns its port.
  virtual std::uint32_t port_to_free(Connection /*c*/, std::uint32_t /*level*/,
                                     std::span<const std::uint32_t> links) const {
    return static_cast<std::uint32_t>(std::min_element(links.begin(), links.end()) - links.begin());
  }

  // For an algorithm that stores the links of all slots itself (RTL).

  /// The following calls are for this slot.
  virtual void use_slot(std::uint32_t /*slot*/) {}
  /// `c` is held on `path`, which find() did not find, or is released from it.
  virtual void toggle(Connection /*c*/, const TreePath& /*path*/) {}
};

/// Route of a `Rule` that works on links of any width: rule(links, c, path). The rule may define
/// port_to_free() too.
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

/// Finds a free path if there is one; of several, the one of lowest P_0, then P_1, and so on.
struct AnyFreePath {
  template <std::size_t kWords>
  bool operator()(const TreeLinks<kWords>& links, Connection c, TreePath& path) const {
    return from(links, 0, links.start(c), path);
  }

 private:
  template <std::size_t kWords>
  static bool from(const TreeLinks<kWords>& links, std::uint32_t level, const TreeClimb& climb,
                   TreePath& path) {
    if (links.turns(level, climb)) {
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

}  // namespace hybrid
