#include "emulator/scheduler/first_fit_delivery.h"

#include <vector>

#include "emulator/topology/channel_load.h"

namespace hybrid {

DeliveryCycles first_fit_delivery(const BinaryFatTree& tree, std::span<const Connection> messages) {
  require_messages(tree, messages);
  std::vector<std::uint32_t> order;
  order.reserve(messages.size());
  for (std::uint32_t turn = tree.height(); turn > 0; --turn)
    for (std::uint32_t m = 0; m < messages.size(); ++m)
      if (turn_height(messages[m]) == turn) order.push_back(m);
  return first_fit_delivery(tree, messages, order);
}

DeliveryCycles first_fit_delivery(const BinaryFatTree& tree, std::span<const Connection> messages,
                                  std::span<const std::uint32_t> order) {
  DeliveryCycles result;
  result.cycle_of.resize(messages.size());
  std::vector<ChannelLoads> cycles;
  for (const std::uint32_t m : order) {
    std::uint32_t cycle = 0;
    while (cycle < cycles.size() && !cycles[cycle].fits(messages[m])) ++cycle;
    if (cycle == cycles.size()) cycles.emplace_back(tree);
    cycles[cycle].add(messages[m]);
    result.cycle_of[m] = cycle;
  }
  result.cycles = static_cast<std::uint32_t>(cycles.size());
  return result;
}

}  // namespace hybrid
