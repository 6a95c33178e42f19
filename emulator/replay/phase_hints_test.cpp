#include "emulator/replay/phase_hints.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/hints/testing/unit_builder.h"
#include "emulator/replay/job_for_test.h"
#include "emulator/replay/memory_trace_for_test.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using Connections = std::set<Connection>;

Operation phase(Kind kind, std::uint32_t region, Time compute = {}) {
  Operation o = make(kind, 0, 0, compute);
  o.region = region;
  return o;
}

TEST(PhaseHints, RecordedOnesAreOfTheInnermostPhase) {
  MemoryTrace trace(4);
  trace.regions = {"a", "b"};
  trace.add(0, make(Kind::hint, 3));  // outside all of them
  trace.add(0, phase(Kind::phase_begin, 0));
  trace.add(0, make(Kind::hint, 1));
  trace.add(0, phase(Kind::phase_begin, 1));
  trace.add(0, make(Kind::hint, 2));
  trace.add(0, phase(Kind::phase_end, 1));
  trace.add(0, make(Kind::hint, 3));
  trace.add(0, make(Kind::hint, 0));  // itself
  trace.add(0, phase(Kind::phase_end, 0));
  trace.add(2, phase(Kind::phase_begin, 0));
  trace.add(2, make(Kind::hint, 3));
  const PhaseHints hints = recorded_hints(trace);
  ASSERT_EQ(hints.phases.size(), 2u);
  EXPECT_EQ(hints.phases.at("a"), (Connections{{0, 1}, {0, 3}, {2, 3}}));
  EXPECT_EQ(hints.phases.at("b"), (Connections{{0, 2}}));
  EXPECT_TRUE(hints.unknown.empty());
}

// Phase "ring": to the next rank; phase "shifted": to where a variable says, which nobody knows.
HintUnit unit() {
  UnitBuilder b;
  const auto next = b.node(HYBRID_MOD, b.node(HYBRID_ADD, b.rank(), b.constant(1)), b.size());
  const auto ring = b.phase({.name = "ring"});
  b.site({.peer = next, .phase = ring});
  const auto shifted = b.phase({.name = "shifted"});
  b.site({.peer = b.node(HYBRID_ADD, b.rank(), b.load("shift", 0)), .phase = shifted});
  b.site({.peer = b.constant(0), .phase = shifted});
  b.phase({.name = "silent"});
  return b.unit();
}

TEST(PhaseHints, ThoseOfABinaryAreEvaluatedForTheJobsRanks) {
  const PhaseHints hints = evaluated_hints({unit()}, 3);
  ASSERT_EQ(hints.phases.size(), 2u) << "what nothing is known of is left out";
  EXPECT_EQ(hints.phases.at("ring"), (Connections{{0, 1}, {1, 2}, {2, 0}}));
  EXPECT_EQ(hints.phases.at("shifted"), (Connections{{1, 0}, {2, 0}})) << "what is known";
  ASSERT_EQ(hints.unknown.size(), 1u);
  EXPECT_NE(hints.unknown.at("shifted").find("shift"), std::string::npos) << hints.unknown.at("shifted");
  EXPECT_EQ(evaluated_hints({unit()}, 16).phases.at("ring").size(), 16u);
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

// Each phase has a ring of its own; four turns.
MemoryTrace rings() {
  constexpr std::uint32_t kRanks = 4;
  MemoryTrace trace(kRanks);
  trace.regions = {"one", "two"};
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    for (std::uint32_t turn = 0; turn < 8; ++turn) {
      const std::uint32_t shift = 1 + turn % 2;
      trace.add(rank, phase(Kind::phase_begin, turn % 2));
      if (turn < 2) trace.add(rank, make(Kind::hint, (rank + shift) % kRanks));
      // Time to be established in.
      trace.add(rank, make(Kind::send_start, (rank + shift) % kRanks, 100, microseconds(5), 1));
      trace.add(rank, make(Kind::recv, (rank + kRanks - shift) % kRanks, 100));
      trace.add(rank, make(Kind::send_complete, 0, 0, {}, 1));
      trace.add(rank, phase(Kind::phase_end, turn % 2));
    }
    trace.add(rank, finish());
  }
  return trace;
}

Measures emulate(const char* predictor, bool preloaded, bool tell_phases) {
  SwitchParameters parameters;
  parameters.technique = "hybrid";
  parameters.slots = 1;
  parameters.predictor = predictor;
  ReplayOptions options;
  options.tell_phases = tell_phases;
  if (preloaded) {
    MemoryTrace trace = rings();
    options.preloads = plan(recorded_hints(trace), {}, {0, 1, 2, 3}, 4, 1);
  }
  MemoryTrace trace = rings();
  return replay(trace, parameters, options).measures;
}

TEST(PhaseHints, AloneTheyMakeEveryMessageAHit) {
  const Measures with = emulate("none", true, true);
  EXPECT_EQ(with.hit_rate, 1.0);
  EXPECT_EQ(with.statistics.requests, 0u);
  EXPECT_EQ(emulate("none", false, true).hit_rate, 0.0);
}

// With one place, whoever is not told has let go of the other ring.
TEST(PhaseHints, APredictorThatIsToldOfPhasesHitsTheirFirstMessages) {
  const Measures told = emulate("working-set", false, true), untold = emulate("working-set", false, false);
  EXPECT_EQ(told.messages, 32u);
  EXPECT_EQ(told.hit_rate, 0.75) << "all but the first occurrences";
  EXPECT_LT(untold.hit_rate, 0.1);
  EXPECT_LT(told.time, untold.time);
}

}  // namespace
}  // namespace hybrid
