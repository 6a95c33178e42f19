// The smallest packet plane with which a hybrid switch is about as fast, for a job, as a packet switch of
// full rate; and what it costs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "emulator/parameters.h"

namespace hybrid {

/// Prices and powers of one port, in any unit: only their ratios matter. docs/advise.md has the sources of
/// the defaults.
struct PortPrices {
  double packet_cost = 500, circuit_cost = 500;    // dollars
  double packet_power = 12, circuit_power = 0.24;  // watts
};

/// Cost (or power) of a hybrid port relative to a port of the packet switch:
/// (circuit + share x packet) / packet. A plane of `share` of the rate costs that share of a full port.
inline double relative_to_packet(double circuit, double packet, double share) {
  return (circuit + share * packet) / packet;
}

/// Shares that are tried, ascending, all less than 1.
inline constexpr std::array<double, 15> kShareSteps{0,   0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25,
                                                    0.3, 0.4,  0.5,  0.6,  0.7, 0.8,  0.9};

/// Result for one time of reconfiguration.
struct PacketShare {
  Time reconfiguration{}, slot_length{};
  std::uint32_t slots = 0;
  std::string predictor;
  bool is_known = true;         // false: the budget or the time ended the search
  std::optional<double> share;  // nothing: none of the shares is large enough
  double tried = 0;             // largest share with a known result, if there is none
  Time time{};                  // of the job with `share`, or with `tried`; 0: it was not emulated to its end
  double over_wormhole = 0;     // that time / wormhole's
  std::string repeat;           // the command that repeats the emulation
};

}  // namespace hybrid
