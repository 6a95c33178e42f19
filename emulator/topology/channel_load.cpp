#include "emulator/topology/channel_load.h"

#include <algorithm>

namespace hybrid {

ChannelLoads::ChannelLoads(const BinaryFatTree& tree)
    : tree_(&tree), up_(std::size_t{2} * tree.processors()), down_(up_.size()) {}

ChannelLoads::ChannelLoads(const BinaryFatTree& tree, std::span<const Connection> messages)
    : ChannelLoads(tree) {
  for (const Connection m : messages) add(m);
}

void ChannelLoads::add(Connection message) {
  for_each_channel(*tree_, message, [&](TreeNode c) { ++up_[c]; }, [&](TreeNode c) { ++down_[c]; });
}

void ChannelLoads::remove(Connection message) {
  for_each_channel(*tree_, message, [&](TreeNode c) { --up_[c]; }, [&](TreeNode c) { --down_[c]; });
}

bool ChannelLoads::fits(Connection message, std::uint32_t limit) const {
  bool fits = true;
  const auto check = [&](const std::vector<std::uint32_t>& load, TreeNode c) {
    fits = fits && load[c] < std::uint64_t{limit} * tree_->capacity(c);
  };
  for_each_channel(*tree_, message, [&](TreeNode c) { check(up_, c); }, [&](TreeNode c) { check(down_, c); });
  return fits;
}

double ChannelLoads::load_factor() const {
  double most = 0;
  for (TreeNode c = 2; c < up_.size(); ++c)
    most = std::max(most, static_cast<double>(std::max(up_[c], down_[c])) / tree_->capacity(c));
  return most;
}

std::uint32_t ChannelLoads::fewest_cycles() const {
  std::uint32_t most = 0;
  for (TreeNode c = 2; c < up_.size(); ++c) {
    const std::uint32_t load = std::max(up_[c], down_[c]);
    if (load != 0) most = std::max(most, (load - 1) / tree_->capacity(c) + 1);
  }
  return most;
}

}  // namespace hybrid
