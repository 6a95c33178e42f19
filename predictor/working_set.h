// WorkingSets: tracks the working sets of a rank from its sends (D 5.1, D 5.2.3). It detects the change from
// one phase to another, and finds the set that a recurring phase had the last time, so that it can be
// restored at once (a second-level working set, without a compiler).
//
// - The set of a phase is learnt from its sends: every new destination joins it. It is settled once more
// sends than it
//   has members were without a new destination.
// - A destination that is not a member of a settled set is foreign. A foreign send is evidence of a change; a
// send to a
//   member is evidence against it, half as strong. Three foreign sends in a row are enough for a change, so
//   that strays and rare calls have no effect.
// - Up to 16 settled sets are remembered, each with its entry: the foreign destination at its begin. A
// foreign send to an
//   entry is taken as the begin of that phase at once. If no other member of the set follows, this was a
//   mistake. After two mistakes in a row the entry is ignored, until the phase is detected by evidence again.
//
// No clock and no allocation after construction. The cost of a send does not depend on the number of
// destinations. Sets of more than 64 destinations are not remembered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/connection.h"

namespace hybrid {

/// Set of at most `most` destinations below 65,536, in the order of insertion.
template <std::size_t most>
class SmallSetOf {
 public:
  static constexpr std::size_t kMost = most;

  bool contains(Port d) const {
    bool found = false;  // compares all members without a branch, so that the loop is vectorised
    for (std::size_t i = 0; i < size_; ++i) found |= members_[i] == d;
    return found;
  }
  /// Requires: `d` is not a member, and the set is not full.
  void add(Port d) { members_[size_++] = static_cast<std::uint16_t>(d); }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  bool is_full() const { return size_ == kMost; }
  std::span<const std::uint16_t> members() const { return {members_.data(), size_}; }

 private:
  std::array<std::uint16_t, kMost> members_{};
  std::uint16_t size_ = 0;
};
using SmallSet = SmallSetOf<64>;

class WorkingSets {
 public:
  static constexpr std::size_t kRemembered = 16;

  /// Adds a send to `destination`. If a remembered phase begins with it, returns the set of that phase, in
  /// the order of first use; otherwise an empty span. Valid until the next call.
  std::span<const std::uint16_t> send(Port destination);
  /// Ends the phase: the next send begins another one, even if its destination is a member.
  void end_phase();

  /// Number of phases so far; the first send begins the first.
  std::uint64_t phases() const { return phases_; }
  /// Number of phases that were recognised as remembered ones.
  std::uint64_t recurrences() const { return recurrences_; }

 private:
  static constexpr std::size_t kNone = kRemembered;
  static constexpr int kForeign = 2, kMember = 1, kChange = 6;
  static constexpr std::uint8_t kMostTrust = 2;

  struct Remembered {
    SmallSet set;
    Port entry = kNoPort;
    std::uint8_t trust = kMostTrust;
    std::uint64_t last_phase = 0;  // number of the last phase with this set; 0: free
    std::size_t after = kNone;     // the set of the phase before that one
  };

  bool is_member(Port d) const {
    return used_.contains(d) || (known_ != kNone && sets_[known_].set.contains(d));
  }
  bool is_settled() const { return known_ != kNone || quiet_ > used_.size(); }
  void use_member(Port d);
  void join(Port d);
  std::size_t begun_by(Port entry) const;
  std::size_t with_all_of(const SmallSet& part) const;
  std::size_t like(const SmallSet& set) const;
  std::size_t oldest_but(std::size_t keep) const;
  std::size_t remember(std::size_t keep);
  std::span<const std::uint16_t> begin(std::size_t known, Port entry, std::size_t before);
  /// Whether this phase was recognised by mistake: no other member followed its entry.
  bool mistaken() const { return is_on_trial_; }
  void distrust();
  void trust();

  std::array<Remembered, kRemembered> sets_;
  // Of this phase:
  SmallSet used_;               // destinations of its sends
  Port entry_ = kNoPort;        // the first of them; kNoPort: no phase
  std::size_t known_ = kNone;   // its remembered set
  std::size_t before_ = kNone;  // the remembered set of the previous phase
  std::uint32_t quiet_ = 0;     // sends since the last destination joined
  bool is_on_trial_ = false;    // recognised by its entry, without a send to another member yet
  // Foreign destinations since evidence_ was last 0:
  SmallSet foreign_;
  int evidence_ = 0;
  std::uint64_t phases_ = 0, recurrences_ = 0;
};

}  // namespace hybrid
