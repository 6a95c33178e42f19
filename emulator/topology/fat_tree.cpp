#include "emulator/topology/fat_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/error.h"

namespace hybrid {

namespace {

constexpr std::uint32_t kMostTreePorts = 1U << 12;

std::string described(const FatTreeShape& shape) {
  return fmt::format("fat tree FT(l = {}, m = {}, w = {})", shape.levels, shape.down, shape.up);
}

/// Returns a * b; throws UserError above kMostTreeNodes.
std::uint32_t product(const FatTreeShape& shape, const char* of_what, std::uint64_t a, std::uint64_t b) {
  if (a * b > kMostTreeNodes)
    throw UserError(
        fmt::format("{}: more than {} {}, which is the limit", described(shape), kMostTreeNodes, of_what),
        "Give fewer levels or ports: m^l nodes, and m^(l-1-h) w^(h+1) links up from level h.");
  return static_cast<std::uint32_t>(a * b);
}

}  // namespace

FatTree::FatTree(const FatTreeShape& shape) : shape_(shape) {
  const auto [levels, down, up, turns_at_top] = shape;
  if (levels == 0 || levels > kMostTreeLevels)
    throw UserError(fmt::format("{}: {} levels", described(shape), levels),
                    fmt::format("Give 1 to {}.", kMostTreeLevels));
  for (const std::uint32_t ports : {down, up})
    if (ports == 0 || ports > kMostTreePorts)
      throw UserError(fmt::format("{}: {} ports {}", described(shape), ports, ports == down ? "down" : "up"),
                      fmt::format("Give 1 to {} ports in each direction.", kMostTreePorts));
  nodes_ = 1;
  for (std::uint32_t h = 0; h < levels; ++h) nodes_ = product(shape, "nodes", nodes_, down);
  down_power_[0] = up_power_[0] = 1;
  for (std::uint32_t h = 0; h + 1 < levels; ++h) {
    down_power_[h + 1] = down_power_[h] * down;
    up_power_[h + 1] = product(shape, "switches on the top level", up_power_[h], up);
  }
  for (std::uint32_t h = 0; h < levels; ++h) {
    switches_[h] = product(shape, "switches on a level", nodes_ / down / down_power_[h], up_power_[h]);
    if (h + 1 < levels) product(shape, "links on a level", switches_[h], up);
  }
  by_down_ = TreeDivider(down);
}

std::uint32_t FatTree::switches() const {
  std::uint32_t all = 0;
  for (std::uint32_t h = 0; h < levels(); ++h) all += switches_[h];
  return all;
}

std::uint32_t FatTree::links(std::uint32_t level) const {
  return level + 1 < levels() ? switches_[level] * shape_.up : 0;
}

std::uint32_t FatTree::above(std::uint32_t level, std::uint32_t number, std::uint32_t port) const {
  const std::uint32_t w_h = up_power_[level];
  return number / w_h / shape_.down * (w_h * shape_.up) + number % w_h * shape_.up + port;
}

std::uint32_t FatTree::port_from_above(std::uint32_t level, std::uint32_t number) const {
  return number / up_power_[level] % shape_.down;
}

std::uint32_t FatTree::below(std::uint32_t level, std::uint32_t number, std::uint32_t port) const {
  const std::uint32_t w_h = up_power_[level];
  return (number / w_h * shape_.down + port) * (w_h / shape_.up) + number % w_h / shape_.up;
}

std::uint32_t FatTree::across(std::uint32_t number, std::uint32_t port) const {
  if (levels() == 1) return number;
  const std::uint32_t first = up_power_[levels() - 2];  // weight of P_0 in the number
  return number % first + port * first;
}

std::uint32_t FatTree::turn(Port a, Port b) const {
  std::uint32_t level = 0;
  for (a = leaf(a), b = leaf(b); a != b; a = by_down_(a), b = by_down_(b)) ++level;
  return std::max(level, lowest_turn());
}

std::uint32_t FatTree::climb(std::uint32_t leaf, const TreePath& path, std::uint32_t level) const {
  std::uint32_t ports = 0;
  for (std::uint32_t h = 0; h < level; ++h) ports = ports * shape_.up + path.up[h];
  return leaf / down_power_[level] * up_power_[level] + ports;
}

FatTreeShape parse_fat_tree(std::string_view text) {
  const auto refuse = [&](const std::string& why) {
    return UserError(fmt::format("network '{}': {}", text, why),
                     "Give fattree:L,W[,M]: L levels, W ports up, M ports down (default W), "
                     "for example fattree:3,16.");
  };
  constexpr std::string_view kHead = "fattree:";
  if (!text.starts_with(kHead)) throw refuse("does not begin with 'fattree:'");
  std::vector<std::uint32_t> numbers;
  for (std::string_view rest = text.substr(kHead.size());;) {
    const std::string_view one = rest.substr(0, rest.find(','));
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), number);
    if (error == std::errc::result_out_of_range) throw refuse(fmt::format("{} is too large", one));
    if (error != std::errc{} || end != one.data() + one.size())
      throw refuse(fmt::format("'{}' is not a whole number", one));
    numbers.push_back(number);
    if (one.size() == rest.size()) break;
    rest.remove_prefix(one.size() + 1);
  }
  if (numbers.size() < 2 || numbers.size() > 3)
    throw refuse(fmt::format("{} numbers, where two or three are expected", numbers.size()));
  const FatTreeShape shape{numbers[0], numbers.size() == 3 ? numbers[2] : numbers[1], numbers[1]};
  return FatTree(shape).shape();
}

std::string to_string(const FatTreeShape& shape) {
  std::string text = fmt::format("fattree:{},{}", shape.levels, shape.up);
  if (shape.down != shape.up) text += fmt::format(",{}", shape.down);
  return text;
}

}  // namespace hybrid
