#include "emulator/replay/phase_hints.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/hints/testing/unit_builder.h"
#include "emulator/replay/testing/jobs.h"
#include "emulator/replay/testing/memory_trace.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using Connections = std::set<Connection>;
using Phases = std::map<std::string, Connections>;

TEST(PhaseHints, RecordedOnesAreOfTheInnermostPhase) {
  MemoryTrace trace(4);
  trace.regions = {"a", "b"};
  trace.add(0, make(Kind::hint, 3));  // outside all phases
  trace.add(0, make_phase(Kind::phase_begin, 0));
  trace.add(0, make(Kind::hint, 1));
  trace.add(0, make_phase(Kind::phase_begin, 1));
  trace.add(0, make(Kind::hint, 2));
  trace.add(0, make_phase(Kind::phase_end, 1));
  trace.add(0, make(Kind::hint, 3));
  trace.add(0, make(Kind::hint, 0));  // itself
  trace.add(0, make_phase(Kind::phase_end, 0));
  trace.add(2, make_phase(Kind::phase_begin, 0));
  trace.add(2, make(Kind::hint, 3));
  const PhaseHints hints = read_recorded_hints(trace);
  ASSERT_EQ(hints.phases.size(), 2u);
  EXPECT_EQ(hints.phases.at("a"), (Connections{{0, 1}, {0, 3}, {2, 3}}));
  EXPECT_EQ(hints.phases.at("b"), (Connections{{0, 2}}));
  EXPECT_TRUE(hints.unknown.empty());
}

// Phase "ring": to the next rank. Phase "shifted": by the value of a variable, which is unknown, and to rank
// 0.
HintUnit unit() {
  UnitBuilder b;
  const auto next = b.node(HYBRID_MOD, b.node(HYBRID_ADD, b.rank(), b.constant(1)), b.size());
  const auto ring = b.phase({.name = "ring"});
  b.site({.peer = next, .phase = ring});
  const auto shifted = b.phase({.name = "shifted"});
  b.site({.peer = b.node(HYBRID_ADD, b.rank(), b.input("shift")), .phase = shifted});
  b.site({.peer = b.constant(0), .phase = shifted});
  b.phase({.name = "silent"});
  return b.unit();
}

TEST(PhaseHints, ThoseOfABinaryAreEvaluatedForTheJobsRanks) {
  const PhaseHints hints = evaluate_hints({unit()}, 3);
  ASSERT_EQ(hints.phases.size(), 2u) << "a phase without known connections is left out";
  EXPECT_EQ(hints.phases.at("ring"), (Connections{{0, 1}, {1, 2}, {2, 0}}));
  EXPECT_EQ(hints.phases.at("shifted"), (Connections{{1, 0}, {2, 0}})) << "the known ones";
  ASSERT_EQ(hints.unknown.size(), 1u);
  EXPECT_NE(hints.unknown.at("shifted").find("shift"), std::string::npos) << hints.unknown.at("shifted");
  EXPECT_EQ(evaluate_hints({unit()}, 16).phases.at("ring").size(), 16u);
}

TEST(PhaseHints, ThePlanIsOfPorts) {
  PhaseHints hints;
  hints.phases["a"] = {{0, 1}, {0, 2}, {0, 3}, {1, 0}};
  // Ranks 0 and 1 share port 2.
  const PhasePreloads one = plan(hints, {}, {2, 2, 0, 1}, 3, 1);
  EXPECT_EQ(one.at("a").at(0).connections(), (std::vector<Connection>{{2, 0}})) << "the lower port first";
  const PhasePreloads two = plan(hints, {}, {2, 2, 0, 1}, 3, 2);
  EXPECT_EQ(two.at("a").at(0).count() + two.at("a").at(1).count(), 2u);
  EXPECT_TRUE(plan(hints, {}, {2, 2, 0, 1}, 3, 0).empty());
}

// Two phases in turn, each with a different ring; four turns.
MemoryTrace rings() {
  constexpr std::uint32_t kRanks = 4;
  MemoryTrace trace(kRanks);
  trace.regions = {"one", "two"};
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    for (std::uint32_t turn = 0; turn < 8; ++turn) {
      const std::uint32_t shift = 1 + turn % 2;
      trace.add(rank, make_phase(Kind::phase_begin, turn % 2));
      if (turn < 2) trace.add(rank, make(Kind::hint, (rank + shift) % kRanks));
      // Compute time, in which the connection is established.
      trace.add(rank, make(Kind::send_start, (rank + shift) % kRanks, 100, microseconds(5), 1));
      trace.add(rank, make(Kind::recv, (rank + kRanks - shift) % kRanks, 100));
      trace.add(rank, make(Kind::send_complete, 0, 0, {}, 1));
      trace.add(rank, make_phase(Kind::phase_end, turn % 2));
    }
    trace.add(rank, finish());
  }
  return trace;
}

