// The purpose of `--sla-share time` (D 4.4): circuits and worms end together, whatever their efficiencies
// are, which the switch measures. The rules of the allocation: allocation_test.cpp.
#include <gtest/gtest.h>

#include "emulator/claims/allocation_grid.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

struct SlaRun {
  const char* technique;
  const char* allocation;
  double ratio;
  std::uint32_t overhead = 0;
  bool shares_time = false;
  Time wormhole_slot{};
};

SwitchParameters sla_parameters(const SlaRun& run, std::uint64_t seed) {
  SwitchParameters p;
  use_model(true, p);
  apply_preset("ch4", p, false);
  p.technique = run.technique;
  p.allocation = run.allocation;
  p.worm_overhead_words = run.overhead;
  p.sla_shares_time = run.shares_time;
  p.wormhole_slot_length = run.wormhole_slot;
  p.seed = seed;
  return p;
}

/// The mean of three seeds.
double sla_utilisation(const SlaRun& run) {
  double sum = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    TrafficOptions traffic;
    use_model(true, traffic);
    traffic.pattern = "mixed";
    traffic.ratio = run.ratio;
    traffic.messages = 256;
    sum += simulate(sla_parameters(run, seed), traffic).utilisation;
  }
  return sum / 3;
}

/// Worms without headers, and worms that need more than twice the time of circuits.
TEST(SlaShareOfTime, ReachesWhatTheKnownEfficienciesReach) {
  for (const std::uint32_t overhead : {0, 12}) {
    const double circuits = sla_utilisation({"hybrid", "ses", 1});
    const double worms = sla_utilisation({"wormhole", "ses", 0, overhead});
    EXPECT_EQ(circuits > 2 * worms, overhead != 0) << circuits << " and " << worms;
    for (const double ratio : {0.4, 0.6, 0.8}) {
      const Time slot = wormhole_slot_by_time(sla_parameters({"hybrid", "sla", ratio, overhead}, 1), ratio,
                                              circuits, worms);
      const double known = sla_utilisation({"hybrid", "sla", ratio, overhead, true, slot});
      const double measured = sla_utilisation({"hybrid", "sla", ratio, overhead, true});
      const double by_data = sla_utilisation({"hybrid", "sla", ratio, overhead, false});
      EXPECT_NEAR(measured / known, 1, 0.05) << "ratio " << ratio << ", " << overhead << " words of overhead";
      EXPECT_GT(measured, 1.05 * by_data) << "ratio " << ratio << ", " << overhead << " words of overhead";
    }
  }
}

}  // namespace
}  // namespace hybrid
