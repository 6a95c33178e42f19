// Results of completed loops, compared with the same loops in C++.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/hints/connections.h"
#include "core/hints/evaluation.h"
#include "core/hints/print_expression.h"
#include "core/hints/testing/unit_builder.h"

namespace hybrid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Node = UnitBuilder::Node;
using Value = std::optional<std::int64_t>;

// Builds the expressions under test, and loops over i = 0, 1, ... below `end`.
struct Loops : UnitBuilder {
  Node add(Node a, Node b) { return node(HYBRID_ADD, a, b); }
  Node less(Node a, Node b) { return node(HYBRID_LT, a, b); }
  Node after(Node a, std::uint32_t loop) { return node(HYBRID_AFTER, a, HYBRID_NONE, HYBRID_NONE, loop); }
  Node entry(Node place_read, Node place, Node value, std::uint32_t loop) {
    return node(HYBRID_ENTRY, place_read, place, value, loop);
  }
  // for (v = first; v < end; v = v + 1)
  std::uint32_t count(Node first, Node end, std::string_view name, std::uint32_t parent = HYBRID_NONE) {
    const Node v = variable(static_cast<std::uint32_t>(variables.size()));
    const Node next = add(v, constant(1)), below = less(v, end);
    return loop(below, {{first, next, string(name)}}, parent);
  }
};

std::vector<Value> of_ranks(const HintUnit& unit, Node node, std::uint32_t ranks) {
  NoHintValues none;
  HintEvaluator evaluator(unit, ranks, none);
  std::vector<Value> values;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) values.push_back(evaluator.value(node, rank));
  return values;
}

TEST(LoopResults, AreTheValuesAfterTheLastTurn) {
  Loops b;
  // l = 0; for (n = rank; n > 1; n = n / 2) l = l + 1;
  const Node n = b.variable(0), l = b.variable(1), one = b.constant(1), zero = b.constant(0);
  const Node half = b.node(HYBRID_DIV, n, b.constant(2)), more = b.less(one, n), up = b.add(l, one);
  const Node rank = b.rank();
  const auto loop = b.loop(more, {{rank, half, b.string("n")}, {zero, up, b.string("l")}});
  const Node log = b.after(l, loop), left = b.after(b.add(n, l), loop);
  const HintUnit unit = b.unit();
  EXPECT_THAT(of_ranks(unit, log, 9), ElementsAre(0, 0, 1, 1, 2, 2, 2, 2, 3));
  EXPECT_THAT(of_ranks(unit, left, 5), ElementsAre(0, 1, 2, 2, 3));
  EXPECT_EQ(print_expression(unit, log), "(l after for (n = rank, l = 0; 1 < n; n = n / 2, l = l + 1))");
}

TEST(LoopResults, ATableHoldsTheLastWrittenValues) {
  Loops b;
  // for (i = 0; i < size; ++i) if (rank < i) t[i % 3] = i * 10;
  const Node i = b.variable(0), rank = b.rank(), three = b.constant(3);
  const auto loop = b.count(b.constant(0), b.size(), "i");
  const Node place = b.select(b.less(rank, i), b.node(HYBRID_MOD, i, three), b.constant(-1));
  const Node value = b.node(HYBRID_MUL, i, b.constant(10));
  const Node first = b.entry(b.constant(0), place, value, loop);
  const Node place_read = b.entry(b.node(HYBRID_MOD, rank, three), place, value, loop);
  const HintUnit unit = b.unit();
  EXPECT_THAT(of_ranks(unit, first, 5), ElementsAre(30, 30, 30, std::nullopt, std::nullopt));
  EXPECT_THAT(of_ranks(unit, place_read, 5), ElementsAre(30, 40, std::nullopt, std::nullopt, std::nullopt));
  EXPECT_EQ(print_expression(unit, first),
            "(t[0] after for (i = 0; i < size; i = i + 1) if (rank < i) t[i % 3] = i * 10)");
}

// sum = 0; for (i = 0; i < rank; ++i) { for (j = 0, s = 0; j < i; ++j) s += j; sum += s; }
TEST(LoopResults, InALoopDependOnItsTurn) {
  Loops b;
  const Node zero = b.constant(0), one = b.constant(1), rank = b.rank();
  const Node i = b.variable(0), sum = b.variable(1), j = b.variable(2), s = b.variable(3);
  const Node more = b.less(i, rank), next_i = b.add(i, one);
  const Node inner_more = b.less(j, i), next_j = b.add(j, one), next_s = b.add(s, j);
  const Node next_sum = b.add(sum, b.after(s, 1));
  b.loop(more, {{zero, next_i, b.string("i")}, {zero, next_sum, b.string("sum")}});
  b.loop(inner_more, {{zero, next_j, b.string("j")}, {zero, next_s, b.string("s")}}, 0);
  const Node all = b.after(sum, 0);
  const auto values = of_ranks(b.unit(), all, 12);
  for (std::int64_t r = 0; r < 12; ++r) {
    std::int64_t expected = 0;
    for (std::int64_t x = 0; x < r; ++x) expected += x * (x - 1) / 2;
    EXPECT_EQ(values[static_cast<std::size_t>(r)], expected) << r;
  }
}

