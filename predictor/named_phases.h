// The working sets of phases that the program or its compiler names: what each sent to the last time, to be
// restored when it begins again, before its first message (D 5.2.3). What working_sets.h finds out from sends
// is told here.
//
// - What a phase sends to from its begin to that of the next one is its set, in the order of first use. An
//   occurrence without sends, and one with less than half of the set, says nothing about it.
// - A set of which less than half is used the next time was a mistake. After two mistakes in a row a phase's
//   set is not told, until two in a row would have been right.
// - The last 16 phases are remembered, 16 members of each.
//
// No clock, no allocation after construction; nothing is done while no phase was named.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/connection.h"
#include "predictor/working_sets.h"

namespace hybrid {

/// In which occurrence of which phase something is sent; 0: outside all of them.
struct PhaseMark {
  std::uint32_t phase = 0, occurrence = 0;
  bool operator==(const PhaseMark&) const = default;
};

class NamedPhases {
 public:
  static constexpr std::size_t kRemembered = 16;

  /// `phase` begins, or is gone back to: its set; empty where none is known. Valid until the next call.
  std::span<const std::uint16_t> begin(std::uint32_t phase);
  void send(Port destination) {
    if (current_ == kNone || destination == last_) return;
    last_ = destination;
    if (!used_.is_full() && !used_.contains(destination)) used_.add(destination);
  }
  /// Whether the set that was told at the last begin has `destination`.
  bool foresees(Port destination) const { return is_told_ && sets_[current_].set.contains(destination); }

 private:
  static constexpr std::size_t kNone = kRemembered;
  static constexpr std::uint8_t kMostTrust = 3, kTrusted = 2;

  using Set = SmallSetOf<16>;
  struct Remembered {
    std::uint32_t phase = 0;
    std::uint32_t last_begin = 0;  // its number, modulo 2^32; 0: free
    Set set;
    std::uint8_t trust = kMostTrust;
  };

  void end();
  std::size_t place_of(std::uint32_t phase) const;

  std::array<Remembered, kRemembered> sets_;
  Set used_;                     // in this occurrence
  std::size_t current_ = kNone;  // in sets_
  bool is_told_ = false;         // its set
  Port last_ = kNoPort;
  std::uint32_t begins_ = 0;
};

}  // namespace hybrid
