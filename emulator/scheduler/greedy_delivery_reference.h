// The memo's greedy listing (I 4.4) transcribed: for each node and each ordering of its ports, sets of
// messages. What greedy_delivery is tested against and measured by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/random.h"
#include "emulator/scheduler/delivery_cycles.h"
#include "emulator/topology/binary_fat_tree.h"

namespace hybrid::greedy_delivery_reference {

using MessageNumbers = std::vector<std::size_t>;

/// So many of the messages, each with the same chance.
inline MessageNumbers granted(MessageNumbers wanting, std::size_t paths, Random& random) {
  for (std::size_t i = wanting.size(); i > 1; --i) std::swap(wanting[i - 1], wanting[random.below(i)]);
  wanting.resize(std::min(wanting.size(), paths));
  return wanting;
}

inline DeliveryCycles deliver(const BinaryFatTree& tree, std::span<const Connection> messages,
                              Random& random) {
  DeliveryCycles result;
  result.cycle_of.resize(messages.size());
  std::map<Port, MessageNumbers> undelivered;
  for (std::size_t i = 0; i < messages.size(); ++i) undelivered[messages[i].source].push_back(i);
  const TreeNode n = tree.processors();
  for (; !undelivered.empty(); ++result.cycles) {
    // What entered each channel at its lower end, going up, and at its upper end, going down.
    std::vector<MessageNumbers> up(std::size_t{2} * n), down(std::size_t{2} * n);
    for (const auto& [p, own] : undelivered) up[n + p] = granted(own, tree.capacity(n + p), random);
    const auto below = [&](TreeNode node, Port p) {
      const std::uint32_t h = tree.height_of(node);
      return (n + p) >> h == node;
    };
    for (TreeNode node = n - 1; node > kTreeRoot; --node) {  // Z: the trunk
      MessageNumbers wanting;
      for (const TreeNode branch : {2 * node, 2 * node + 1})
        for (const std::size_t m : up[branch])
          if (!below(node, messages[m].destination)) wanting.push_back(m);
      up[node] = granted(wanting, tree.capacity(node), random);
    }
    for (TreeNode node = kTreeRoot; node < n; ++node)  // Z: a branch
      for (const TreeNode branch : {2 * node, 2 * node + 1}) {
        MessageNumbers wanting;
        for (const MessageNumbers* from : {&down[node], &up[branch ^ 1U]})
          for (const std::size_t m : *from)
            if (below(branch, messages[m].destination)) wanting.push_back(m);
        down[branch] = granted(wanting, tree.capacity(branch), random);
      }
    for (Port p = 0; p < n; ++p)
      for (const std::size_t m : down[n + p]) {
        result.cycle_of[m] = result.cycles;
        const auto own = undelivered.find(messages[m].source);
        std::erase(own->second, m);
        if (own->second.empty()) undelivered.erase(own);
      }
  }
  return result;
}

}  // namespace hybrid::greedy_delivery_reference
