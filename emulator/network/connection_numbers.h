// A number for each connection that has one: where its state lies.
//
// With few ports that is a table over all connections. With many, whose connections are mostly never used, it
// would be pages of memory with a number or two each, and none of them in the cache; then each source has a
// hash table of its connections with a number, which for one connection is half a line of the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/connection.h"
#include "core/zeroed_array.h"

namespace hybrid {

class ConnectionNumbers {
 public:
  explicit ConnectionNumbers(std::uint32_t ports) {
    if (ports > kMostInTable)
      rows_ = std::vector<Row>(ports);
    else
      table_ = ZeroedArray<std::uint32_t>(std::size_t{ports} * ports);
    ports_ = ports;
  }

  /// 0: it has none.
  std::uint32_t find(std::uint32_t source, std::uint32_t destination) const {
    if (table_.allocated()) return table_[place(source, destination)];
    return rows_[source].find(destination);
  }
  /// To be set to a number that is not 0; valid until another connection of `source` gets or loses one.
  std::uint32_t& of(std::uint32_t source, std::uint32_t destination) {
    if (table_.allocated()) return table_[place(source, destination)];
    return rows_[source].of(destination);
  }
  /// It no longer has the one that it had.
  void forget(std::uint32_t source, std::uint32_t destination) {
    if (table_.allocated())
      table_[place(source, destination)] = 0;
    else
      rows_[source].forget(destination);
  }
  /// A connection of `source` is asked for soon: brings what is looked at first into the cache.
  void prefetch(std::uint32_t source) const {
    if (!table_.allocated()) __builtin_prefetch(&rows_[source], 1);
  }

 private:
  static constexpr std::uint32_t kMostInTable = 256;

  struct Entry {
    Port destination = kNoPort;
    std::uint32_t number = 0;
  };

  /// Open addressing, at most half of it used; up to two entries lie in the row itself, wherever they came.
  class alignas(32) Row {
   public:
    std::uint32_t find(Port destination) const {
      if (last_ == 0) {
        for (const Entry& entry : own_)
          if (entry.destination == destination) return entry.number;
        return 0;
      }
      const Entry& entry = larger_[place(destination)];
      return entry.destination == destination ? entry.number : 0;
    }
    std::uint32_t& of(Port destination) {
      if (last_ == 0) {
        for (Entry& entry : own_)
          if (entry.destination == destination) return entry.number;
        for (Entry& entry : own_)
          if (entry.destination == kNoPort) return add(entry, destination);
        grow();
      }
      std::size_t at = place(destination);
      if (larger_[at].destination == destination) return larger_[at].number;
      if (2 * (used_ + 1) > last_ + 1) {
        grow();
        at = place(destination);
      }
      return add(larger_[at], destination);
    }
    void forget(Port destination) {
      if (last_ == 0) {
        for (Entry& entry : own_)
          if (entry.destination == destination) remove(entry);
        return;
      }
      std::size_t hole = place(destination);
      if (larger_[hole].destination != destination) return;
      // What stands behind it because of it moves up.
      for (std::size_t at = next(hole); larger_[at].destination != kNoPort; at = next(at)) {
        if (((at - home(larger_[at].destination)) & last_) < ((at - hole) & last_)) continue;
        larger_[hole] = larger_[at];
        hole = at;
      }
      remove(larger_[hole]);
    }

   private:
    static constexpr std::uint32_t kFirst = 8;

    std::uint32_t& add(Entry& entry, Port destination) {
      ++used_;
      entry = {destination, 0};
      return entry.number;
    }
    void remove(Entry& entry) {
      --used_;
      entry = Entry{};
    }
    std::size_t home(Port destination) const { return (destination * 0x9e3779b1u >> 16) & last_; }
    std::size_t next(std::size_t at) const { return (at + 1) & last_; }
    /// Where it is, or would be.
    std::size_t place(Port destination) const {
      std::size_t at = home(destination);
      while (larger_[at].destination != destination && larger_[at].destination != kNoPort) at = next(at);
      return at;
    }
    void grow() {
      const std::unique_ptr<Entry[]> before = std::move(larger_);
      const std::size_t size = last_ == 0 ? 0 : std::size_t{last_} + 1;
      last_ = last_ == 0 ? kFirst - 1 : 2 * last_ + 1;
      larger_ = std::make_unique<Entry[]>(std::size_t{last_} + 1);
      const auto move = [this](const Entry& entry) {
        if (entry.destination != kNoPort) larger_[place(entry.destination)] = entry;
      };
      for (std::size_t i = 0; i < size; ++i) move(before[i]);
      for (Entry& entry : own_) move(std::exchange(entry, Entry{}));
    }

    std::unique_ptr<Entry[]> larger_;
    std::uint32_t last_ = 0;  // place in it; 0: there is none
    std::uint32_t used_ = 0;
    Entry own_[2];
  };
  static_assert(sizeof(Row) == 32);

  std::size_t place(std::uint32_t source, std::uint32_t destination) const {
    return std::size_t{source} * ports_ + destination;
  }

  std::uint32_t ports_ = 0;
  ZeroedArray<std::uint32_t> table_;
  std::vector<Row> rows_;
};

}  // namespace hybrid
