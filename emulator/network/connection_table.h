// State of connections, created on first use: ConnectionTable, and the map from connection to number that it
// uses.
//
// With few ports the map is a table over all connections. With many ports, most connections are never used
// and such a table would not stay in the cache; then each source has a hash table of its connections, which
// for one connection takes half a cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/connection.h"
#include "core/pool.h"
#include "core/zeroed_array.h"

namespace hybrid {

/// Prefetches all cache lines of `object`. In a large switch the state of a connection is often no longer in
/// the cache when it is used again.
template <class T>
void prefetch_all(const T& object) {
  const char* const bytes = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < sizeof(T); at += 64) __builtin_prefetch(bytes + at, 1);
}

/// Map from connection to a number that is not 0.
class ConnectionNumbers {
 public:
  explicit ConnectionNumbers(std::uint32_t ports) {
    if (ports > kMostInTable)
      rows_ = std::vector<Row>(ports);
    else
      table_ = ZeroedArray<std::uint32_t>(std::size_t{ports} * ports);
    ports_ = ports;
  }

  /// The number of the connection; 0: it has none.
  std::uint32_t find(std::uint32_t source, std::uint32_t destination) const {
    if (table_.allocated()) return table_[place(source, destination)];
    return rows_[source].find(destination);
  }
  /// The number of the connection, 0 if it is new. The caller must set it to a number that is not 0. The
  /// reference is valid until another connection of `source` is added or erased.
  std::uint32_t& number_of(std::uint32_t source, std::uint32_t destination) {
    if (table_.allocated()) return table_[place(source, destination)];
    return rows_[source].number_of(destination);
  }
  /// Removes the connection's number, if it has one.
  void erase(std::uint32_t source, std::uint32_t destination) {
    if (table_.allocated())
      table_[place(source, destination)] = 0;
    else
      rows_[source].erase(destination);
  }
  /// Prefetches the first part of what find() reads for a connection of `source`.
  void prefetch(std::uint32_t source) const {
    if (!table_.allocated()) __builtin_prefetch(&rows_[source], 1);
  }

 private:
  static constexpr std::uint32_t kMostInTable = 256;

  struct Entry {
    Port destination = kNoPort;
    std::uint32_t number = 0;
  };

  /// Hash table with open addressing, at most half full. Up to two entries are in the row itself, unordered.
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
    std::uint32_t& number_of(Port destination) {
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
    void erase(Port destination) {
      if (last_ == 0) {
        for (Entry& entry : own_)
          if (entry.destination == destination) remove(entry);
        return;
      }
      std::size_t hole = place(destination);
      if (larger_[hole].destination != destination) return;
      // Entries that were displaced by the erased one move up.
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
    /// Place of the destination's entry, or the free place for it.
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
      const auto insert = [this](const Entry& entry) {
        if (entry.destination != kNoPort) larger_[place(entry.destination)] = entry;
      };
      for (std::size_t i = 0; i < size; ++i) insert(before[i]);
      for (Entry& entry : own_) insert(std::exchange(entry, Entry{}));
    }

    std::unique_ptr<Entry[]> larger_;
    std::uint32_t last_ = 0;  // its last place; 0: larger_ is not used
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

/// Array that grows without moving its elements. Pieces are large, so that the addresses of the pieces are
/// nearly always in the cache.
template <class T>
class StableArray {
 public:
  T& operator[](std::size_t i) { return pieces_[i / kPiece][i % kPiece]; }
  const T& operator[](std::size_t i) const { return pieces_[i / kPiece][i % kPiece]; }
  std::size_t size() const {
    return pieces_.empty() ? 0 : (pieces_.size() - 1) * kPiece + pieces_.back().size();
  }

  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (pieces_.empty() || pieces_.back().size() == kPiece) {
      pieces_.emplace_back();
      pieces_.back().reserve(kPiece);
    }
    return pieces_.back().emplace_back(std::forward<Arguments>(arguments)...);
  }

  template <class Array>
  class Iterator {
   public:
    Iterator(Array& array, std::size_t i) : array_(&array), i_(i) {}
    auto& operator*() const { return (*array_)[i_]; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    Array* array_;
    std::size_t i_;
  };
  auto begin() { return Iterator<StableArray>(*this, 0); }
  auto end() { return Iterator<StableArray>(*this, size()); }
  auto begin() const { return Iterator<const StableArray>(*this, 0); }
  auto end() const { return Iterator<const StableArray>(*this, size()); }

 private:
  static constexpr std::size_t kPiece = 128;
  std::vector<std::vector<T>> pieces_;
};

/// State of each connection (source, destination) in use, created on the first get().
///
/// A connection that is released leaves its state to another one, if State has reset(arguments...), which
/// must bring it to the same state as State(arguments...). References are valid until the release.
template <class State>
class ConnectionTable {
 public:
  explicit ConnectionTable(std::uint32_t ports) : numbers_(ports) {}

  template <class... Arguments>
  State& get(std::uint32_t source, std::uint32_t destination, Arguments&&... arguments) {
    std::uint32_t& number = numbers_.number_of(source, destination);
    if (number == 0) number = make(std::forward<Arguments>(arguments)...);
    return states_[number - 1];
  }
  /// The connection's state; nullptr: it has none.
  State* find(std::uint32_t source, std::uint32_t destination) {
    const std::uint32_t number = numbers_.find(source, destination);
    return number == 0 ? nullptr : &states_[number - 1];
  }
  /// Releases the connection's state for reuse. Requires: the connection has a state.
  void release(std::uint32_t source, std::uint32_t destination) {
    states_.release(numbers_.find(source, destination) - 1);
    numbers_.erase(source, destination);
  }
  /// Prefetches the connection's state, if it has one.
  void prefetch(std::uint32_t source, std::uint32_t destination) {
    if (const State* state = find(source, destination); state != nullptr) prefetch_all(*state);
  }
  /// The states, in use or not.
  StableArray<State>& all() { return states_.all(); }
  const StableArray<State>& all() const { return states_.all(); }

 private:
  template <class... Arguments>
  std::uint32_t make(Arguments&&... arguments) {
    if constexpr (requires(State& state) { state.reset(arguments...); }) {
      if (const std::uint32_t reused = states_.reuse(); reused != States::kNone) {
        states_[reused].reset(std::forward<Arguments>(arguments)...);
        return reused + 1;
      }
    }
    return states_.acquire_as_left(std::forward<Arguments>(arguments)...) + 1;
  }

  using States = Pool<State, StableArray<State>>;

  ConnectionNumbers numbers_;  // index in states_, plus 1
  States states_;
};

}  // namespace hybrid
