// Common parts of the local schedulers (L 1 and 4): on the path up a switch knows only its own links up; the
// path down is then fixed, and a busy link there ends the request. Requests are processed one after the
// other; a blocked request releases all its links ("a failure routing in one level will destroy all previous
// routing for this request", L 5).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/random.h"
#include "emulator/scheduler/tree_links.h"

namespace hybrid {

/// A climb level by level; it has not taken any links yet.
struct LocalClimb {
  std::array<TreeClimb, kMostTreeLevels> at{};
  std::uint32_t level = 0;
};

/// Selects the lowest free port.
struct LowestPort {
  template <std::size_t kWords>
  std::uint32_t operator()(const TreeLinks<kWords>& links, std::size_t at) {
    return links.next_free(TreeLinks<kWords>::kUp, at, 0);
  }
};

/// Selects a random free port, each with the same probability.
struct RandomPort {
  Random random;
  template <std::size_t kWords>
  std::uint32_t operator()(const TreeLinks<kWords>& links, std::size_t at) {
    const std::uint32_t count = links.count(TreeLinks<kWords>::kUp, at);
    if (count == 0) return links.none();
    std::uint32_t port = links.next_free(TreeLinks<kWords>::kUp, at, 0);
    for (std::uint64_t skip = random.below(count); skip != 0; --skip)
      port = links.next_free(TreeLinks<kWords>::kUp, at, port + 1);
    return port;
  }
};

/// Climbs from climb.level to the level where the connection turns or, with `to_top`, to the top level.
/// Returns false if no port up was free.
template <std::size_t kWords, class Choose>
bool climb_locally(const TreeLinks<kWords>& links, Choose& choose, bool to_top, LocalClimb& climb,
                   TreePath& path) {
  const std::uint32_t top = links.tree().levels() - 1;
  for (; climb.level < top && (to_top || !links.turns(climb.level, climb.at[climb.level])); ++climb.level) {
    const std::uint32_t port = choose(links, links.source(climb.level, climb.at[climb.level]));
    if (port == links.none()) return false;
    path.up[climb.level] = static_cast<std::uint16_t>(port);
    climb.at[climb.level + 1] = links.above(climb.at[climb.level], port);
  }
  return true;
}

/// Whether all links down from climb.level are free.
template <std::size_t kWords>
bool downward_path_is_free(const TreeLinks<kWords>& links, const LocalClimb& climb, const TreePath& path) {
  for (std::uint32_t h = climb.level; h-- > 0;)
    if (!links.is_free(TreeLinks<kWords>::kDown, links.destination(h, climb.at[h]), path.up[h])) return false;
  return true;
}

/// Finds the path of one request in the loop; `choose` selects the ports.
template <class Choose>
struct LocalRoute {
  Choose choose;
  template <std::size_t kWords>
  bool operator()(const TreeLinks<kWords>& links, Connection c, TreePath& path) {
    LocalClimb climb;
    climb.at[0] = links.start(c);
    if (!climb_locally(links, choose, false, climb, path) || !downward_path_is_free(links, climb, path))
      return false;
    path.turn = static_cast<std::uint8_t>(climb.level);
    return true;
  }
};

/// Takes the links up and down, and grants the path.
template <std::size_t kWords>
void take_climb(TreeLinks<kWords>& links, Connection c, const LocalClimb& climb, TreePath& path) {
  for (std::uint32_t h = 0; h < climb.level; ++h)
    links.take(links.source(h, climb.at[h]), links.destination(h, climb.at[h]), path.up[h]);
  links.take_nodes(c);
  path.turn = static_cast<std::uint8_t>(climb.level);
  path.granted = true;
}

/// TreeScheduler::schedule(): all requests, one after the other. `choose_for(request)` returns the rule that
/// selects the ports of that request, by value or by reference.
template <std::size_t kWords, class ChooseFor>
std::size_t schedule_locally(TreeLinks<kWords>& links, ChooseFor&& choose_for,
                             std::span<const Connection> requests, std::span<TreePath> paths) {
  links.reset();
  std::size_t granted = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    paths[i] = {};
    if (!links.nodes_free(requests[i])) continue;
    LocalClimb climb;
    climb.at[0] = links.start(requests[i]);
    auto&& choose = choose_for(requests[i]);
    if (!climb_locally(links, choose, false, climb, paths[i]) ||
        !downward_path_is_free(links, climb, paths[i]))
      continue;
    take_climb(links, requests[i], climb, paths[i]);
    ++granted;
  }
  return granted;
}

}  // namespace hybrid
