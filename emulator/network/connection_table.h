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

/// Has all of `object` brought into the cache. In a large switch the state of a connection has left it when
/// its turn comes.
template <class T>
void prefetch_all(const T& object) {
  const char* const bytes = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < sizeof(T); at += 64) __builtin_prefetch(bytes + at, 1);
}

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
  std::uint32_t& number_of(std::uint32_t source, std::uint32_t destination) {
    if (table_.allocated()) return table_[place(source, destination)];
    return rows_[source].number_of(destination);
  }
  /// It no longer has the one that it had.
  void erase(std::uint32_t source, std::uint32_t destination) {
    if (table_.allocated())
      table_[place(source, destination)] = 0;
    else
      rows_[source].erase(destination);
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

/// Grows without moving what it holds. Pieces are large, so that where the i-th lies is nearly always in the
/// cache.
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

/// State of each connection (source, destination) that was ever used, made when it is first asked for.
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
  /// nullptr where it was never asked for.
  State* find(std::uint32_t source, std::uint32_t destination) {
    const std::uint32_t number = numbers_.find(source, destination);
    return number == 0 ? nullptr : &states_[number - 1];
  }
  /// Its state, which is as at first, serves another connection, by State::serve(); this one is as if it had
  /// never been asked for.
  void release(std::uint32_t source, std::uint32_t destination) {
    unused_.push_back(numbers_.find(source, destination));
    numbers_.erase(source, destination);
  }
  /// It will be asked for soon; has it brought into the cache.
  void prefetch(std::uint32_t source, std::uint32_t destination) {
    if (const State* state = find(source, destination); state != nullptr) prefetch_all(*state);
  }
  StableArray<State>& all() { return states_; }
  const StableArray<State>& all() const { return states_; }

 private:
  template <class... Arguments>
  std::uint32_t make(Arguments&&... arguments) {
    if constexpr (requires(State& state) { state.serve(arguments...); }) {
      if (!unused_.empty()) {
        const std::uint32_t number = unused_.back();
        unused_.pop_back();
        states_[number - 1].serve(std::forward<Arguments>(arguments)...);
        return number;
      }
    }
    states_.emplace_back(std::forward<Arguments>(arguments)...);
    return static_cast<std::uint32_t>(states_.size());
  }

  ConnectionNumbers numbers_;
  StableArray<State> states_;
  std::vector<std::uint32_t> unused_;
};

}  // namespace hybrid
