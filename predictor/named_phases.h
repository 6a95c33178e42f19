// NamedPhases: the working sets of phases that the program or its compiler names, restored at the begin of a
// phase, before its first message (D 5.2.3). (WorkingSets detects phases from the sends; here the begins are
// given.)
//
// - The set of a phase contains the destinations of its last occurrence, from its begin to the begin of the
// next
//   phase, in the order of first use. An occurrence without sends does not change the set, nor does one that
//   uses only members, and less than half of them.
// - If an occurrence uses less than half of the set, restoring it was a mistake. After two mistakes in a row
// the set
//   of the phase is not restored, until it would have been correct twice in a row.
// - The last 16 phases are remembered, with 16 members each.
//
// No clock and no allocation after construction. Without named phases there is no cost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/connection.h"
#include "predictor/working_set.h"

namespace hybrid {

/// The phase and occurrence of a send; 0: outside all phases.
struct PhaseMark {
  std::uint32_t phase = 0, occurrence = 0;
  bool operator==(const PhaseMark&) const = default;
};

class NamedPhases {
 public:
  static constexpr std::size_t kRemembered = 16;

  /// `phase` begins, or the program returns to it. Returns its set to restore; empty if none is known. Valid
  /// until the next call.
  std::span<const std::uint16_t> begin(std::uint32_t phase);
  void send(Port destination) {
    if (current_ == kNone || destination == last_) return;
    last_ = destination;
    if (!used_.is_full() && !used_.contains(destination)) used_.add(destination);
  }
  /// Whether the last begin() returned a set with `destination`.
  bool is_restored(Port destination) const {
    return is_restored_ && sets_[current_].set.contains(destination);
  }

 private:
  static constexpr std::size_t kNone = kRemembered;
  static constexpr std::uint8_t kMostTrust = 3, kTrusted = 2;

  using Set = SmallSetOf<16>;
  struct Remembered {
    std::uint32_t phase = 0;
    std::uint32_t last_begin = 0;  // number of the last begin, modulo 2^32; 0: free
    Set set;
    std::uint8_t trust = kMostTrust;
  };

  void end();
  std::size_t place_of(std::uint32_t phase) const;

  std::array<Remembered, kRemembered> sets_;
  Set used_;                     // destinations in this occurrence
  std::size_t current_ = kNone;  // index in sets_
  bool is_restored_ = false;     // begin() returned its set
  Port last_ = kNoPort;
  std::uint32_t begins_ = 0;
};

}  // namespace hybrid
