#include "emulator/traffic/preloader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "emulator/traffic/testing/ideal_network.h"

namespace hybrid {
namespace {

TEST(Preloader, ConfigurationsInUseThroughoutArePreloadedOnce) {
  const SwitchParameters p = small_switch(16, 4);
  const TrafficOptions o = traffic_named("ordered-mesh");
  IdealNetwork ideal(p, true);
  const auto pattern = pattern_for(p, o);
  const Measures m = simulate(ideal, *pattern, p, o);
  EXPECT_EQ(m.hit_rate, 1);
  ASSERT_EQ(ideal.preloads.size(), 4u);
  for (std::uint32_t s = 0; s < 4; ++s) EXPECT_EQ(ideal.preloads[s].first, s);
}

TEST(Preloader, ConfigurationsWithTurnsAreLoadedInOrder) {
  for (const std::uint32_t preload : {1u, 3u, 4u}) {
    const SwitchParameters p = small_switch(12, preload);
    const TrafficOptions o = traffic_named("all-to-all");
    IdealNetwork ideal(p, true);
    const auto pattern = pattern_for(p, o);
    const Measures m = simulate(ideal, *pattern, p, o);
    EXPECT_EQ(m.messages, 12u * 11);
    ASSERT_EQ(ideal.preloads.size(), 11u) << "each permutation once";
    for (Port source = 0; source < 12; ++source) {
      std::vector<Port> reached;
      for (const auto& [slot, c] : ideal.preloads) reached.push_back(c.destination_of(source));
      std::sort(reached.begin(), reached.end());
      EXPECT_EQ(std::adjacent_find(reached.begin(), reached.end()), reached.end());
    }
  }
}

TEST(Preloader, AnAllToAllIsFollowedByItsMesh) {
  const SwitchParameters p = small_switch(16, 4);
  const TrafficOptions o = traffic_named("two-phase");
  IdealNetwork ideal(p, true);
  const auto pattern = pattern_for(p, o);
  std::uint64_t all = 0;
  for (Port source = 0; source < 16; ++source) all += pattern->messages(source);
  EXPECT_EQ(simulate(ideal, *pattern, p, o).messages, all);
  EXPECT_EQ(ideal.preloads.size(), 15u + 4u);
}

TEST(Preloader, TurnsServedWithoutASlotAreNotLoaded) {
  // The network delivers all messages: steps end before their slots are loaded.
  const SwitchParameters p = small_switch(8, 2);
  const TrafficOptions o = traffic_named("scatter", 50);
  IdealNetwork ideal(p, false);
  const auto pattern = pattern_for(p, o);
  EXPECT_EQ(simulate(ideal, *pattern, p, o).messages, 50u);
  EXPECT_LE(ideal.preloads.size(), 50u);
}

}  // namespace
}  // namespace hybrid
