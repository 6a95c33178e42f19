#include "core/hints/connections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "core/hints/testing/unit_builder.h"

namespace hybrid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Node = UnitBuilder::Node;

struct Found {
  Found(const UnitBuilder& b, std::uint32_t ranks)
      : unit(b.unit()), evaluator(unit, ranks, none), finder(evaluator) {}
  HintUnit unit;
  NoHintValues none;
  HintEvaluator evaluator;
  HintConnectionFinder finder;
};

TEST(Connections, OfASiteFollowItsGuard) {
  UnitBuilder b;
  const Node next = b.node(HYBRID_ADD, b.rank(), b.constant(1));
  b.site({.peer = next, .guard = b.node(HYBRID_LT, next, b.size())});
  b.site({.peer = next});
  b.site({.peer = b.select(b.node(HYBRID_LT, next, b.size()), next, b.proc_null())});
  b.site({.peer = b.rank()});
  b.site({.peer = next, .kind = HYBRID_RECEIVE});
  b.site({.site_class = HYBRID_DYNAMIC, .reason = "the rank is received in a message"});
  Found f(b, 4);
  const std::vector<Connection> line{{0, 1}, {1, 2}, {2, 3}};
  EXPECT_EQ(f.finder.site(0).connections, line);
  EXPECT_EQ(f.finder.site(0).unknown, "");
  EXPECT_EQ(f.finder.site(1).unknown, "rank 4 is not in a communicator of 4");
  EXPECT_THAT(f.finder.site(1).connections, IsEmpty());
  EXPECT_EQ(f.finder.site(2).connections, line);
  EXPECT_THAT(f.finder.site(3).connections, IsEmpty()) << "a send to itself";
  EXPECT_THAT(f.finder.site(4).connections, IsEmpty()) << "a receive";
  EXPECT_EQ(f.finder.site(5).unknown, "the rank is received in a message");
  EXPECT_THAT(f.finder.site(0, 1).ranks, ElementsAre(2));
}

TEST(Connections, OfASiteAreRanksOfItsCommunicator) {
  UnitBuilder b;
  const Node row = b.node(HYBRID_SPLIT, b.world(), b.node(HYBRID_DIV, b.rank(), b.constant(2)), b.rank());
  b.site({.peer = b.node(HYBRID_SUB, b.constant(1), b.rank(row)), .communicator = row});
  b.site({.peer = b.constant(0), .communicator = b.node(HYBRID_UNKNOWN_COMMUNICATOR)});
  Found f(b, 6);
  EXPECT_EQ(f.finder.site(0).connections,
            (std::vector<Connection>{{0, 1}, {1, 0}, {2, 3}, {3, 2}, {4, 5}, {5, 4}}));
  EXPECT_THAT(f.finder.site(1).unknown, HasSubstr("its communicator is not known"));
}

TEST(Connections, OfAProfileAreValidForItsNumberOfRanksOnly) {
  UnitBuilder b;
  const auto phase = b.phase({.profile = b.constants({4, 0, 3, 4, 2, 1, 4, 2, 3, 8, 0, 7})});
  const auto held = b.phase({.condition = b.constant(0), .profile = b.constants({4, 0, 1})});
  b.site({.phase = phase, .site_class = HYBRID_DYNAMIC, .reason = "rand"});
  Found four(b, 4), eight(b, 8), six(b, 6);
  EXPECT_EQ(four.finder.phase(phase).connections, (std::vector<Connection>{{0, 3}, {2, 1}, {2, 3}}));
  EXPECT_EQ(four.finder.phase(phase).unknown, "line 1: rand") << "another run may differ";
  EXPECT_EQ(eight.finder.phase(phase).connections, (std::vector<Connection>{{0, 7}}));
  EXPECT_THAT(six.finder.phase(phase).connections, IsEmpty());
  EXPECT_THAT(four.finder.phase(held).connections, IsEmpty());
  EXPECT_THAT(four.finder.site(0).connections, IsEmpty());
  EXPECT_EQ(profiled_connections(four.unit, four.unit.phases[phase]),
            (std::map<std::uint32_t, std::uint64_t>{{4, 3}, {8, 1}}));
}

// for (d = 1; d < size; d *= 2) send(rank ^ d)
TEST(Connections, OfASiteInALoopIncludeAllTurns) {
  UnitBuilder b;
  const Node d = b.variable(0);
  const auto loop = b.loop(b.node(HYBRID_LT, d, b.size()),
                           {{b.constant(1), b.node(HYBRID_MUL, d, b.constant(2)), HYBRID_NONE}});
  b.site({.peer = b.node(HYBRID_XOR, b.rank(), d), .loop = loop});
  Found f(b, 8);
  EXPECT_THAT(f.finder.site(0, 5).ranks, ElementsAre(1, 4, 7));
}

