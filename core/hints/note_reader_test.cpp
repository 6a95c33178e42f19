#include "core/hints/note_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "core/hints/print_expression.h"
#include "core/hints/testing/unit_builder.h"

namespace hybrid {
namespace {

using testing::HasSubstr;
using Node = UnitBuilder::Node;

HintUnit read(const std::string& bytes) { return read_hint_unit(std::as_bytes(std::span(bytes)), "a.out"); }

// A unit with entries in all tables.
UnitBuilder rich() {
  UnitBuilder b("ring.c");
  const Node rank = b.rank(), one = b.constant(1);
  const std::uint32_t outer =
      b.loop(b.node(HYBRID_LT, b.variable(0), b.size()),
             {{one, b.node(HYBRID_MUL, b.variable(0), b.constant(2)), b.string("d")}});
  const std::uint32_t inner = b.loop(HYBRID_NONE, {{one, b.input("next"), HYBRID_NONE}}, outer);
  const Node cart = b.node(HYBRID_CART, b.world(), b.constants({0, 0}), b.constants({1, 1}));
  const std::uint32_t around = b.phase({.name = "solve", .kind = HYBRID_PHASE_PROCEDURE});
  const std::uint32_t phase = b.phase({.name = "ring",
                                       .pattern = "mesh2d",
                                       .dimensions = b.constants({4, 4}),
                                       .connections = b.list({rank, b.node(HYBRID_ADD, rank, one)}),
                                       .condition = b.argument("on", 0),
                                       .parent = around,
                                       .value_count = 1});
  b.site({.peer = b.node(HYBRID_SHIFT, cart, one, one, 1), .guard = rank, .loop = inner, .phase = phase});
  b.site({.communicator = b.node(HYBRID_CART_SUB, cart, b.constants({1, 0})),
          .call = "MPI_Bcast",
          .kind = HYBRID_COLLECTIVE});
  b.site({.peer = b.variable(1), .loop = inner});
  b.site({.call = "MPI_Isend", .site_class = HYBRID_DYNAMIC, .reason = "read from a message"});
  return b;
}

void expect_rejected(const UnitBuilder& b, const std::string& why) {
  try {
    b.unit();
    ADD_FAILURE() << "not rejected: " << why;
  } catch (const UserError& e) {
    EXPECT_THAT(e.what(), HasSubstr(why));
    EXPECT_THAT(e.what(), testing::StartsWith("hand.o: unit "));
  }
}

TEST(NoteReader, ReadsAllTables) {
  const UnitBuilder b = rich();
  const HintUnit unit = read(b.bytes());
  EXPECT_EQ(unit.file, "a.out");
  EXPECT_EQ(unit.text(unit.name), "ring.c");
  ASSERT_EQ(unit.nodes.size(), b.nodes.size());
  ASSERT_EQ(unit.sites.size(), 4u);
  EXPECT_EQ(unit.text(unit.sites[3].reason), "read from a message");
  EXPECT_EQ(unit.text(HYBRID_NONE), "");
  ASSERT_EQ(unit.phases.size(), 2u);
  EXPECT_EQ(unit.text(unit.phases[1].pattern), "mesh2d");
  EXPECT_EQ(unit.phases[1].parent, 0u);
  EXPECT_EQ(unit.loops.size(), 2u);
  EXPECT_EQ(unit.phases[1].value_count, 1u);
}

TEST(NoteReader, NeedsNoAlignment) {
  const std::string bytes = "x" + rich().bytes();
  EXPECT_EQ(read_hint_unit(std::as_bytes(std::span(bytes)).subspan(1), "a.out").sites.size(), 4u);
}

TEST(NoteReader, RejectsAnotherVersion) {
  std::string bytes = rich().bytes();
  bytes[0] = 7;
  try {
    read(bytes);
    FAIL();
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(),
                 "a.out: a unit has hints of version 7; this libhybrid reads version 6\n"
                 "  Compile it again with the plugin of this libhybrid.");
  }
}

TEST(NoteReader, RejectsEveryWrongLength) {
  const std::string bytes = rich().bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(read(bytes.substr(0, size)), UserError) << size;
  EXPECT_NO_THROW(read(bytes));
}

TEST(NoteReader, RejectsInvalidTablesAndReportsTheRule) {
  const auto broken = [](const std::function<void(UnitBuilder&)>& damage, const std::string& why) {
    UnitBuilder b = rich();
    damage(b);
    expect_rejected(b, why);
  };
  broken([](auto& b) { b.nodes[1].a = 1; }, "an operand of node 1 is node 1; expected one below 1");
  broken([](auto& b) { b.nodes[1].op = 250; }, "node 1 has the unknown operation 250");
  broken([](auto& b) { b.node(HYBRID_RANK, b.constant(1)); }, "a value; expected a communicator");
  broken([](auto& b) { b.node(HYBRID_ADD, 1, HYBRID_NONE); }, "is node none");
  broken([](auto& b) { b.argument("x", ~0u); }, "has the value 4294967295");
  broken([](auto& b) { b.variable(2); }, "has the value 2");
  broken([](auto& b) { b.loops[0].parent = 0; }, "loop 0 is in loop 0");
  broken([](auto& b) { b.loops[1].first_variable = 0; }, "a variable of another loop");
  broken([](auto& b) { b.loops[1].variable_count = ~0u; }, "variables that do not exist");
  broken([](auto& b) { b.variables[0].first = 9999; }, "the first value of loop variable 0");
  broken([](auto& b) { b.sites[0].peer = HYBRID_NONE; }, "the peer of call site 0");
  broken([](auto& b) { b.sites[0].loop = 2; }, "the loop of call site 0 is number 2 of 2");
  broken([](auto& b) { b.sites[0].phase = 2; }, "the phase of call site 0");
  broken([](auto& b) { b.sites[1].kind = 9; }, "the kind of call site 1 is 9");
  broken([](auto& b) { b.sites[1].call = 1u << 30; }, "the call of call site 1 is string");
  broken([](auto& b) { b.phases[0].parent = 1; }, "is inside itself");
  broken([](auto& b) { b.phases[1].connections = b.constants({1, 2, 3}); }, "an odd number of ends");
  const auto profiled = [&](const std::vector<std::int64_t>& profile, const std::string& why) {
    broken([&](auto& b) { b.phases[1].profile = b.constants(profile); }, "the profile of phase 1 " + why);
  };
  profiled({4, 0, 1, 4, 2}, "ends within a connection");
  profiled({4, 0, 4}, "has element 2 that is not a rank below that number");
  profiled({4, 0, 1, 0}, "has element 3 that is not a number of ranks");
  broken([](auto& b) { b.phases[1].profile = b.list({b.constant(4), b.rank(), b.constant(0)}); },
         "has element 1 that is not a rank");
  broken([](auto& b) { b.strings.back() = 'x'; }, "");
  broken(
      [](auto& b) {
        Node deep = b.rank();
        for (std::uint32_t i = 0; i <= kHintDepth; ++i) deep = b.node(HYBRID_ADD, deep, deep);
      },
      "nested deeper than 1000");
}

TEST(NoteReader, AcceptsLongLists) {
  UnitBuilder b;
  b.phase({.connections = b.constants(std::vector<std::int64_t>(100'000, 1))});
  EXPECT_EQ(b.unit().phases.size(), 1u);
}

TEST(NoteReader, SurvivesAnyDamage) {
  const std::string good = rich().bytes();
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  int rejected = 0;
  constexpr int kTrials = 20'000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::string bytes = good;
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
      static constexpr std::uint32_t kWords[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF};
      const std::size_t word = below(bytes.size() / 4) * 4;
      if (below(2) == 0)
        bytes[below(bytes.size())] = static_cast<char>(below(256));
      else
        std::memcpy(&bytes[word], &kWords[below(std::size(kWords))], 4);
    }
    if (below(8) == 0) bytes.resize(below(bytes.size()));
    try {
      const HintUnit unit = read(bytes);
      for (std::uint32_t i = 0; i < unit.nodes.size(); ++i) print_expression(unit, i, 50);
      for (const hybrid_site& site : unit.sites) unit.text(site.reason);
    } catch (const UserError&) {
      ++rejected;
    }
  }
  EXPECT_GT(rejected, kTrials / 4);
  EXPECT_LT(rejected, kTrials);
}

}  // namespace
}  // namespace hybrid
