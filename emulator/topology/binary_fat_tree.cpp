#include "emulator/topology/binary_fat_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace hybrid {

namespace {

void require_height(std::size_t height) {
  if (height < 1 || height > kMostTreeHeight)
    throw UserError(fmt::format("binary fat tree: a height of {}", height),
                    fmt::format("It must be 1 to {} (2^{} processors).", kMostTreeHeight, kMostTreeHeight));
}

std::uint32_t height_for(std::uint32_t processors) {
  if (processors < 2 || !std::has_single_bit(processors))
    throw UserError(
        fmt::format("binary fat tree: {} processors are not a power of two of at least 2", processors),
        fmt::format("Give {}, for example.", processors < 2 ? 2 : std::bit_floor(processors)));
  const auto height = static_cast<std::uint32_t>(std::countr_zero(processors));
  require_height(height);
  return height;
}

/// Returns the smallest c with c^3 >= x, for x up to 2^60.
std::uint64_t cube_root_up(std::uint64_t x) {
  std::uint64_t low = 1, high = std::uint64_t{1} << 20;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (middle * middle * middle >= x)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Returns ceil(w / 2^(2k/3)), exactly: the smallest c with c^3 >= w^3 / 4^k. w <= 2^20.
std::uint32_t root_share(std::uint64_t w, std::uint32_t depth) {
  return static_cast<std::uint32_t>(cube_root_up(((w * w * w - 1) >> (2 * depth)) + 1));
}

void require_path(std::uint32_t capacity, const std::string& channel) {
  if (capacity == 0)
    throw UserError("binary fat tree: the channel " + channel + " has no path",
                    "Give each channel a capacity of at least 1.");
}

}  // namespace

BinaryFatTree::BinaryFatTree(std::span<const std::uint32_t> capacity_by_height)
    : height_(static_cast<std::uint32_t>(capacity_by_height.size())) {
  require_height(capacity_by_height.size());
  for (std::uint32_t h = 0; h < height_; ++h)
    require_path(capacity_by_height[h], fmt::format("above height {}", h));
  capacity_.resize(std::size_t{2} * processors());
  for (TreeNode v = 2; v < capacity_.size(); ++v) capacity_[v] = capacity_by_height[height_of(v)];
}

BinaryFatTree BinaryFatTree::universal(std::uint32_t processors, std::uint32_t root_capacity) {
  const std::uint32_t height = height_for(processors);
  const std::uint64_t n = processors, w = root_capacity;
  if (w > n || w * w * w < n * n)
    throw UserError(
        fmt::format("universal fat tree: a root capacity of {} for {} processors", root_capacity, processors),
        fmt::format("It must be {} (n^(2/3)) to {} (n).", cube_root_up(n * n), n));
  std::vector<std::uint32_t> capacity(height);
  for (std::uint32_t h = 0; h < height; ++h)
    capacity[h] = std::min(std::uint32_t{1} << h, root_share(w, height - h));
  return BinaryFatTree(capacity);
}

BinaryFatTree BinaryFatTree::uniform(std::uint32_t processors, std::uint32_t capacity) {
  return BinaryFatTree(std::vector<std::uint32_t>(height_for(processors), capacity));
}

void BinaryFatTree::set_capacity(TreeNode below, std::uint32_t capacity) {
  if (below <= kTreeRoot || below >= capacity_.size())
    throw UserError(fmt::format("binary fat tree: there is no channel above node {}", below),
                    fmt::format("Channels are above nodes 2 to {}.", capacity_.size() - 1));
  require_path(capacity, fmt::format("above node {}", below));
  capacity_[below] = capacity;
}

void require_messages(const BinaryFatTree& tree, std::span<const Connection> messages) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto [source, destination] = messages[i];
    if (source >= tree.processors() || destination >= tree.processors())
      throw UserError(fmt::format("message {}: from processor {} to {}", i, source, destination),
                      fmt::format("The tree has processors 0 to {}.", tree.processors() - 1));
    if (source == destination)
      throw UserError(fmt::format("message {}: from processor {} to itself", i, source),
                      "Such a message does not enter the tree; remove it.");
  }
}

}  // namespace hybrid