// for (step = 0; step < STEPS; ++step) for (i = 0; i < rank; ++i) for (j = i; j < 3; ++j)
TEST(Connections, WalkOnlyThroughLoopsThatTheSiteDependsOn) {
  UnitBuilder b;
  const Node one = b.constant(1), zero = b.constant(0), three = b.constant(3);
  const Node step = b.variable(0), i = b.variable(1), j = b.variable(2);
  const auto steps =
      b.loop(b.node(HYBRID_LT, step, b.input("steps")), {{zero, b.node(HYBRID_ADD, step, one), HYBRID_NONE}});
  const auto outer =
      b.loop(b.node(HYBRID_LT, i, b.rank()), {{zero, b.node(HYBRID_ADD, i, one), HYBRID_NONE}}, steps);
  const auto inner =
      b.loop(b.node(HYBRID_LT, j, three), {{i, b.node(HYBRID_ADD, j, one), HYBRID_NONE}}, outer);
  b.site({.peer = j, .loop = inner});
  b.site({.peer = zero, .loop = inner});
  b.site({.peer = b.node(HYBRID_MOD, step, three), .loop = steps});
  Found f(b, 5);
  EXPECT_THAT(f.finder.site(0, 0).ranks, IsEmpty()) << "no turn of the outer loop";
  EXPECT_THAT(f.finder.site(0, 4).ranks, ElementsAre(0, 1, 2));
  EXPECT_EQ(f.finder.site(0, 4).unknown, "");
  EXPECT_THAT(f.finder.site(1, 0).ranks, IsEmpty());
  EXPECT_THAT(f.finder.site(1, 4).ranks, ElementsAre(0));
  EXPECT_EQ(f.finder.site(2, 0).unknown, "the number of turns of a loop is not known: steps is not known");
}

// The inner loop has no turn in the first turn of the outer loop: for (i = 0; i < 3; ++i) for (j = 0; j < i;
// ++j)
TEST(Connections, IncludeAnInnerLoopWithoutATurnAtFirst) {
  UnitBuilder b;
  const Node one = b.constant(1), zero = b.constant(0);
  const Node i = b.variable(0), j = b.variable(1);
  const auto outer =
      b.loop(b.node(HYBRID_LT, i, b.constant(3)), {{zero, b.node(HYBRID_ADD, i, one), HYBRID_NONE}});
  const auto inner =
      b.loop(b.node(HYBRID_LT, j, i), {{zero, b.node(HYBRID_ADD, j, one), HYBRID_NONE}}, outer);
  b.site({.peer = one, .loop = inner});
  Found f(b, 2);
  EXPECT_THAT(f.finder.site(0, 0).ranks, ElementsAre(1));
}

TEST(Connections, AreUnknownForEndlessLoops) {
  UnitBuilder b;
  const Node i = b.variable(0), k = b.variable(1), one = b.constant(1);
  const auto endless = b.loop(one, {{one, b.node(HYBRID_SUB, one, i), HYBRID_NONE}});
  b.site({.peer = i, .loop = endless});
  const auto strange = b.loop(HYBRID_NONE, {{one, one, HYBRID_NONE}});
  b.site({.peer = k, .loop = strange});
  b.site({.peer = one, .loop = strange});
  Found f(b, 2);
  EXPECT_EQ(f.finder.site(0, 0).unknown, "its loops have more than 1048576 turns");
  EXPECT_EQ(f.finder.site(1, 0).unknown, "a loop around it is not understood");
  EXPECT_THAT(f.finder.site(2, 0).ranks, ElementsAre(1)) << "does not depend on the loop";
}

TEST(Connections, OfAPhaseAreThoseOfItsSites) {
  UnitBuilder b;
  const auto phase = b.phase({.name = "exchange", .kind = HYBRID_PHASE_LOOP});
  const Node rank = b.rank(), size = b.size(), one = b.constant(1);
  b.site({.peer = b.node(HYBRID_MOD, b.node(HYBRID_ADD, rank, one), size), .phase = phase});
  b.site({.peer = b.node(HYBRID_MOD, b.node(HYBRID_ADD, rank, b.constant(2)), size), .phase = phase});
  b.site({.peer = b.constant(0)});
  b.site({.peer = b.input("root"), .phase = phase, .line = 30});
  Found f(b, 4);
  const HintConnections result = f.finder.phase(phase);
  EXPECT_EQ(result.connections.size(), 8u);
  EXPECT_EQ(result.unknown, "line 30: root is not known");
}

TEST(Connections, OfAConditionalPhaseNeedItsCondition) {
  UnitBuilder b;
  const Node even = b.node(HYBRID_EQ, b.node(HYBRID_MOD, b.rank(), b.constant(2)), b.constant(0));
  b.phase({.connections = b.list({b.rank(), b.constant(3)}), .condition = even});
  b.phase({.connections = b.list({b.rank(), b.constant(3)}), .condition = b.input("mode")});
  Found f(b, 4);
  EXPECT_EQ(f.finder.phase(0).connections, (std::vector<Connection>{{0, 3}, {2, 3}}));
  EXPECT_THAT(f.finder.phase(1, 0).unknown, HasSubstr("whether its condition holds is not known: mode"));
  EXPECT_THAT(f.finder.phase(1, 0, true).ranks, ElementsAre(3));
  EXPECT_THAT(f.finder.phase(1, 0, false).ranks, IsEmpty());
  EXPECT_EQ(f.finder.phase(1, 0, false).unknown, "");
}

