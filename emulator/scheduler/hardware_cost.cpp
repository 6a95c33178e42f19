#include "emulator/scheduler/hardware_cost.h"

#include <array>
#include <cstddef>

namespace hybrid {

HardwareCost matching_cost(MatchingProcessor processor, std::uint32_t ports, std::uint32_t steps) {
  const std::uint64_t n = ports, k = steps;
  const std::uint64_t operations = 2 * k + 1;
  switch (processor) {
    case MatchingProcessor::pure_logic:
      return {.design = "pure logic processor (D 6.5.1)",
              .cycles = 1,
              .wires = 2 * k * n * n,
              .logic = 2 * k * n * n,
              .memory_bits = 0,
              .repeats = false};
    case MatchingProcessor::matrix:
      return {.design = "matrix processor (D 6.5.2)",
              .cycles = operations,
              .wires = n * n,
              .logic = n * n,
              .memory_bits = k * n * n,
              .repeats = true};
    case MatchingProcessor::vector:
      return {.design = "vector processor (D 6.5.3)",
              .cycles = operations * n,
              .wires = n,
              .logic = n,
              .memory_bits = k * n * n,
              .repeats = true};
  }
  return {};
}

Time greedy_scheduler_latency(std::uint32_t ports) {
  struct Measured {
    std::int64_t ports, ns;
  };
  static constexpr std::array<Measured, 6> kTable{
      {{4, 34}, {8, 49}, {16, 76}, {32, 120}, {64, 213}, {128, 385}}};
  std::size_t upper = 1;
  while (upper + 1 < kTable.size() && kTable.at(upper).ports < ports) ++upper;
  const Measured &a = kTable.at(upper - 1), &b = kTable.at(upper);
  return picoseconds(1000 * a.ns + 1000 * (b.ns - a.ns) * (ports - a.ports) / (b.ports - a.ports));
}

}  // namespace hybrid
