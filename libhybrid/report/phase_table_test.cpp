#include "libhybrid/report/phase_table.h"

#include <gtest/gtest.h>

namespace hybrid {
namespace {

TEST(PhaseTable, HasARowPerTechniqueAndPhase) {
  Measures wormhole, tdm;
  wormhole.technique = "wormhole";
  tdm.technique = "tdm";
  tdm.slots = 4;
  PhaseMeasures phase;
  phase.name = "all-to-all";
  phase.time = microseconds(20);
  phase.messages = 4000;
  phase.hits = 1000;
  phase.bytes = 8192;
  phase.utilisation = 0.5;
  phase.latency.add(nanoseconds(500));
  wormhole.phases = {phase};
  phase.name = "mesh";
  tdm.phases = {wormhole.phases.front(), phase};
  EXPECT_EQ(
      phase_measures_table({&wormhole, &tdm}, 2, 100),
      "  technique  slots  phase          time  utilisation  messages  bytes     p50     p99  hit rate\n"
      "  wormhole       -  all-to-all  20.0 us       50.0 %     4,000  8 KiB  500 ns  500 ns    25.0 %\n"
      "  tdm            4  all-to-all  20.0 us       50.0 %     4,000  8 KiB  500 ns  500 ns    25.0 %\n"
      "  tdm            4  mesh        20.0 us       50.0 %     4,000  8 KiB  500 ns  500 ns    25.0 %\n");
}

TEST(PhaseTable, IsASentenceWithoutPhases) {
  const Measures plain;
  EXPECT_EQ(phase_measures_table({&plain}, 0, 100), "No phases are distinguished in this traffic.\n");
}

}  // namespace
}  // namespace hybrid