TEST(Connections, OfADirectiveMayComeFromAnotherRank) {
  UnitBuilder b;
  const Node next = b.node(HYBRID_ADD, b.rank(), b.constant(1));
  b.phase({.connections = b.list({next, b.rank(), b.constant(2), b.constant(0)})});
  Found f(b, 4);
  EXPECT_EQ(f.finder.phase(0).connections, (std::vector<Connection>{{1, 0}, {2, 0}, {2, 1}, {3, 2}}));
  EXPECT_THAT(f.finder.phase(0, 2).ranks, ElementsAre(0, 1));
}

TEST(Connections, OfADirectivesPatternUseItsDimensions) {
  UnitBuilder b;
  b.phase({.pattern = "mesh2d",
           .dimensions = b.list({b.constant(2), b.node(HYBRID_DIV, b.size(), b.constant(2))})});
  b.phase({.pattern = "hypercube"});
  b.phase({.pattern = "spiral"});
  Found f(b, 6);
  EXPECT_THAT(f.finder.phase(0, 1).ranks, ElementsAre(0, 2, 4));
  EXPECT_EQ(f.finder.phase(1).unknown, "pattern hypercube needs a power of two; the job has 6 ranks");
  EXPECT_THAT(f.finder.phase(1).connections, IsEmpty());
  EXPECT_THAT(f.finder.phase(2).unknown, HasSubstr("spiral"));
}

TEST(Connections, CanBeComputedForEveryReadableNote) {
  UnitBuilder b;
  const Node rank = b.rank(), one = b.constant(1), i = b.variable(0);
  const auto loop =
      b.loop(b.node(HYBRID_LT, i, b.size()), {{one, b.node(HYBRID_MUL, i, b.constant(2)), HYBRID_NONE}});
  const Node grid = b.node(HYBRID_CART, b.world(), b.constants({0, 0}), b.constants({1, 0}));
  const Node row = b.node(HYBRID_CART_SUB, grid, b.constants({0, 1}));
  const Node split = b.node(HYBRID_SPLIT, row, b.node(HYBRID_MOD, rank, b.constant(2)), rank);
  const auto phase =
      b.phase({.pattern = "mesh2d", .dimensions = b.constants({2, 4}), .connections = b.list({rank, one})});
  b.site({.peer = b.node(HYBRID_XOR, rank, i),
          .guard = b.node(HYBRID_LE, i, rank),
          .loop = loop,
          .phase = phase});
  b.site({.peer = b.node(HYBRID_SHIFT, grid, one, i, 1), .communicator = grid, .loop = loop, .phase = phase});
  b.site({.peer = b.node(HYBRID_CART_RANK, grid, b.constants({1, 1})), .communicator = grid, .phase = phase});
  b.site({.peer = b.rank(split), .communicator = split, .phase = phase});
  b.site({.peer = b.node(HYBRID_COORDINATE, row), .phase = phase});
  const std::string good = b.bytes();
  std::mt19937 random(3);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  int calls = 0, result = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::string bytes = good;
    for (std::size_t changes = 1 + below(3); changes > 0; --changes)
      bytes[sizeof(hybrid_unit) + below(bytes.size() - sizeof(hybrid_unit))] =
          static_cast<char>(below(2) == 0 ? below(256) : below(24));
    try {
      const HintUnit unit = read_hint_unit(std::as_bytes(std::span(std::as_const(bytes))), "damaged");
      NoHintValues none;
      HintEvaluator evaluator(unit, 8, none);
      HintConnectionFinder finder(evaluator);
      for (std::uint32_t s = 0; s < unit.sites.size(); ++s) {
        ++calls;
        for (const std::uint32_t to : finder.site(s, 5).ranks) {
          ++result;
          ASSERT_LT(to, 8u);
          ASSERT_NE(to, 5u);
        }
      }
      for (const std::uint32_t to : finder.phase(0, 5).ranks) ASSERT_LT(to, 8u);
    } catch (const UserError&) {
    }
  }
  EXPECT_GT(calls, 1000);
  EXPECT_GT(result, 1000);
}

TEST(Connections, OfThousandsOfRanksAreFast) {
  UnitBuilder b;
  const Node row = b.node(HYBRID_SPLIT, b.world(), b.node(HYBRID_DIV, b.rank(), b.constant(64)), b.rank());
  b.site({.peer = b.node(HYBRID_MOD, b.node(HYBRID_ADD, b.rank(row), b.constant(1)), b.size(row)),
          .communicator = row});
  const HintUnit unit = b.unit();
  NoHintValues values;
  HintEvaluator evaluator(unit, 4096, values);
  HintConnectionFinder finder(evaluator);
  EXPECT_THAT(finder.site(0, 4095).ranks, ElementsAre(4032));
  EXPECT_EQ(finder.site(0).connections.size(), 4096u);
}

}  // namespace
}  // namespace hybrid
