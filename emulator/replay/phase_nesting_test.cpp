#include "emulator/replay/phase_nesting.h"

#include <gtest/gtest.h>

#include "emulator/replay/memory_trace_for_test.h"

namespace hybrid {
namespace {

using Connections = std::set<Connection>;
using Phases = std::map<std::string, Connections>;

TEST(PhaseNesting, WhatFitsTogetherIsHeldTogether) {
  PhaseNesting nesting;
  nesting.add("", "loop");
  nesting.add("loop", "left");
  nesting.add("loop", "right");
  const Phases own{{"left", {{0, 1}, {1, 2}}}, {"right", {{1, 0}, {2, 1}}}};
  const Connections all{{0, 1}, {1, 0}, {1, 2}, {2, 1}};
  EXPECT_EQ(nesting.whole(own, 3, 2), (Phases{{"left", all}, {"loop", all}, {"right", all}}));
  // Port 1 has two in each direction: one slot holds only the half of it.
  EXPECT_EQ(nesting.whole(own, 3, 1), own);
}

TEST(PhaseNesting, TheOutermostThatFits) {
  PhaseNesting nesting;
  nesting.add("", "program");
  nesting.add("program", "loop");
  nesting.add("program", "end");
  nesting.add("loop", "a");
  nesting.add("loop", "b");
  const Phases own{{"a", {{0, 1}}}, {"b", {{0, 2}}}, {"end", {{0, 3}}}};
  const Connections loop{{0, 1}, {0, 2}};
  EXPECT_EQ(nesting.whole(own, 4, 2), (Phases{{"a", loop}, {"b", loop}, {"end", {{0, 3}}}, {"loop", loop}}));
  const Connections all{{0, 1}, {0, 2}, {0, 3}};
  EXPECT_EQ(nesting.whole(own, 4, 3),
            (Phases{{"a", all}, {"b", all}, {"end", all}, {"loop", all}, {"program", all}}));
}

TEST(PhaseNesting, APhaseInSeveralOthersIsTakenByItself) {
  PhaseNesting nesting;
  nesting.add("", "one");
  nesting.add("", "two");
  nesting.add("one", "exchange");
  nesting.add("two", "exchange");
  nesting.add("", "alone");
  nesting.add("one", "alone");
  const Phases own{{"exchange", {{0, 1}}}, {"one", {{1, 0}}}, {"alone", {{2, 0}}}};
  EXPECT_EQ(nesting.whole(own, 3, 4), (Phases{{"exchange", {{0, 1}}},
                                              {"alone", {{2, 0}}},
                                              {"one", {{0, 1}, {1, 0}, {2, 0}}},
                                              {"two", {{0, 1}}}}));
}

TEST(PhaseNesting, WhatDoesNotFitItselfKeepsItsOwn) {
  PhaseNesting nesting;
  nesting.add("", "loop");
  nesting.add("loop", "wide");
  const Phases own{{"loop", {{3, 0}}}, {"wide", {{0, 1}, {0, 2}, {0, 3}}}};
  EXPECT_EQ(nesting.whole(own, 4, 2), own);
}

TEST(PhaseNesting, PhasesInOneAnotherEnd) {
  PhaseNesting nesting;
  nesting.add("b", "a");
  nesting.add("a", "b");
  const Connections both{{0, 1}, {1, 0}};
  EXPECT_EQ(nesting.whole({{"a", {{0, 1}}}, {"b", {{1, 0}}}}, 2, 1), (Phases{{"a", both}, {"b", both}}));
}

TEST(PhaseNesting, IsReadFromATrace) {
  MemoryTrace trace(2);
  trace.regions = {"loop", "left", "right"};
  const auto phase = [&](std::uint32_t rank, Operation::Kind kind, std::uint32_t region) {
    Operation o;
    o.kind = kind;
    o.region = region;
    trace.add(rank, o);
  };
  using enum Operation::Kind;
  phase(0, phase_begin, 0);
  phase(0, phase_begin, 1);
  phase(0, phase_end, 1);
  phase(0, phase_end, 0);
  phase(1, phase_begin, 0);
  phase(1, phase_begin, 2);
  const Phases own{{"left", {{0, 1}}}, {"right", {{1, 0}}}};
  const Connections both{{0, 1}, {1, 0}};
  EXPECT_EQ(phase_nesting(trace).whole(own, 2, 1), (Phases{{"left", both}, {"loop", both}, {"right", both}}));
}

}  // namespace
}  // namespace hybrid
