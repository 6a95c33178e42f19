// The purpose of the allocation `adaptive`: it is never much worse than the best of the other techniques
// (D 4.6, claims C5 and C6: emulator/claims). Long runs; the rules of the allocation: adaptive_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/claims/allocation_grid.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

double utilisation(const std::string& pattern, double ratio, Bytes buffer, const std::string& allocation,
                   std::uint64_t seed) {
  SwitchParameters p;
  apply_preset("ch4", p, false);
  p.buffer = buffer;
  p.technique = allocation == "wormhole" ? "wormhole" : "hybrid";
  if (allocation == "sla, ratio known") {
    p.allocation = "sla";
    p.wormhole_slot_length = known_wormhole_slot(p, ratio);
  } else {
    p.allocation = allocation == "wormhole" ? "adaptive" : allocation;
  }
  p.seed = seed;
  TrafficOptions traffic;
  traffic.pattern = pattern;
  traffic.ratio = ratio;
  traffic.messages = 256;
  return simulate(p, traffic).utilisation;
}

/// Checks the grid of C5 ("mixed") or C6 ("phases") at the given ratios, in percent. At each point the mean
/// over the seeds may be at most 2 % below the best of the others, and on average it must be above. (Single
/// runs scatter by 1 to 3 %: with a queue of one message, the order of the first messages decides which
/// messages block others later.)
void expect_near_the_best_everywhere(const std::string& pattern, const std::vector<int>& ratios,
                                     const std::vector<std::uint64_t>& seeds) {
  double gains = 0;
  int points = 0;
  for (const Bytes buffer : {128, 2048, 8192})
    for (const int ratio : ratios) {
      const auto mean = [&](const std::string& allocation) {
        double sum = 0;
        for (const std::uint64_t seed : seeds)
          sum += utilisation(pattern, ratio / 100.0, buffer, allocation, seed);
        return sum / static_cast<double>(seeds.size());
      };
      double best = 0;
      for (const char* other : {"wormhole", "ses", "sla", "sla, ratio known", "preempt"})
        best = std::max(best, mean(other));
      const double gain = mean("adaptive") / best - 1;
      EXPECT_GE(gain, -0.02) << "buffer " << buffer << ", ratio " << ratio << " %";
      gains += gain;
      ++points;
    }
  EXPECT_GT(gains / points, 0.0);
}

class AdaptiveOnGrid : public testing::TestWithParam<const char*> {};

TEST_P(AdaptiveOnGrid, IsNowhereMuchBelowTheBestOfTheOthers) {
  // Low ratios are closest to the limit. Any seeds.
  expect_near_the_best_everywhere(GetParam(), {10, 50}, {1, 2, 3});
}

class NightlyAdaptiveOnGrid : public AdaptiveOnGrid {};

TEST_P(NightlyAdaptiveOnGrid, NightlyIsNowhereMuchBelowTheBestOfTheOthers) {
  std::vector<int> ratios;
  for (int ratio = 0; ratio <= 100; ratio += 5) ratios.push_back(ratio);
  expect_near_the_best_everywhere(GetParam(), ratios, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

INSTANTIATE_TEST_SUITE_P(Patterns, AdaptiveOnGrid, testing::Values("mixed", "phases"));
INSTANTIATE_TEST_SUITE_P(Patterns, NightlyAdaptiveOnGrid, testing::Values("mixed", "phases"));

}  // namespace
}  // namespace hybrid
