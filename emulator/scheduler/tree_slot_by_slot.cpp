#include "emulator/scheduler/tree_slot_by_slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/error.h"
#include "emulator/scheduler/slot_fitter.h"

namespace hybrid {

TreeSlotFit fit_slot_by_slot(TreeScheduler& scheduler, const RequestSet& set, std::uint32_t slots) {
  TreeSlotFit fit;
  fit.slot_of.assign(set.requests.size(), kNoSlot);
  fit.path_of.resize(set.requests.size());
  std::vector<std::size_t> left(set.requests.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  std::vector<Connection> connections;
  std::vector<TreePath> paths;
  for (; !left.empty() && (slots == 0 || fit.slots < slots); ++fit.slots) {
    connections.clear();
    for (const std::size_t i : left) connections.push_back(set.requests[i].connection);
    paths.resize(left.size());
    scheduler.schedule(connections, paths);
    std::size_t refused = 0;
    for (std::size_t k = 0; k < left.size(); ++k) {
      if (!paths[k].granted) {
        left[refused++] = left[k];
        continue;
      }
      fit.slot_of[left[k]] = fit.slots;
      fit.path_of[left[k]] = paths[k];
    }
    if (refused == left.size())
      throw std::logic_error("a fat tree's scheduler grants nothing on an empty tree");
    left.resize(refused);
  }
  return fit;
}

void check_tree_requests(const RequestSet& set, std::uint32_t nodes) {
  for (const Request& request : set.requests)
    if (std::max(request.connection.source, request.connection.destination) >= nodes)
      throw UserError(fmt::format("request {} -> {}: the tree has the nodes 0 to {}",
                                  request.connection.source, request.connection.destination, nodes - 1),
                      "Give a larger tree, or requests between its nodes.");
}

}  // namespace hybrid
