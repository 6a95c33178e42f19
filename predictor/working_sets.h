// The working sets of a rank, tracked while it sends (D 5.1, D 5.2.3): when one phase gives way to another,
// and which set a phase that recurs had the last time, so that it can be restored at once: a second-level
// working set, found without a compiler.
//
// - A phase's set is learnt from its sends, and settled once as many sends as it has members brought no new
//   one. Until then every new destination joins it.
// - To a settled set a destination that is no member is foreign. A foreign send is evidence of change, a send
//   to a member of the contrary, half as strong; three foreign sends in a row are enough. So strays and rare
//   calls change nothing.
// - Settled sets are remembered, 16 of them, each with its entry: the foreign destination that it began with.
//   A foreign send to an entry is taken for the begin of that phase without waiting for more. Where no other
//   member of that set follows, it was a mistake; after two in a row the entry means nothing, until the phase
//   is found by the evidence of change again.
//
// No clock, no allocation after construction; the cost of a send does not depend on the number of
// destinations. Sets of more than 64 are not remembered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/connection.h"

namespace hybrid {

/// At most `most` destinations below 65,536, in the order in which they joined.
template <std::size_t most>
class SmallSetOf {
 public:
  static constexpr std::size_t kMost = most;

  bool contains(Port d) const {
    bool found = false;  // all of them, without a branch: vectors
    for (std::size_t i = 0; i < size_; ++i) found |= members_[i] == d;
    return found;
  }
  /// `d` is no member and the set is not full.
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

  /// A send to `destination`. Where a remembered phase begins with it: that phase's set, in the order in
  /// which its members were first used; else nothing. Valid until the next call.
  std::span<const std::uint16_t> send(Port destination);
  /// The phase ends here; what comes next need not be foreign to be another one.
  void end_phase();

  /// Phases so far; the first send begins the first.
  std::uint64_t phases() const { return phases_; }
  /// Of these, how many were recognised as one that was remembered.
  std::uint64_t recurrences() const { return recurrences_; }

 private:
  static constexpr std::size_t kNone = kRemembered;
  static constexpr int kForeign = 2, kMember = 1, kChange = 6;
  static constexpr std::uint8_t kMostTrust = 2;

  struct Remembered {
    SmallSet set;
    Port entry = kNoPort;
    std::uint8_t trust = kMostTrust;
    std::uint64_t last_phase = 0;  // the number of the last phase with this set; 0: free
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
  /// What this phase was recognised by was no entry: none of its other members followed.
  bool mistaken() const { return is_on_trial_; }
  void distrust();
  void trust();

  std::array<Remembered, kRemembered> sets_;
  // Of this phase:
  SmallSet used_;               // what was sent to
  Port entry_ = kNoPort;        // the first of it; kNoPort: no phase
  std::size_t known_ = kNone;   // the remembered set that it has
  std::size_t before_ = kNone;  // that of the phase before it
  std::uint32_t quiet_ = 0;     // sends since the last one that joined
  bool is_on_trial_ = false;    // recognised by its entry, and no other member was sent to yet
  // Since there was no evidence of change:
  SmallSet foreign_;
  int evidence_ = 0;
  std::uint64_t phases_ = 0, recurrences_ = 0;
};

}  // namespace hybrid
