// The held destinations in the order of their last use: the list that every predictor keeps.
//
// Intrusive and doubly linked over destinations 0 .. n-1: every operation is O(1) except clear,
// which takes one step a member, and nothing allocates after construction. Links are 16-bit, so that 4096
// destinations take 16 KiB and stay in the first-level cache; and all 0 at first, so that a large emulated
// switch, with such a list at each of its ports, need not fill what is never used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/connection.h"
#include "core/zeroed_array.h"
#include "predictor/predictor.h"

namespace hybrid {

class RecencyList {
 public:
  static constexpr std::uint32_t kMostDestinations = 65'534;

  /// Throws UserError for more than kMostDestinations.
  explicit RecencyList(std::uint32_t destinations);

  bool contains(Port d) const { return links_[place(d)].newer != kAbsent; }
  bool empty() const { return size_ == 0; }
  std::uint32_t size() const { return size_; }
  /// The member that was inserted or renewed longest ago. Not for an empty list.
  Port oldest() const { return links_[place(end_)].newer - Port{1}; }

  /// The newest member. Not for an empty list.
  Port newest() const { return links_[place(end_)].older - Port{1}; }
  /// The member that was inserted or renewed next before `d`; for the oldest, top().
  Port older(Port d) const { return links_[place(d)].older - Port{1}; }
  /// The member that was inserted or renewed next after `d`; not for the newest.
  Port newer(Port d) const { return links_[place(d)].newer - Port{1}; }

  /// The place above the newest, for `below`.
  Port top() const { return end_; }
  /// Adds `d`, which is not a member, as the next older one of the member `below`, or as the newest below
  /// top().
  void insert(Port d, Port below) {
    if (size_ == 0) links_[place(end_)] = {place(end_), place(end_)};  // only now: it may stay empty
    link(d, below);
    ++size_;
  }
  /// Moves the member `d` there; `below` is another.
  void renew(Port d, Port below) {
    unlink(d);
    link(d, below);
  }
  /// Moves the members from `first` to the older `last`, all of them neighbours, there; `below` is another.
  void renew_run(Port first, Port last, Port below) {
    const Index newer = links_[place(first)].newer, older = links_[place(last)].older;
    if (newer == place(below)) return;
    links_[newer].older = older;
    links_[older].newer = newer;
    const Index next = links_[place(below)].older;
    links_[place(first)].newer = place(below);
    links_[place(last)].older = next;
    links_[next].newer = place(last);
    links_[place(below)].older = place(first);
  }
  /// Removes the member `d`.
  void erase(Port d) {
    unlink(d);
    links_[place(d)].newer = kAbsent;
    --size_;
  }
  void clear();
  /// Beside the object itself.
  std::size_t heap_bytes() const { return links_.size() * sizeof(Links); }

 private:
  using Index = std::uint16_t;
  static constexpr Index kAbsent = 0;
  static constexpr Index place(Port d) { return static_cast<Index>(d + 1); }
  // By place. That of end_ closes the ring: its `newer` is the oldest member, its `older` the newest.
  struct Links {
    Index newer = kAbsent, older = kAbsent;
  };

  void link(Port d, Port below) {
    Links& next = links_[place(below)];
    links_[place(d)] = {place(below), next.older};
    links_[next.older].newer = place(d);
    next.older = place(d);
  }
  void unlink(Port d) {
    // Not as one load of 32 bits: its halves may have been stored apart a moment ago, and it would wait for
    // both.
    const Index newer = links_[place(d)].newer, older = links_[place(d)].older;
    links_[newer].older = older;
    links_[older].newer = newer;
  }

  ZeroedArray<Links> links_;
  std::uint32_t size_ = 0;
  Port end_ = 0;
};

/// The most destinations that a predictor of `shape` may hold.
constexpr std::uint32_t most_held(const PredictorShape& shape) {
  return shape.capacity == 0 || shape.capacity > shape.destinations ? shape.destinations : shape.capacity;
}

}  // namespace hybrid