Measures emulate(const char* predictor, bool preloaded, bool notify_predictors) {
  SwitchParameters parameters;
  parameters.technique = "hybrid";
  parameters.slots = 1;
  parameters.predictor = predictor;
  ReplayOptions options;
  options.notify_predictors = notify_predictors;
  if (preloaded) {
    MemoryTrace trace = rings();
    options.preloads = plan(read_recorded_hints(trace), {}, {0, 1, 2, 3}, 4, 1);
  }
  MemoryTrace trace = rings();
  return replay(trace, parameters, options).measures;
}

TEST(PhaseHints, PreloadsOfHintsMakeEveryMessageAHit) {
  const Measures with = emulate("none", true, true);
  EXPECT_EQ(with.hit_rate, 1.0);
  EXPECT_EQ(with.statistics.requests, 0u);
  EXPECT_EQ(emulate("none", false, true).hit_rate, 0.0);
}

// There is one slot: without the phases, the predictor has released the ring of the phase before.
TEST(PhaseHints, APredictorThatKnowsThePhasesHitsTheirFirstMessages) {
  const Measures with = emulate("working-set", false, true), without = emulate("working-set", false, false);
  EXPECT_EQ(with.messages, 32u);
  EXPECT_EQ(with.hit_rate, 0.75) << "all but the first occurrences";
  EXPECT_LT(without.hit_rate, 0.1);
  EXPECT_LT(with.time, without.time);
}

TEST(PhaseNesting, PhasesThatFitTogetherAreHeldTogether) {
  PhaseNesting nesting;
  nesting.add("", "loop");
  nesting.add("loop", "left");
  nesting.add("loop", "right");
  const Phases own{{"left", {{0, 1}, {1, 2}}}, {"right", {{1, 0}, {2, 1}}}};
  const Connections all{{0, 1}, {1, 0}, {1, 2}, {2, 1}};
  EXPECT_EQ(nesting.whole(own, 3, 2), (Phases{{"left", all}, {"loop", all}, {"right", all}}));
  // Port 1 has two connections in each direction: one slot holds only one.
  EXPECT_EQ(nesting.whole(own, 3, 1), own);
}

TEST(PhaseNesting, TheOutermostPhaseThatFitsIsHeld) {
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

TEST(PhaseNesting, APhaseThatDoesNotFitKeepsItsOwnConnections) {
  PhaseNesting nesting;
  nesting.add("", "loop");
  nesting.add("loop", "wide");
  const Phases own{{"loop", {{3, 0}}}, {"wide", {{0, 1}, {0, 2}, {0, 3}}}};
  EXPECT_EQ(nesting.whole(own, 4, 2), own);
}

TEST(PhaseNesting, PhasesMayBeInOneAnother) {
  PhaseNesting nesting;
  nesting.add("b", "a");
  nesting.add("a", "b");
  const Connections both{{0, 1}, {1, 0}};
  EXPECT_EQ(nesting.whole({{"a", {{0, 1}}}, {"b", {{1, 0}}}}, 2, 1), (Phases{{"a", both}, {"b", both}}));
}

TEST(PhaseNesting, IsReadFromATrace) {
  MemoryTrace trace(2);
  trace.regions = {"loop", "left", "right"};
  trace.add(0, make_phase(Kind::phase_begin, 0));
  trace.add(0, make_phase(Kind::phase_begin, 1));
  trace.add(0, make_phase(Kind::phase_end, 1));
  trace.add(0, make_phase(Kind::phase_end, 0));
  trace.add(1, make_phase(Kind::phase_begin, 0));
  trace.add(1, make_phase(Kind::phase_begin, 2));
  const Phases own{{"left", {{0, 1}}}, {"right", {{1, 0}}}};
  const Connections both{{0, 1}, {1, 0}};
  EXPECT_EQ(read_phase_nesting(trace).whole(own, 2, 1),
            (Phases{{"left", both}, {"loop", both}, {"right", both}}));
}

}  // namespace
}  // namespace hybrid
