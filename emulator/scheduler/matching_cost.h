// What the three maximum-matching processors of D 6.5 cost: cycles, wires, logic and memory of one search for
// an augmenting path of up to K edges on N ports.
//
// D Table 6.1 gives orders of growth; here they have the factors that the text gives (6.4.1, 6.5.1 to 6.5.3,
// figures 6.6 and 6.7). An optimization step is a matrix operation on one stage of the unfolded graph; a
// search takes K forward (detection), K back (isolation), and one to update the schedule.
// - Pure logic: every stage is laid out, forward and backward; the signal passes in one cycle. Nothing is
//   stored, so that it cannot be repeated: one search a schedule.
// - Matrix: one N x N array of gates, a step in each cycle; the matrices F[1] ... F[K] are kept in registers.
// - Vector: one row of N gates, a row of a step in each cycle; F[1] ... F[K] are kept in memory.
// Table 6.1 prints O(K) for the vector processor's logic, which must be a slip: its operations are "N-wide"
// (6.5.3) and none of its parts grows with K. We count N.
//
// All are exact in 64 bits for up to 2^16 ports and K <= 2 N.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/scheduler/hardware_cost.h"

namespace hybrid {

enum class MatchingProcessor : std::uint8_t { pure_logic, matrix, vector };

HardwareCost matching_cost(MatchingProcessor processor, std::uint32_t ports, std::uint32_t steps);

/// K that makes the schedule exact: no augmenting path is longer (D 6.2).
constexpr std::uint32_t exact_matching_steps(std::uint32_t ports) { return 2 * ports - 1; }

}  // namespace hybrid
