#include "emulator/topology/fat_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "emulator/topology/testing/tree_paths.h"

namespace hybrid {
namespace {

/// All shapes of up to about a thousand nodes and three thousand switches.
std::vector<FatTreeShape> small_shapes() {
  std::vector<FatTreeShape> shapes;
  for (std::uint32_t levels = 1; levels <= 5; ++levels)
    for (std::uint32_t down = 1; down <= 6; ++down)
      for (std::uint32_t up = 1; up <= 6; ++up) {
        const FatTree tree({levels, down, up});
        if (tree.nodes() <= 1300 && tree.switches() <= 3000) shapes.push_back(tree.shape());
      }
  for (const FatTreeShape& shape : {FatTreeShape{2, 16, 16}, {2, 32, 8}, {2, 8, 32}, {3, 8, 8}})
    shapes.push_back(shape);
  return shapes;
}

TEST(FatTree, CountsNodesSwitchesAndLinksAsTheGraphDoes) {
  for (const FatTreeShape& shape : small_shapes()) {
    const FatTree tree(shape);
    const TreeGraph graph(shape);
    ASSERT_EQ(tree.nodes(), graph.nodes());
    for (std::uint32_t h = 0; h < shape.levels; ++h) {
      ASSERT_EQ(tree.switches(h), graph.row(h).size()) << to_string(shape) << " level " << h;
      ASSERT_EQ(tree.links(h), h + 1 < shape.levels ? graph.row(h).size() * shape.up : 0);
    }
    for (Port node = 0; node < tree.nodes(); ++node) {
      const auto& leaf = graph.at(graph.leaf(node));
      ASSERT_EQ(tree.leaf(node), leaf.number);
      ASSERT_EQ(leaf.down.at(tree.leaf_port(node)).to, node);
    }
  }
}

TEST(FatTree, TheoremOneGivesEveryWireOfTheGraph) {
  for (const FatTreeShape& shape : small_shapes()) {
    const FatTree tree(shape);
    const TreeGraph graph(shape);
    for (std::uint32_t h = 0; h + 1 < shape.levels; ++h)
      for (const std::uint32_t id : graph.row(h))
        for (std::uint32_t port = 0; port < shape.up; ++port) {
          const std::uint32_t number = graph.at(id).number;
          const TreeGraph::Wire wire = graph.at(id).up[port];
          const std::uint32_t upper = tree.above(h, number, port);
          ASSERT_EQ(upper, graph.at(wire.to).number) << to_string(shape) << " " << h << " " << number;
          ASSERT_EQ(tree.port_from_above(h, number), wire.port);
          ASSERT_EQ(tree.below(h + 1, upper, wire.port), number);
          ASSERT_EQ(tree.port_from_below(upper), port);
        }
  }
}

TEST(FatTree, TheoremTwoThePathDownHasThePortsOfThePathUp) {
  Random random(1);
  for (const FatTreeShape& shape : small_shapes()) {
    const FatTree tree(shape);
    const TreeGraph graph(shape);
    for (int trial = 0; trial < 200; ++trial) {
      const auto from = static_cast<Port>(random.below(tree.nodes()));
      const auto to = static_cast<Port>(random.below(tree.nodes()));
      TreePath path;
      std::uint32_t at = graph.leaf(from);
      // Climb by random ports until the destination is below: that is the turn.
      while (graph.down_port(at, to) == ~0U) {
        ASSERT_EQ(graph.at(at).number, tree.climb(tree.leaf(from), path, path.turn));
        path.up[path.turn] = static_cast<std::uint16_t>(random.below(shape.up));
        at = graph.at(at).up[path.up[path.turn++]].to;
      }
      ASSERT_EQ(path.turn, tree.turn(from, to)) << to_string(shape);
      // Descend the only path: each link is as Theorem 2 states.
      for (std::uint32_t h = path.turn; h > 0; --h) {
        const TreeGraph::Wire wire = graph.at(at).down[graph.down_port(at, to)];
        ASSERT_EQ(wire.port, path.up[h - 1]);
        ASSERT_EQ(graph.at(wire.to).number, tree.climb(tree.leaf(to), path, h - 1));
        at = wire.to;
      }
      ASSERT_EQ(at, graph.leaf(to));
    }
  }
}

TEST(FatTree, ThePapersExamples) {
  const FatTree figure2({3, 4, 4});  // L figure 2: SW(0,0) to SW(0,6)
  EXPECT_EQ(figure2.nodes(), 64u);
  EXPECT_EQ(figure2.turn(0, 6 * 4), 2u);
  TreePath path{true, 2, {1, 3}};
  EXPECT_EQ(figure2.climb(0, path, 1), 1u);
  EXPECT_EQ(figure2.climb(6, path, 1), 5u);  // digits 1 2 -> 1 P_0
  EXPECT_EQ(figure2.climb(0, path, 2), figure2.climb(6, path, 2));

  const FatTree figure8({4, 4, 4});  // L figure 8: node 3 to node 95, P = 0 1 0
  EXPECT_EQ(figure8.leaf(3), 0u);
  EXPECT_EQ(figure8.leaf(95), 0x17u);  // 113 in base 4
  path = {true, 3, {0, 1, 0}};
  EXPECT_EQ(figure8.climb(figure8.leaf(95), path, 1), 0x14u);  // 110
  EXPECT_EQ(figure8.climb(figure8.leaf(95), path, 2), 0x11u);  // 101
  EXPECT_EQ(figure8.climb(figure8.leaf(3), path, 2), 0x01u);   // 001
}

TEST(FatTree, TheWiresAcrossTheTopAreThoseOfTheGraph) {
  for (const FatTreeShape& shape : small_shapes()) {
    const FatTree tree(shape);
    const TreeGraph graph(shape);
    for (const std::uint32_t id : graph.row(shape.levels - 1))
      for (std::uint32_t port = 0; port < shape.up; ++port) {
        const TreeGraph::Wire wire = graph.at(id).across[port];
        const std::uint32_t number = graph.at(id).number;
        ASSERT_EQ(tree.across(number, port), wire.to == ~0U ? number : graph.at(wire.to).number);
      }
  }
}

TEST(FatTree, DividesExactly) {
  Random random(1);
  for (std::uint32_t d = 1; d <= 4096; ++d) {
    const TreeDivider divide(d);
    for (const std::uint32_t x : {0U, d - 1, d, kMostTreeNodes - 1, kMostTreeNodes / d * d - 1,
                                  static_cast<std::uint32_t>(random.below(kMostTreeNodes))})
      ASSERT_EQ(divide(x), x / d) << x << " / " << d;
  }
}

TEST(FatTree, RefusesInvalidShapes) {
  EXPECT_EQ(FatTree({1, 4096, 1}).nodes(), 4096u);
  EXPECT_EQ(FatTree({6, 16, 16}).nodes(), kMostTreeNodes);
  for (const FatTreeShape& shape : {FatTreeShape{0, 4, 4},
                                    {8, 2, 2},
                                    {2, 0, 4},
                                    {2, 4, 0},
                                    {2, 5000, 4},
                                    {2, 4, 5000},
                                    {7, 16, 16},
                                    {7, 4096, 4096},
                                    {7, 2, 4096},
                                    {3, ~0U, ~0U},
                                    {6, 16, 17}})
    EXPECT_THROW(FatTree{shape}, UserError) << shape.levels << " " << shape.down << " " << shape.up;
}

TEST(FatTree, IsParsedFromAndFormattedAsTheOption) {
  EXPECT_EQ(parse_fat_tree("fattree:3,16"), (FatTreeShape{3, 16, 16}));
  EXPECT_EQ(parse_fat_tree("fattree:2,4,8"), (FatTreeShape{2, 8, 4}));
  for (const char* text : {"fattree:3,16", "fattree:2,4,8", "fattree:1,1"})
    EXPECT_EQ(to_string(parse_fat_tree(text)), text);
  for (const char* text :
       {"", "crossbar:8", "fattree", "fattree:", "fattree:3", "fattree:3,", "fattree:3,4,5,6", "fattree:3,x",
        "fattree:3,4 ", "fattree:-3,4", "fattree:3,99999999999", "fattree:0,4", "fattree:7,100"})
    EXPECT_THROW(parse_fat_tree(text), UserError) << text;
  try {
    parse_fat_tree("fattree:3,4x");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("'4x' is not a whole number"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("fattree:L,W[,M]"), std::string::npos);
  }
}

}  // namespace
}  // namespace hybrid
