#include "emulator/scheduler/tree_circuits.h"

#include <algorithm>

namespace hybrid {

namespace {

template <std::size_t kWords, class Visit>
void for_each_link(const TreeLinks<kWords>& links, Connection c, const TreePath& path, Visit&& visit) {
  TreeClimb climb = links.start(c);
  for (std::uint32_t h = 0; h < path.turn; ++h) {
    visit(links.source(h, climb), links.destination(h, climb), path.up[h]);
    climb = links.above(climb, path.up[h]);
  }
}

std::variant<TreeLinks<1>, TreeLinks<0>> links_of(const FatTree& tree) {
  if (tree.shape().up <= kWordBits) return TreeLinks<1>(tree);
  return TreeLinks<0>(tree);
}

}  // namespace

TreeCircuits::TreeCircuits(const FatTreeShape& shape)
    : tree_(shape),
      links_(links_of(tree_)),
      destinations_(tree_.nodes(), kNoPort),
      sources_(tree_.nodes(), kNoPort),
      paths_(tree_.nodes()) {}

TreePath TreeCircuits::request(Connection c) {
  return request_by(c, [](const auto& links, Connection wanted, TreePath& path) {
    return AnyFreePath{}(links, wanted, path);
  });
}

TreePath TreeCircuits::request(Connection c, TreeRoute& route) {
  return request_by(c, [&route](const auto& links, Connection wanted, TreePath& path) {
    return route.find(links, wanted, path);
  });
}

template <class Find>
TreePath TreeCircuits::request_by(Connection c, Find&& find) {
  if (holds(c)) return paths_[c.source];
  TreePath path;
  path.granted = std::visit([&](auto& links) { return links.nodes_free(c) && find(links, c, path); }, links_);
  if (path.granted) hold(c, path);
  return path;
}

bool TreeCircuits::fits(Connection c, const TreePath& path) const {
  return std::visit(
      [&](const auto& links) {
        bool free = links.nodes_free(c);
        for_each_link(links, c, path, [&](std::size_t up, std::size_t down, std::uint32_t port) {
          free = free && links.is_free(kTreeUp, up, port) && links.is_free(kTreeDown, down, port);
        });
        return free;
      },
      links_);
}

void TreeCircuits::hold(Connection c, const TreePath& path) {
  std::visit(
      [&](auto& links) {
        links.take_nodes(c);
        for_each_link(links, c, path, [&](std::size_t up, std::size_t down, std::uint32_t port) {
          links.take(up, down, port);
        });
      },
      links_);
  destinations_[c.source] = c.destination;
  sources_[c.destination] = c.source;
  paths_[c.source] = path;
  ++size_;
}

bool TreeCircuits::release(Connection c) {
  if (!holds(c)) return false;
  std::visit(
      [&](auto& links) {
        links.free_nodes(c);
        for_each_link(links, c, paths_[c.source], [&](std::size_t up, std::size_t down, std::uint32_t port) {
          links.give_back(up, down, port);
        });
      },
      links_);
  destinations_[c.source] = kNoPort;
  sources_[c.destination] = kNoPort;
  --size_;
  return true;
}

void TreeCircuits::clear() {
  std::visit([](auto& links) { links.reset(); }, links_);
  std::fill(destinations_.begin(), destinations_.end(), kNoPort);
  std::fill(sources_.begin(), sources_.end(), kNoPort);
  size_ = 0;
}

}  // namespace hybrid
