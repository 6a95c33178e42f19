// Cost of a scheduling algorithm in hardware, where the papers give a design for it. The counts come from the
// description of the design, not from a synthesis: they show how designs compare and grow, not which clock
// they reach.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/time.h"

namespace hybrid {

struct HardwareCost {
  std::string_view design;        // "matrix processor (D 6.5.2)"
  std::uint64_t cycles = 0;       // of one search
  std::uint64_t wires = 0;        // bits between stages or parts
  std::uint64_t logic = 0;        // cells: AND of a mask's bit and a matrix's bit, with its part of an OR
  std::uint64_t memory_bits = 0;  // in registers or memory
  bool repeats = false;           // whether the same hardware can search again for the same schedule
  bool operator==(const HardwareCost&) const = default;
};

/// The three maximum-matching processors of D 6.5.
/// - pure_logic: every stage is laid out, forward and backward; the signal passes in one cycle. The design
///   stores nothing, so that a search cannot be repeated: one search per schedule.
/// - matrix: one N x N array of gates performs one step per cycle; registers store the matrices F[1] ...
///   F[K].
/// - vector: one row of N gates performs one row of a step per cycle; a memory stores F[1] ... F[K].
enum class MatchingProcessor : std::uint8_t { pure_logic, matrix, vector };

/// Cost of one search for an augmenting path of up to K = `steps` edges on N = `ports` ports.
///
/// D Table 6.1 gives orders of growth; here they have the factors that the text gives (6.4.1, 6.5.1 to 6.5.3,
/// figures 6.6 and 6.7). An optimization step is a matrix operation on one stage of the unfolded graph; a
/// search takes K steps forward (detection), K back (isolation), and one to update the schedule. Table 6.1
/// prints O(K) for the logic of the vector processor, which must be a misprint: its operations are "N-wide"
/// (6.5.3) and none of its parts grows with K. This function counts N.
///
/// Exact in 64 bits for up to 2^16 ports and K <= 2 N.
HardwareCost matching_cost(MatchingProcessor processor, std::uint32_t ports, std::uint32_t steps);

/// Latency of the greedy scheduler's circuit on an FPGA (D 5.4, Table 5.3): 34, 49, 76, 120, 213 and 385 ns
/// for 4 to 128 ports. "The scheduling delay should be linearly proportional to the system size": between and
/// beyond those sizes it is on the line through the two nearest ones. D 5.4 estimates an ASIC 5 to 10 times
/// faster and simulates 80 ns for 128 ports.
Time greedy_scheduler_latency(std::uint32_t ports);

/// The K that makes the schedule exact: no augmenting path is longer (D 6.2).
constexpr std::uint32_t exact_matching_steps(std::uint32_t ports) { return 2 * ports - 1; }

}  // namespace hybrid
