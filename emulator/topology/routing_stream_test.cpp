#include "emulator/topology/routing_stream.h"

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "core/random.h"
#include "emulator/topology/testing/port_tree.h"

namespace hybrid {
namespace {

std::string text(const std::vector<StreamBit>& stream) {
  std::string s;
  for (const StreamBit b : stream) s += b == StreamBit::buffering ? 'x' : b == StreamBit::one ? '1' : '0';
  return s;
}

std::vector<bool> bools(const std::vector<StreamBit>& stream) {
  std::vector<bool> bits;
  for (const StreamBit b : without_buffering(stream)) bits.push_back(b == StreamBit::one);
  return bits;
}

std::vector<bool> address_bits(Port address, std::uint32_t height) {
  std::vector<bool> bits;
  for (std::uint32_t i = height; i-- > 0;) bits.push_back((address >> i & 1U) != 0);
  return bits;
}

/// Every pair of processors of trees up to height 5.
template <class Visit>
void for_all_small(Visit&& visit) {
  for (std::uint32_t height = 1; height <= 5; ++height)
    for (Port s = 0; s < 1U << height; ++s)
      for (Port d = 0; d < 1U << height; ++d)
        if (s != d) visit(height, Connection{s, d});
}

constexpr auto kLeftRight = RoutingBitEncoding::left_right;

TEST(RoutingStream, OfExamples) {
  // H = 3, 001 to 110: up 1 -> 0, 0 -> 1, pivot 0 unchanged; down 1, 0. Through the root: no buffering bits.
  EXPECT_EQ(text(routing_stream(3, {1, 6})), "01010");
  // 100 to 111: the pivot is bit 1. Up 0 -> 1, pivot 0; two buffering bits for each bit above, in both
  // addresses; down 1.
  EXPECT_EQ(text(routing_stream(3, {4, 7})), "10xxxx1");
  EXPECT_EQ(text(routing_stream(3, {5, 4})), "1xxxxxxxx");
  EXPECT_EQ(text(routing_stream(3, {5, 4}, kLeftRight, LastBufferingBit::repeats_pivot)), "1xxxxxxx1");
  EXPECT_EQ(text(routing_stream(3, {4, 7}, RoutingBitEncoding::trunk_branch)), "10xxxx1");
  EXPECT_EQ(text(routing_stream(3, {6, 1}, RoutingBitEncoding::trunk_branch)), "11001");
}

TEST(RoutingStream, Theorem1AnAddressLeadsFromTheRoot) {
  for (std::uint32_t height = 1; height <= 8; ++height) {
    PortTree tree(height);
    for (Port p = 0; p < tree.processors(); ++p)
      EXPECT_EQ(PortTree::follow(nullptr, tree.root(), address_bits(p, height)), tree.processor(p));
  }
}

TEST(RoutingStream, Theorem2TheReversedAndInvertedStreamLeadsBack) {
  // From the root: the path back starts at the processor and leaves through the root's trunk.
  for (std::uint32_t height = 1; height <= 8; ++height) {
    PortTree tree(height);
    for (Port p = 0; p < tree.processors(); ++p) {
      std::vector<bool> back = address_bits(p, height);
      back = {back.rbegin(), back.rend()};
      back.flip();
      const PortTree::Node* leaf = tree.processor(p);
      EXPECT_EQ(PortTree::follow(leaf, leaf->around[PortTree::kTrunk], back), nullptr);
      back.pop_back();
      EXPECT_EQ(PortTree::follow(leaf, leaf->around[PortTree::kTrunk], back), tree.root());
    }
  }
  // From processor to processor.
  for_all_small([](std::uint32_t height, Connection m) {
    PortTree tree(height);
    const PortTree::Node* from = tree.processor(m.destination);
    EXPECT_EQ(PortTree::follow(from, from->around[PortTree::kTrunk],
                               bools(reversed_and_inverted(routing_stream(height, m)))),
              tree.processor(m.source));
  });
}

TEST(RoutingStream, Theorem3InOneSubtreeTheHighBitsAgree) {
  constexpr std::uint32_t kHeight = 6;
  PortTree tree(kHeight);
  const auto ancestor = [&](Port p, std::uint32_t height) {
    const PortTree::Node* node = tree.processor(p);
    while (node->height < height) node = node->around[PortTree::kTrunk];
    return node;
  };
  for (Port a = 0; a < tree.processors(); ++a)
    for (Port b = 0; b < tree.processors(); ++b)
      for (std::uint32_t h = 0; h <= kHeight; ++h)
        EXPECT_EQ(ancestor(a, h) == ancestor(b, h), a >> h == b >> h) << a << " " << b << " " << h;
}

TEST(RoutingStream, LeadsToTheDestination) {
  for_all_small([](std::uint32_t height, Connection m) {
    PortTree tree(height);
    const PortTree::Node* from = tree.processor(m.source);
    EXPECT_EQ(PortTree::follow(from, from->around[PortTree::kTrunk], bools(routing_stream(height, m))),
              tree.processor(m.destination));
  });
  constexpr std::uint32_t kHeight = 14;
  PortTree tree(kHeight);
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Connection m{static_cast<Port>(random.below(1U << kHeight)),
                       static_cast<Port>(random.below(1U << kHeight))};
    if (m.source == m.destination) continue;
    const PortTree::Node* from = tree.processor(m.source);
    EXPECT_EQ(PortTree::follow(from, from->around[PortTree::kTrunk], bools(routing_stream(kHeight, m))),
              tree.processor(m.destination));
  }
}

TEST(RoutingStream, TheSecondEncodingSelectsTrunkOrBranch) {
  // A 1 for each node below the turn, a 0 at the turn, then the bits of the first encoding.
  for_all_small([](std::uint32_t height, Connection m) {
    const std::string first = text(routing_stream(height, m)),
                      second = text(routing_stream(height, m, RoutingBitEncoding::trunk_branch));
    std::uint32_t up = 0;
    while (m.source >> up != m.destination >> up) ++up;
    EXPECT_EQ(second.substr(0, up), std::string(up - 1, '1') + "0");
    EXPECT_EQ(second.substr(up), first.substr(up));
  });
}

TEST(RoutingStream, BufferingBitsEqualiseTheClocksOfAllPaths) {
  // I 3.1: 2 (2 (H - h)); with two clocks per node, every stream takes as long as one through the root.
  for_all_small([](std::uint32_t height, Connection m) {
    const auto stream = routing_stream(height, m);
    const std::size_t routing = without_buffering(stream).size(), buffering = stream.size() - routing;
    const std::uint32_t h = (static_cast<std::uint32_t>(routing) + 1) / 2;  // up h nodes, down h - 1
    EXPECT_EQ(buffering, 2 * (2 * (height - h)));
    EXPECT_EQ(2 * routing + buffering, arrival_clock(height));
  });
}

TEST(RoutingStream, WithTheRepeatedPivotTheReversedStreamIsTheReturnStream) {
  for_all_small([](std::uint32_t height, Connection m) {
    const auto whole = [&](Connection c) {
      return routing_stream(height, c, kLeftRight, LastBufferingBit::repeats_pivot);
    };
    EXPECT_EQ(text(reversed_and_inverted(whole(m))), text(whole({m.destination, m.source})));
  });
}

TEST(RoutingStream, RefusesEndsWithoutAMessage) {
  EXPECT_THROW(routing_stream(3, {2, 2}), UserError);
  EXPECT_THROW(routing_stream(3, {2, 8}), UserError);
  EXPECT_THROW(routing_stream(3, {8, 2}), UserError);
  EXPECT_THROW(routing_stream(32, {1, 2}), UserError);
}

}  // namespace
}  // namespace hybrid
