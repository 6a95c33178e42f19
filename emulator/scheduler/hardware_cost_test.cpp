#include "emulator/scheduler/hardware_cost.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "emulator/scheduler/algorithm.h"

namespace hybrid {
namespace {

constexpr std::array kAll{MatchingProcessor::pure_logic, MatchingProcessor::matrix,
                          MatchingProcessor::vector};

/// Exponents of N and of K in a quantity, measured by doubling each at large sizes.
struct Growth {
  int ports, steps;
  bool operator==(const Growth&) const = default;
};
Growth growth(MatchingProcessor processor, const std::function<std::uint64_t(const HardwareCost&)>& what) {
  constexpr std::uint32_t kPorts = 4096, kSteps = 1024;
  const auto at = [&](std::uint32_t n, std::uint32_t k) {
    return static_cast<double>(what(matching_cost(processor, n, k)));
  };
  const auto exponent = [](double before, double after) {
    return static_cast<int>(std::lround(std::log2(after / before)));
  };
  const double here = at(kPorts, kSteps);
  if (here == 0) return {0, 0};
  return {exponent(here, at(2 * kPorts, kSteps)), exponent(here, at(kPorts, 2 * kSteps))};
}

TEST(MatchingCost, GrowsAsTable61States) {
  const auto cycles = [](const HardwareCost& c) { return c.cycles; };
  const auto wires = [](const HardwareCost& c) { return c.wires; };
  const auto logic = [](const HardwareCost& c) { return c.logic; };
  const auto memory = [](const HardwareCost& c) { return c.memory_bits; };
  constexpr auto kPure = MatchingProcessor::pure_logic, kMatrix = MatchingProcessor::matrix,
                 kVector = MatchingProcessor::vector;
  EXPECT_EQ(growth(kPure, cycles), (Growth{0, 0}));
  EXPECT_EQ(growth(kMatrix, cycles), (Growth{0, 1}));
  EXPECT_EQ(growth(kVector, cycles), (Growth{1, 1}));
  EXPECT_EQ(growth(kPure, wires), (Growth{2, 1}));
  EXPECT_EQ(growth(kMatrix, wires), (Growth{2, 0}));
  EXPECT_EQ(growth(kVector, wires), (Growth{1, 0}));
  EXPECT_EQ(growth(kPure, logic), (Growth{2, 1}));
  EXPECT_EQ(growth(kMatrix, logic), (Growth{2, 0}));
  EXPECT_EQ(growth(kVector, logic), (Growth{1, 0})) << "the table prints O(K)";
  EXPECT_EQ(growth(kMatrix, memory), (Growth{2, 1}));
  EXPECT_EQ(growth(kVector, memory), (Growth{2, 1}));
  EXPECT_EQ(matching_cost(kPure, 64, 9).memory_bits, 0u);
  EXPECT_FALSE(matching_cost(kPure, 64, 9).repeats);
  EXPECT_TRUE(matching_cost(kMatrix, 64, 9).repeats);
  EXPECT_TRUE(matching_cost(kVector, 64, 9).repeats);
}

// D 6.4.1 and figure 6.4, K = 3 on six ports: F[1], F[2], F[3], back through B[3], B[2], B[1], update. One
// row per cycle takes six times as long.
TEST(MatchingCost, ThreeStepsOnSixPorts) {
  EXPECT_EQ(matching_cost(MatchingProcessor::matrix, 6, 3),
            (HardwareCost{"matrix processor (D 6.5.2)", 7, 36, 36, 108, true}));
  EXPECT_EQ(matching_cost(MatchingProcessor::vector, 6, 3),
            (HardwareCost{"vector processor (D 6.5.3)", 42, 6, 6, 108, true}));
  EXPECT_EQ(matching_cost(MatchingProcessor::pure_logic, 6, 3),
            (HardwareCost{"pure logic processor (D 6.5.1)", 1, 216, 216, 0, false}));
}

// `matching` reports the cost of the steps that it uses: the given number, nine (D 6.6) by default, and never
// more than an exact schedule needs.
TEST(MatchingCost, TheAlgorithmReportsItsHardware) {
  const auto matching = SchedulerRegistration::make("matching");
  const auto cycles = [&](std::uint32_t ports, std::uint32_t steps) {
    SchedulerShape shape;
    shape.ports = ports;
    shape.steps = steps;
    const std::vector<HardwareCost> designs = matching->hardware(shape);
    EXPECT_EQ(designs.size(), 3u);
    return designs.at(1).cycles;
  };
  EXPECT_EQ(cycles(64, 3), 7u);
  EXPECT_EQ(cycles(64, 0), 19u);
  EXPECT_EQ(cycles(4, 100), 15u);
  EXPECT_TRUE(SchedulerRegistration::make("exact")->hardware(SchedulerShape{}).empty());
}

TEST(MatchingCost, ExactSearchesOnTheLargestCrossbarFitTheNumbers) {
  const std::uint32_t n = 1u << 16, k = exact_matching_steps(n);
  for (const MatchingProcessor processor : kAll) {
    const HardwareCost cost = matching_cost(processor, n, k);
    EXPECT_GE(cost.wires, n);
    EXPECT_LE(static_cast<double>(cost.wires), 2.0 * k * n * n);
    EXPECT_TRUE(cost.memory_bits == 0 || cost.memory_bits / n / n == k);
  }
  EXPECT_EQ(exact_matching_steps(1), 1u);
}

// D Table 5.3, both rows; the second is the first's ports per latency. For N = 8 it prints 167, a slip of
// 163.
TEST(GreedySchedulerLatency, IsTable5_3) {
  struct Column {
    std::uint32_t ports;
    std::int64_t ns, millions;
  };
  for (const Column c :
       {Column{4, 34, 118}, {8, 49, 163}, {16, 76, 211}, {32, 120, 267}, {64, 213, 300}, {128, 385, 332}}) {
    EXPECT_EQ(greedy_scheduler_latency(c.ports), nanoseconds(c.ns));
    EXPECT_NEAR(1000.0 * c.ports / greedy_scheduler_latency(c.ports).nanoseconds(),
                static_cast<double>(c.millions), 1)
        << c.ports;
  }
  EXPECT_EQ(greedy_scheduler_latency(48), picoseconds(166'500));     // half-way between 32 and 64
  EXPECT_EQ(greedy_scheduler_latency(256), nanoseconds(385 + 344));  // twice the step from 64 to 128
  EXPECT_EQ(greedy_scheduler_latency(2), picoseconds(26'500));
}

}  // namespace
}  // namespace hybrid
