#include "core/hints/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include "core/hints/testing/unit_builder.h"

namespace hybrid {
namespace {

using testing::ElementsAre;
using Node = UnitBuilder::Node;
using Value = std::optional<std::int64_t>;
__extension__ typedef __int128 Wide;

// Inputs by name; arguments by rank.
class MapValues final : public HintValues {
 public:
  Value argument(std::uint32_t rank, std::uint32_t number, std::string_view) override {
    ++queries;
    if (only_rank && rank != *only_rank) return std::nullopt;
    return 1000 * number + rank;
  }
  Value input(std::uint32_t, std::string_view name) override {
    const auto found = inputs.find(name);
    return found == inputs.end() ? Value() : found->second;
  }
  std::map<std::string, std::int64_t, std::less<>> inputs;
  std::optional<std::uint32_t> only_rank;
  int queries = 0;
};

// Reference evaluator: plain recursion without a cache, for the caller's rank only.
class Plain {
 public:
  Plain(const UnitBuilder& b, std::uint32_t rank, std::uint32_t ranks) : b_(b), rank_(rank), ranks_(ranks) {}

  Value value(Node at) const {
    const hybrid_node& n = b_.nodes[at];
    const std::int64_t constant = hint_value(n);
    if (n.op == HYBRID_CONSTANT) return constant;
    if (n.op == HYBRID_RANK) return rank_;
    if (n.op == HYBRID_SIZE) return ranks_;
    if (n.op == HYBRID_INPUT) return std::nullopt;
    const Value a = value(n.a);
    if (!a) return std::nullopt;
    if (n.op == HYBRID_SELECT) return value(*a != 0 ? n.b : n.c);
    if (n.op == HYBRID_TRUNC || n.op == HYBRID_ZEXT) return cut(n.op == HYBRID_TRUNC, *a, constant);
    if (n.op == HYBRID_AND && *a == 0) return 0;
    const bool truth = b_.nodes[n.b].op >= HYBRID_EQ && b_.nodes[n.b].op <= HYBRID_ULE;
    if (n.op == HYBRID_OR && *a == 1 && truth) return 1;
    const Value b = value(n.b);
    if (!b) return std::nullopt;
    return binary(n.op, *a, *b);
  }

 private:
  static Value cut(bool is_signed, Wide a, std::int64_t bits) {
    const Wide modulus = Wide{1} << bits;
    Wide low = (a % modulus + modulus) % modulus;
    if (is_signed && low >= modulus / 2) low -= modulus;
    return static_cast<std::int64_t>(low);
  }
  static Value binary(std::uint32_t op, Wide a, Wide b) {
    const Wide two64 = Wide{1} << 64, two63 = Wide{1} << 63;
    const Wide ua = a < 0 ? a + two64 : a, ub = b < 0 ? b + two64 : b;
    switch (op) {
      case HYBRID_ADD:
        return cut(true, a + b, 64);
      case HYBRID_SUB:
        return cut(true, a - b, 64);
      case HYBRID_MUL:
        return cut(true, a * b, 64);
      case HYBRID_DIV:
        return b == 0 || a / b == two63 ? Value() : cut(true, a / b, 64);
      case HYBRID_MOD:
        return b == 0 || a / b == two63 ? Value() : cut(true, a % b, 64);
      case HYBRID_UDIV:
        return b == 0 ? Value() : cut(true, ua / ub, 64);
      case HYBRID_UMOD:
        return b == 0 ? Value() : cut(true, ua % ub, 64);
      case HYBRID_AND:
        return static_cast<std::int64_t>(a & b);
      case HYBRID_OR:
        return static_cast<std::int64_t>(a | b);
      case HYBRID_XOR:
        return static_cast<std::int64_t>(a ^ b);
      case HYBRID_SHL:
        return b < 0 || b > 63
                   ? Value()
                   : cut(true, cut(true, a, 64 - static_cast<int>(b)).value() * (Wide{1} << b), 64);
      case HYBRID_SHR:
        return b < 0 || b > 63 ? Value() : cut(true, ua / (Wide{1} << b), 64);
      case HYBRID_SAR:
        return b < 0 || b > 63
                   ? Value()
                   : cut(true,
                         (a - ((a % (Wide{1} << b)) + (Wide{1} << b)) % (Wide{1} << b)) / (Wide{1} << b), 64);
      case HYBRID_MIN:
        return static_cast<std::int64_t>(a < b ? a : b);
      case HYBRID_MAX:
        return static_cast<std::int64_t>(a < b ? b : a);
      case HYBRID_EQ:
        return a == b;
      case HYBRID_NE:
        return a != b;
      case HYBRID_LT:
        return a < b;
      case HYBRID_LE:
        return a <= b;
      case HYBRID_ULT:
        return ua < ub;
      case HYBRID_ULE:
        return ua <= ub;
      default:
        ADD_FAILURE() << op;
        return std::nullopt;
    }
  }

