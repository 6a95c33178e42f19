#include "emulator/topology/binary_fat_tree.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "core/error.h"
#include "emulator/topology/routing_stream.h"
#include "emulator/topology/testing/port_tree.h"

namespace hybrid {
namespace {

std::vector<std::uint32_t> capacities(const BinaryFatTree& tree) {
  std::vector<std::uint32_t> by_height;
  for (std::uint32_t h = 0; h < tree.height(); ++h) by_height.push_back(tree.capacity(tree.above(0, h)));
  return by_height;
}

TEST(BinaryFatTree, NodesHaveTheHeightsOfTheMemo) {
  const BinaryFatTree tree = BinaryFatTree::uniform(8, 1);
  EXPECT_EQ(tree.height(), 3U);  // n = 2^h
  EXPECT_EQ(tree.height_of(kTreeRoot), 3U);
  EXPECT_EQ(tree.height_of(tree.processor(0)), 0U);
  EXPECT_EQ(tree.height_of(tree.processor(7)), 0U);
  EXPECT_EQ(tree.above(5, 3), kTreeRoot);
  EXPECT_EQ(tree.above(5, 1), 6U) << "node 6 has processors 4 and 5: 8 + 4 and 8 + 5 are its branches";
}

TEST(BinaryFatTree, AddressesAreThoseOfAnInOrderTraversal) {
  // Descends both trees at once, branch by branch: the processors have the same addresses.
  constexpr std::uint32_t kHeight = 6;
  const BinaryFatTree tree = BinaryFatTree::uniform(1U << kHeight, 1);
  PortTree reference(kHeight);
  const auto descend = [&](auto&& self, TreeNode v, const PortTree::Node* node) -> void {
    EXPECT_EQ(tree.height_of(v), node->height);
    if (node->height == 0) {
      EXPECT_EQ(v, tree.processor(node->address));
      return;
    }
    self(self, 2 * v, node->around[PortTree::kRight]);
    self(self, 2 * v + 1, node->around[PortTree::kLeft]);
  };
  descend(descend, kTreeRoot, reference.root());
}

TEST(BinaryFatTree, MessagesTurnWhereTheirPathsMeet) {
  const BinaryFatTree tree = BinaryFatTree::uniform(32, 1);
  for (Port s = 0; s < 32; ++s)
    for (Port d = 0; d < 32; ++d) {
      std::uint32_t t = 0;
      while (tree.above(s, t) != tree.above(d, t)) ++t;
      EXPECT_EQ(turn_height({s, d}), t);
    }
}

TEST(BinaryFatTree, UniversalCapacitiesOfExamples) {
  // n = 64, w = 16 = n^(2/3): 16 / 4^(k/3) = 10.08, 6.35, 4, 2.52, 1.59, 1.
  EXPECT_EQ(capacities(BinaryFatTree::universal(64, 16)), (std::vector<std::uint32_t>{1, 2, 3, 4, 7, 11}));
  // w = 32: 32 / 4^(k/3) = 20.2, 12.7, 8, 5.04, ...: from depth 3 down the doubling from the leaves is
  // smaller.
  EXPECT_EQ(capacities(BinaryFatTree::universal(64, 32)), (std::vector<std::uint32_t>{1, 2, 4, 8, 13, 21}));
  EXPECT_EQ(capacities(BinaryFatTree::universal(64, 64)), (std::vector<std::uint32_t>{1, 2, 4, 8, 16, 32}));
}

TEST(BinaryFatTree, UniversalCapacitiesFollowLeisersonsFormula) {
  for (std::uint32_t height = 1; height <= kMostTreeHeight; height += 3) {
    const std::uint32_t n = 1U << height;
    for (std::uint32_t w = n; double(w) * w * w >= double(n) * n; w = w * 3 / 4) {
      const BinaryFatTree tree = BinaryFatTree::universal(n, w);
      for (std::uint32_t k = 1; k <= height; ++k) {
        const double share = w / std::pow(4.0, k / 3.0), leaves = double(n) / std::pow(2.0, k);
        const std::uint32_t c = tree.capacity(1U << k);
        EXPECT_GE(c + 1e-6, std::min(leaves, share));
        EXPECT_LT(c - 1e-6, std::min(leaves, share + 1));
      }
    }
  }
}

TEST(BinaryFatTree, ChannelsCanDiffer) {
  BinaryFatTree tree = BinaryFatTree::uniform(4, 2);
  tree.set_capacity(5, 1);
  EXPECT_EQ(tree.capacity(5), 1U);
  EXPECT_EQ(tree.capacity(4), 2U);
}

template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(BinaryFatTree, RefusesInvalidTrees) {
  EXPECT_NE(error_of([] { BinaryFatTree::uniform(12, 1); }).find("12 processors"), std::string::npos);
  EXPECT_NE(error_of([] { BinaryFatTree::uniform(1, 1); }).find("1 processors"), std::string::npos);
  EXPECT_NE(error_of([] { BinaryFatTree::uniform(0, 1); }).find("0 processors"), std::string::npos);
  EXPECT_NE(error_of([] { BinaryFatTree::uniform(1U << 21, 1); }).find("height of 21"), std::string::npos);
  EXPECT_NE(error_of([] { BinaryFatTree(std::vector<std::uint32_t>{}); }).find("height of 0"),
            std::string::npos);
  EXPECT_NE(error_of([] { BinaryFatTree(std::vector<std::uint32_t>{1, 0}); }).find("above height 1"),
            std::string::npos);
  EXPECT_NE(error_of([] { BinaryFatTree::universal(64, 15); }).find("16 (n^(2/3)) to 64"), std::string::npos);
  EXPECT_NE(error_of([] { BinaryFatTree::universal(64, 65); }).find("16 (n^(2/3)) to 64"), std::string::npos);
  BinaryFatTree tree = BinaryFatTree::uniform(4, 1);
  EXPECT_NE(error_of([&] { tree.set_capacity(3, 0); }).find("above node 3"), std::string::npos);
  EXPECT_NE(error_of([&] { tree.set_capacity(8, 1); }).find("no channel above node 8"), std::string::npos);
  EXPECT_NE(error_of([&] { tree.set_capacity(1, 1); }).find("no channel above node 1"), std::string::npos);
}

TEST(BinaryFatTree, RefusesMessagesThatDoNotEnterIt) {
  const BinaryFatTree tree = BinaryFatTree::uniform(4, 1);
  const std::array outside{Connection{0, 1}, Connection{3, 4}};
  const std::array itself{Connection{2, 2}};
  EXPECT_NE(error_of([&] { require_messages(tree, outside); }).find("message 1: from processor 3 to 4"),
            std::string::npos);
  EXPECT_NE(error_of([&] { require_messages(tree, itself); }).find("to itself"), std::string::npos);
  EXPECT_EQ(error_of([&] { require_messages(tree, std::span(outside).first(1)); }), "accepted");
}

TEST(RoutingBit, LeftAndRightAreRelativeToThePortOfEntry) {
  // Figure 1, all cases; PortTree has the ports in clockwise order.
  const auto node_port = [](std::size_t clockwise) {
    return clockwise == PortTree::kTrunk  ? NodePort::trunk
           : clockwise == PortTree::kLeft ? NodePort::left
                                          : NodePort::right;
  };
  for (std::size_t entered = 0; entered < 3; ++entered)
    for (const bool bit : {false, true})
      EXPECT_EQ(exit_port(RoutingBitEncoding::left_right, node_port(entered), bit),
                node_port((entered + (bit ? 1 : 2)) % 3));
}

TEST(RoutingBit, TrunkOrOtherBranch) {
  // Figure 2, all cases.
  const auto exit = [](NodePort entered, bool bit) {
    return exit_port(RoutingBitEncoding::trunk_branch, entered, bit);
  };
  EXPECT_EQ(exit(NodePort::left, true), NodePort::trunk);
  EXPECT_EQ(exit(NodePort::right, true), NodePort::trunk);
  EXPECT_EQ(exit(NodePort::left, false), NodePort::right);
  EXPECT_EQ(exit(NodePort::right, false), NodePort::left);
  EXPECT_EQ(exit(NodePort::trunk, false), NodePort::right);
  EXPECT_EQ(exit(NodePort::trunk, true), NodePort::left);
}

}  // namespace
}  // namespace hybrid