TEST(LoopResults, OfARunningLoopAreThoseOfItsPreviousRun) {
  // for (m = 0, x = 0; m < 3; ++m) { for (i = 0; i < m + 2; ++i) send(x * 10 + i); x = i; }
  Loops b;
  const Node zero = b.constant(0), one = b.constant(1);
  const Node m = b.variable(0), x = b.variable(1), i = b.variable(2);
  const Node more = b.less(m, b.constant(3)), next_m = b.add(m, one);
  const Node below = b.less(i, b.add(m, b.constant(2))), next_i = b.add(i, one);
  const Node left = b.after(i, 1);
  b.loop(more, {{zero, next_m, b.string("m")}, {zero, left, b.string("x")}});
  b.loop(below, {{zero, next_i, b.string("i")}}, 0);
  b.site({.peer = b.add(b.node(HYBRID_MUL, x, b.constant(10)), i), .loop = 1});
  const HintUnit unit = b.unit();
  NoHintValues none;
  HintEvaluator evaluator(unit, 40, none);
  HintConnectionFinder finder(evaluator);
  EXPECT_THAT(finder.site(0, 39).ranks, ElementsAre(0, 1, 20, 21, 22, 30, 31, 32, 33));
  EXPECT_EQ(finder.site(0, 39).unknown, "");
}

TEST(LoopResults, AreUnknownIfTheNumberOfTurnsIs) {
  Loops b;
  const Node zero = b.constant(0), v = b.variable(0);
  b.loop(HYBRID_NONE, {{zero, v, HYBRID_NONE}});
  const Node open = b.after(v, 0);
  const Node w = b.variable(1);
  b.loop(b.constant(1), {{zero, w, HYBRID_NONE}});
  const Node endless = b.after(w, 1), table = b.entry(zero, zero, zero, 1);
  const HintUnit unit = b.unit();
  for (const Node node : {open, endless, table}) EXPECT_EQ(of_ranks(unit, node, 1)[0], std::nullopt);
}

// Each loop ends at the result of the previous one: 2 to the power of 30 turns without a cache.
TEST(LoopResults, AreComputedOnce) {
  Loops b;
  Node end = b.constant(2);
  for (std::uint32_t l = 0; l < 30; ++l) {
    const Node v = b.variable(l);
    b.count(b.constant(0), end, "i");
    end = b.after(v, l);
  }
  const Node all = b.add(end, b.rank());
  EXPECT_THAT(of_ranks(b.unit(), all, 2), ElementsAre(2, 3));
}

// Each loop begins with two results of the previous one, which are unknown, or differ between the turns of an
// enclosing loop. A failed evaluation is not repeated, and the total number of turns is limited.
TEST(LoopResults, FailQuickly) {
  for (const bool is_around : {false, true}) {
    Loops b;
    const Node zero = b.constant(0), one = b.constant(1), input = b.input("n");
    Node x = is_around ? b.variable(0) : input, y = x;
    if (is_around) b.count(zero, b.constant(3), "m");
    for (std::uint32_t l = 0; l < 30; ++l) {
      const auto v = static_cast<std::uint32_t>(b.variables.size());
      const Node i = b.variable(v), j = b.variable(v + 1);
      const auto loop =
          b.loop(b.less(i, one), {{x, b.add(i, one), HYBRID_NONE}, {y, b.add(j, one), HYBRID_NONE}},
                 is_around ? 0 : HYBRID_NONE);
      x = b.after(i, loop), y = b.after(j, loop);
    }
    b.site({.peer = b.add(x, y), .loop = is_around ? 0 : HYBRID_NONE});
    const HintUnit unit = b.unit();
    NoHintValues none;
    HintEvaluator evaluator(unit, 4, none);
    EXPECT_NE(HintConnectionFinder(evaluator).site(0, 0).unknown, "");
  }
}

TEST(LoopResults, ThatFormACycleAreRejected) {
  const auto expect_rejected = [](const UnitBuilder& b, const std::string& why) {
    try {
      b.unit();
      ADD_FAILURE() << "not rejected: " << why;
    } catch (const UserError& e) {
      EXPECT_THAT(e.what(), HasSubstr(why));
    }
  };
  Loops b;
  b.after(b.constant(0), 0);
  expect_rejected(b, "node 1 has the value 0; expected 0 or more and below 0");
  Loops own;
  own.loop(own.after(own.constant(0), 0), {});
  expect_rejected(own, "or a loop uses its own results");
  Loops each_other;
  const Node first = each_other.after(each_other.constant(0), 1), second = each_other.after(first, 0);
  each_other.loop(first, {});
  each_other.loop(second, {});
  expect_rejected(each_other, "or a loop uses its own results");
}

}  // namespace
}  // namespace hybrid
