// The smallest packet plane with which a hybrid switch is about as fast, for a job, as a packet switch of
// full rate; and what it costs.
#pragma once

#include <array>
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
  std::string predictor;
  bool is_known = true;         // false: the budget or the time ended the search
  std::optional<double> share;  // nothing: none of the shares is large enough
  double tried = 0;             // largest share with a known result, if there is none
  Time time{};                  // of the job with `share`, or with `tried`
  double over_wormhole = 0;     // that time / wormhole's
  std::string repeat;           // the command that repeats the emulation
};

/// Bisects ascending shares, several searches at a time: the smallest index that passes if all larger ones
/// do.
///
///   ShareBisection search(15);
///   while (const auto index = search.wanted()) search.learn(passes(*index));
class ShareBisection {
 public:
  explicit ShareBisection(std::size_t shares) : passes_(shares) {}
  /// The index to try next; nothing: the result is known.
  std::optional<std::size_t> wanted() const {
    if (fails_ == passes_) return std::nullopt;
    return middle();
  }
  /// Whether the share of wanted() passes. Requires: wanted() is not nothing.
  void learn(bool passes) {
    const std::size_t tried = middle();
    if (passes)
      passes_ = tried;
    else
      fails_ = tried + 1;
  }
  /// The number of shares if none passes. Requires: wanted() is nothing.
  std::size_t result() const { return passes_; }

 private:
  std::size_t middle() const { return fails_ + (passes_ - fails_) / 2; }

  std::size_t fails_ = 0;  // all below fail
  std::size_t passes_;     // this and all above pass
};

}  // namespace hybrid
