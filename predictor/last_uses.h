// LastUses: the held destinations with the times of their last use, in that order.
//
// Up to kFew destinations are stored in the object itself; more are stored in tables over all destinations.
// In a large emulated switch most ports never need the tables, which take several pages of memory each.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/connection.h"
#include "core/time.h"
#include "core/zeroed_array.h"
#include "predictor/recency_list.h"

namespace hybrid {

class LastUses {
 public:
  explicit LastUses(std::uint32_t destinations) : order_(destinations), used_at_(destinations) {}

  bool empty() const { return size() == 0; }
  std::uint32_t size() const { return many_ ? order_.size() : few_count_; }
  bool contains(Port d) const {
    return many_ ? order_.contains(d)
                 : std::any_of(few_.begin(), few_.begin() + few_count_,
                               [d](const Use& use) { return use.destination == d; });
  }
  /// The destination with the earliest last use. Requires: not empty.
  Port oldest() const { return many_ ? order_.oldest() : few_[0].destination; }
  Time oldest_use() const { return many_ ? used_at_[order_.oldest()] : few_[0].at; }

  /// Sets the last use of `d` to `at`. Returns false if `d` is not held. Requires: no use is later than `at`.
  bool renew(Port d, Time at) {
    if (!many_) {
      for (std::uint32_t i = few_count_; i-- > 0;) {
        if (few_[i].destination != d) continue;
        for (; i + 1 < few_count_; ++i) few_[i] = few_[i + 1];
        few_[i] = {d, at};
        return true;
      }
      return false;
    }
    if (!order_.contains(d)) return false;
    order_.renew(d, order_.top());
    used_at_[d] = at;
    return true;
  }
  /// Adds `d`, which is not held, with its last use at `at`. Requires: no use is later than `at`.
  void insert(Port d, Time at) {
    if (!many_ && few_count_ < kFew) {
      few_[few_count_++] = {d, at};
      return;
    }
    if (!many_) {
      for (const Use& use : few_) insert_into_tables(use);
      many_ = true;
    }
    insert_into_tables({d, at});
  }
  /// The same without a condition on `at`. O(number of later uses).
  void insert_in_order(Port d, Time at) {
    insert(d, at);
    if (many_) {
      Port above = order_.top();
      for (Port next = order_.older(d); next != order_.top() && used_at_[next] > at;
           next = order_.older(next))
        above = next;
      if (above != order_.top()) order_.renew(d, above);
      return;
    }
    for (std::uint32_t i = few_count_ - 1; i > 0 && few_[i - 1].at > at; --i) std::swap(few_[i - 1], few_[i]);
  }
  void erase_oldest() {
    if (many_) return order_.erase(order_.oldest());
    --few_count_;
    for (std::uint32_t i = 0; i < few_count_; ++i) few_[i] = few_[i + 1];
  }
  void clear() {
    order_.clear();
    few_count_ = 0;
    many_ = false;
  }
  /// Memory outside the object itself.
  std::size_t heap_bytes() const { return order_.heap_bytes() + used_at_.size() * sizeof(Time); }

 private:
  static constexpr std::uint32_t kFew = 8;
  struct Use {
    Port destination = kNoPort;
    Time at{};
  };

  void insert_into_tables(const Use& use) {
    order_.insert(use.destination, order_.top());
    used_at_[use.destination] = use.at;
  }

  bool many_ = false;  // the destinations are in the tables
  std::uint32_t few_count_ = 0;
  std::array<Use, kFew> few_{};  // oldest first
  RecencyList order_;
  ZeroedArray<Time> used_at_;
};

}  // namespace hybrid