  const UnitBuilder& b_;
  std::int64_t rank_, ranks_;
};

TEST(Evaluation, OfRandomExpressionsAgreesWithTheReference) {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  NoHintValues none;
  int known = 0, unknown = 0;
  for (int trial = 0; trial < 400; ++trial) {
    UnitBuilder b;
    const Node world = b.world();
    b.rank(world), b.size(world);
    for (const std::int64_t c : {0L, 1L, -1L, 3L, 63L, 64L, INT64_MIN, INT64_MAX, 0xFFFFFFFFL}) b.constant(c);
    if (trial % 4 == 0) b.input("unknown");
    while (b.nodes.size() < 40) {
      const auto operand = [&] { return 1 + below(b.nodes.size() - 1); };
      const std::uint32_t op = HYBRID_ADD + below(HYBRID_ZEXT - HYBRID_ADD + 1);
      const Node x = operand(), y = operand(), z = operand();
      const bool is_cut = op == HYBRID_TRUNC || op == HYBRID_ZEXT;
      b.node(op, x, is_cut ? HYBRID_NONE : y, op == HYBRID_SELECT ? z : HYBRID_NONE,
             is_cut ? 1 + below(64) : 0);
    }
    const HintUnit unit = b.unit();
    HintEvaluator evaluator(unit, 12, none);
    for (const std::uint32_t rank : {0u, 5u, 11u})
      for (Node n = 1; n < b.nodes.size(); ++n) {
        const Value expected = Plain(b, rank, 12).value(n);
        ASSERT_EQ(evaluator.value(n, rank), expected)
            << "trial " << trial << " node " << n << " op " << b.nodes[n].op;
        ++(expected ? known : unknown);
      }
  }
  EXPECT_GT(known, 10'000);
  EXPECT_GT(unknown, 1'000);
}

TEST(Evaluation, DoesNotEvaluateWhatIsNotNeeded) {
  UnitBuilder b;
  const Node no = b.constant(0), yes = b.constant(1);
  const Node read = b.argument("left", 2);
  const Node truth = b.node(HYBRID_EQ, read, yes);
  const std::vector<Node> shy{b.select(no, read, yes), b.select(yes, yes, read),
                              b.node(HYBRID_AND, no, truth), b.node(HYBRID_OR, yes, truth)};
  const HintUnit unit = b.unit();
  MapValues values;
  HintEvaluator of(unit, 4, values);
  for (const Node n : shy) EXPECT_TRUE(of.value(n, 1).has_value());
  EXPECT_EQ(values.queries, 0);
  EXPECT_EQ(of.value(read, 1), 2001);
  of.value(truth, 1);
  EXPECT_EQ(values.queries, 1) << "a value is read once";
  of.forget();
  of.value(truth, 1);
  EXPECT_EQ(values.queries, 2);
}

TEST(Evaluation, ReportsTheUnknownValue) {
  UnitBuilder b;
  const Node sum = b.node(HYBRID_ADD, b.rank(), b.input("argv[1]"));
  const Node quotient = b.node(HYBRID_DIV, b.rank(), b.constant(0));
  const HintUnit unit = b.unit();
  MapValues values;
  HintEvaluator of(unit, 4, values);
  EXPECT_EQ(of.value(sum, 0), std::nullopt);
  EXPECT_EQ(of.reason(), "argv[1] is not known");
  EXPECT_EQ(of.value(quotient, 0), std::nullopt);
  EXPECT_EQ(of.reason(), "rank / 0 has no value");
  values.inputs["argv[1]"] = 5;
  of.forget();
  EXPECT_EQ(of.value(sum, 2), 7);
}

TEST(Evaluation, OfASplitUsesColorAndKeyOfAllRanks) {
  UnitBuilder b;
  const Node rank = b.rank(), three = b.constant(3);
  // Columns of a 4 x 3 grid, in descending order, without rank 11.
  const Node column =
      b.select(b.node(HYBRID_EQ, rank, b.constant(11)), b.constant(-32766), b.node(HYBRID_MOD, rank, three));
  const Node split = b.node(HYBRID_SPLIT, b.world(), column, b.node(HYBRID_SUB, b.constant(0), rank));
  const Node local = b.rank(split), size = b.size(split);
  const Node member = b.node(HYBRID_MEMBER, split);
  const HintUnit unit = b.unit();
  NoHintValues none;
  HintEvaluator of(unit, 12, none);
  bool known = false;
  ASSERT_NE(of.communicator(split, 4, known), nullptr);
  EXPECT_THAT(of.communicator(split, 4, known)->members, ElementsAre(10, 7, 4, 1));
  EXPECT_EQ(of.value(local, 4), 2);
  EXPECT_EQ(of.value(size, 5), 3);
  EXPECT_EQ(of.communicator(split, 11, known), nullptr);
  EXPECT_TRUE(known);
  EXPECT_EQ(of.value(size, 11), std::nullopt);
  EXPECT_EQ(of.value(member, 4), 1);
  EXPECT_EQ(of.value(member, 11), 0);
}

TEST(Evaluation, OfASplitByUnknownValuesOfOthersIsUnknown) {
  UnitBuilder b;
  const Node split = b.node(HYBRID_SPLIT, b.world(), b.argument("color", 0), b.rank());
  const Node cart = b.node(HYBRID_CART, b.world(),
                           b.list({b.node(HYBRID_SUB, b.argument("rows", 0), b.constant(1)), b.constant(0)}),
                           b.constants({0, 0}));
  const Node size = b.size(split), place = b.node(HYBRID_COORDINATE, cart);
  const HintUnit unit = b.unit();
  MapValues own;
  own.only_rank = 3;
  HintEvaluator of(unit, 6, own);
  EXPECT_EQ(of.value(size, 3), std::nullopt);
  EXPECT_EQ(of.value(place, 3), 1) << "the sizes of a grid are equal on all ranks";
}

// Compared with the results of MPICH 4.0.2 on 12 ranks.
TEST(Evaluation, OfCartesianCommunicatorsAgreesWithMpich) {
  UnitBuilder b;
  const Node cart = b.node(HYBRID_CART, b.world(), b.constants({0, 0}), b.constants({0, 1}), 1);  // 4 x 3
  const auto shift = [&](std::int64_t dimension, std::int64_t by, int which) {
    return b.node(HYBRID_SHIFT, cart, b.constant(dimension), b.constant(by), which);
  };
  const Node up = shift(0, 1, 0), down = shift(0, 1, 1), left = shift(1, -2, 1), far = shift(0, INT64_MIN, 1);
  const Node row = b.node(HYBRID_COORDINATE, cart, HYBRID_NONE, HYBRID_NONE, 0);
  const Node column = b.node(HYBRID_COORDINATE, cart, HYBRID_NONE, HYBRID_NONE, 1);
  const Node wrapped = b.node(HYBRID_CART_RANK, cart, b.constants({1, -1}));
  const Node outside = b.node(HYBRID_CART_RANK, cart, b.constants({4, 0}));
  const Node columns = b.node(HYBRID_CART_SUB, cart, b.constants({1, 0}));
  const Node in_column = b.rank(columns);
  const Node below = b.node(HYBRID_SHIFT, columns, b.constant(0), b.constant(1), 1);
  const Node small = b.node(HYBRID_CART, b.world(), b.constants({2, 5}), b.constants({0, 0}));
  const Node large =
      b.node(HYBRID_CART, b.world(), b.constants({1 << 30, 1 << 30, 1 << 30}), b.constants({0, 0, 0}));
  const HintUnit unit = b.unit();
  NoHintValues none;
  HintEvaluator of(unit, 12, none);
  EXPECT_EQ(of.value(row, 7), 2);
  EXPECT_EQ(of.value(column, 7), 1);
  EXPECT_EQ(of.value(up, 7), 4);
  EXPECT_EQ(of.value(down, 7), 10);
  EXPECT_EQ(of.value(up, 1), kHintProcNull);
  EXPECT_EQ(of.value(down, 10), kHintProcNull);
  EXPECT_EQ(of.value(far, 10), kHintProcNull);
  EXPECT_EQ(of.value(left, 7), 8);
  EXPECT_EQ(of.value(wrapped, 0), 5);
  EXPECT_EQ(of.value(outside, 0), std::nullopt);
  bool known = false;
  EXPECT_THAT(of.communicator(columns, 7, known)->members, ElementsAre(1, 4, 7, 10));
  EXPECT_EQ(of.value(in_column, 7), 2);
  EXPECT_EQ(of.value(below, 7), 3);
  EXPECT_EQ(of.communicator(small, 9, known)->members.size(), 10u);
  EXPECT_EQ(of.communicator(small, 10, known), nullptr);
  EXPECT_TRUE(known);
  EXPECT_EQ(of.communicator(large, 0, known), nullptr);
  EXPECT_FALSE(known);
}

}  // namespace
}  // namespace hybrid
