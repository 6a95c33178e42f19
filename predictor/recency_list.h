// RecencyList: held destinations in the order of their last use.
//
// Intrusive doubly linked list over destinations 0 .. n-1. All operations are O(1), except clear(), which is
// O(size). No allocation after construction. Links have 16 bits, so that 4096 destinations take 16 KiB and
// fit into the first-level cache. Links are initially 0 (ZeroedArray), so that unused lists in a large
// emulated switch cost nothing.
//
// In the functions below, `below` is a member or top(): the position next older than `below`.
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
  /// The oldest member. Requires: not empty.
  Port oldest() const { return links_[place(end_)].newer - Port{1}; }

  /// The newest member. Requires: not empty.
  Port newest() const { return links_[place(end_)].older - Port{1}; }
  /// The next older member of the member `d`; for the oldest, top().
  Port older(Port d) const { return links_[place(d)].older - Port{1}; }
  /// The next newer member of the member `d`. Requires: `d` is not the newest.
  Port newer(Port d) const { return links_[place(d)].newer - Port{1}; }

  /// The position above the newest member, for `below`.
  Port top() const { return end_; }
  /// Adds `d` next older than `below`. Requires: `d` is not a member.
  void insert(Port d, Port below) {
    if (size_ == 0) links_[place(end_)] = {place(end_), place(end_)};  // not earlier: the list may stay empty
    link(d, below);
    ++size_;
  }
  /// Moves the member `d` next older than `below`. Requires: below != d.
  void renew(Port d, Port below) {
    unlink(d);
    link(d, below);
  }
  /// Moves the run of neighbours from `first` to the older `last` next older than `below`, which is not in
  /// the run.
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
  /// Memory outside the object itself.
  std::size_t heap_bytes() const { return links_.size() * sizeof(Links); }

 private:
  using Index = std::uint16_t;
  static constexpr Index kAbsent = 0;
  static constexpr Index place(Port d) { return static_cast<Index>(d + 1); }
  // By place. The place of end_ closes the ring: its `newer` is the oldest member, its `older` the newest.
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
    // Two loads instead of one of 32 bits, which would stall if its halves were stored separately shortly
    // before.
    const Index newer = links_[place(d)].newer, older = links_[place(d)].older;
    links_[newer].older = older;
    links_[older].newer = newer;
  }

  ZeroedArray<Links> links_;
  std::uint32_t size_ = 0;
  Port end_ = 0;
};

/// Limit on the destinations that a predictor of `shape` holds.
constexpr std::uint32_t most_held(const PredictorShape& shape) {
  return shape.capacity == 0 || shape.capacity > shape.destinations ? shape.destinations : shape.capacity;
}

}  // namespace hybrid
