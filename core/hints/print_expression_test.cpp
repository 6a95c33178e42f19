#include "core/hints/print_expression.h"

#include <gtest/gtest.h>

#include "core/hints/testing/unit_builder.h"

namespace hybrid {
namespace {

using Node = UnitBuilder::Node;

std::string printed(const UnitBuilder& b) {
  return print_expression(b.unit(), static_cast<Node>(b.nodes.size() - 1));
}

TEST(PrintExpression, WritesCWithOnlyNecessaryParentheses) {
  UnitBuilder b;
  const Node rank = b.rank(), size = b.size(), one = b.constant(1), four = b.constant(4);
  const Node next = b.node(HYBRID_ADD, rank, one);
  b.select(b.node(HYBRID_LT, next, size), next, b.proc_null());
  EXPECT_EQ(printed(b), "rank + 1 < size ? rank + 1 : MPI_PROC_NULL");
  b.node(HYBRID_MOD, next, size);
  EXPECT_EQ(printed(b), "(rank + 1) % size");
  b.node(HYBRID_SUB, rank, b.node(HYBRID_SUB, size, one));
  EXPECT_EQ(printed(b), "rank - (size - 1)");
  b.node(HYBRID_SUB, b.node(HYBRID_SUB, rank, size), one);
  EXPECT_EQ(printed(b), "rank - size - 1");
  b.node(HYBRID_EQ, b.node(HYBRID_AND, rank, one), b.node(HYBRID_SHL, one, four));
  EXPECT_EQ(printed(b), "(rank & 1) == 1 << 4");
  b.node(HYBRID_MUL, rank, b.constant(-1));
  EXPECT_EQ(printed(b), "rank * -1");
  b.node(HYBRID_MIN, next, b.select(rank, one, four));
  EXPECT_EQ(printed(b), "min(rank + 1, rank ? 1 : 4)");
}

TEST(PrintExpression, WritesCommunicatorsAsTheirConstructingCalls) {
  UnitBuilder b;
  const Node rank = b.rank(), four = b.constant(4);
  const Node split =
      b.node(HYBRID_SPLIT, b.world(), b.node(HYBRID_DIV, rank, four), b.node(HYBRID_MOD, rank, four));
  EXPECT_EQ(printed(b), "MPI_Comm_split(MPI_COMM_WORLD, rank / 4, rank % 4)");
  b.node(HYBRID_ADD, b.rank(split), four);
  EXPECT_EQ(printed(b), "(rank of MPI_Comm_split(MPI_COMM_WORLD, rank / 4, rank % 4)) + 4");
  const Node cart = b.node(HYBRID_CART, b.world(), b.constants({0, 4}), b.constants({1, 0}));
  b.node(HYBRID_SHIFT, cart, b.constant(0), b.constant(1), 1);
  EXPECT_EQ(printed(b),
            "destination of MPI_Cart_shift(MPI_Cart_create(MPI_COMM_WORLD, {0, 4}, {1, 0}), 0, 1)");
  b.node(HYBRID_COORDINATE, b.node(HYBRID_CART_SUB, cart, b.constants({1, 0})), HYBRID_NONE, HYBRID_NONE, 1);
  EXPECT_EQ(printed(b),
            "coordinate 1 of MPI_Cart_sub(MPI_Cart_create(MPI_COMM_WORLD, {0, 4}, {1, 0}), {1, 0})");
}

TEST(PrintExpression, WritesTheNamesOfReadVariables) {
  UnitBuilder b;
  b.node(HYBRID_ADD, b.argument("params.left", 0), b.input("argv[1]"));
  EXPECT_EQ(printed(b), "params.left + argv[1]");
  b.loop(HYBRID_NONE, {{b.constant(0), b.constant(0), b.string("round")}});
  b.variable(0);
  EXPECT_EQ(printed(b), "round");
  EXPECT_EQ(print_loops(b.unit(), 0), std::vector<std::string>{"for (round = 0; ?; round = 0)"});
  b.loop(b.rank(), {}, 0);
  EXPECT_EQ(print_loops(b.unit(), 1).back(), "while (rank)");
}

TEST(PrintExpression, TruncatesLongText) {
  UnitBuilder b;
  Node sum = b.rank();
  for (int i = 0; i < 900; ++i) sum = b.node(HYBRID_ADD, sum, sum);  // 2 to the power of 900 terms
  const std::string text = print_expression(b.unit(), sum, 100);
  EXPECT_EQ(text.size(), 103u);
  EXPECT_TRUE(text.ends_with("..."));
}

}  // namespace
}  // namespace hybrid
