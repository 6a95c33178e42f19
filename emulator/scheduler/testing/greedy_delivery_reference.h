// The memo's greedy listing (I 4.4) transcribed: for each node and each ordering of its ports, sets of
// messages. The reference for tests and benchmarks of greedy_delivery.
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

/// Draws `paths` of the messages, or all if there are fewer, each with the same probability.
inline MessageNumbers draw_granted(MessageNumbers contenders, std::size_t paths, Random& random) {
  for (std::size_t i = contenders.size(); i > 1; --i)
    std::swap(contenders[i - 1], contenders[random.below(i)]);
  contenders.resize(std::min(contenders.size(), paths));
  return contenders;
}

inline DeliveryCycles deliver(const BinaryFatTree& tree, std::span<const Connection> messages,
                              Random& random) {
  DeliveryCycles result;
  result.cycle_of.resize(messages.size());
  std::map<Port, MessageNumbers> undelivered;
  for (std::size_t i = 0; i < messages.size(); ++i) undelivered[messages[i].source].push_back(i);
  const TreeNode n = tree.processors();
  for (; !undelivered.empty(); ++result.cycles) {
    // The messages that entered each channel at its lower end, going up, and at its upper end, going down.
    std::vector<MessageNumbers> up(std::size_t{2} * n), down(std::size_t{2} * n);
    for (const auto& [p, own] : undelivered) up[n + p] = draw_granted(own, tree.capacity(n + p), random);
    const auto below = [&](TreeNode node, Port p) {
      const std::uint32_t h = tree.height_of(node);
      return (n + p) >> h == node;
    };
    for (TreeNode node = n - 1; node > kTreeRoot; --node) {  // Z: the trunk
      MessageNumbers contenders;
      for (const TreeNode branch : {2 * node, 2 * node + 1})
        for (const std::size_t m : up[branch])
          if (!below(node, messages[m].destination)) contenders.push_back(m);
      up[node] = draw_granted(contenders, tree.capacity(node), random);
    }
    for (TreeNode node = kTreeRoot; node < n; ++node)  // Z: a branch
      for (const TreeNode branch : {2 * node, 2 * node + 1}) {
        MessageNumbers contenders;
        for (const MessageNumbers* from : {&down[node], &up[branch ^ 1U]})
          for (const std::size_t m : *from)
            if (below(branch, messages[m].destination)) contenders.push_back(m);
        down[branch] = draw_granted(contenders, tree.capacity(branch), random);
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
