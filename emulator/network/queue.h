// Queues of words (D 8.3.2): the single queue and the N-queue, which is N of them with one writer and one
// reader.
//
// A queue knows its words by the instants at which they enter (as runs, also those still to come that are
// already certain) and the messages that they belong to. Its `room` are the instants at which a place for one
// more word came free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/network/connection_numbers.h"
#include "emulator/network/run.h"
#include "emulator/network/timing.h"

namespace hybrid {

/// Has all of `object` brought into the cache. In a large switch the state of a connection has left it when
/// its turn comes.
template <class T>
void prefetch_all(const T& object) {
  const char* const bytes = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < sizeof(T); at += 64) __builtin_prefetch(bytes + at, 1);
}

/// Words of one message in a queue, or still on their way into it.
struct Segment {
  std::uint32_t transfer = 0;
  bool begun = false;       // some words have left
  std::uint64_t words = 0;  // that have not
};

struct WordQueue {
  explicit WordQueue(const Timing& timing) : bounded(timing.bounded()) {
    room.push({Time{}, Time{}, bounded ? timing.room : ~std::uint64_t{0}});
  }

  RunQueue entered;  // words that have not left: their entry
  RunQueue room;     // places that no word has taken
  Ring<Segment> segments;
  bool bounded;

  /// No word is in it and no message is on its way into it.
  bool finished() const { return segments.empty(); }

  /// All places are free, as at first; no word is in it.
  void empty_again() {
    if (!bounded) return;
    const std::uint64_t places = room.size();
    room.pop_all(places);
    room.push({Time{}, Time{}, places});
  }

  /// Takes places of the front run of `room`.
  void take_room(std::uint64_t words) {
    if (bounded) room.pop(words);
  }
  /// Words leave at `starts`; their places come free at the same instants, later by `delay` where the writer
  /// learns of it over a wire.
  void left(const Run& starts, Time delay = {}) {
    entered.pop(starts.count);
    if (bounded) room.push(starts.delayed(delay));
  }
};

/// Takes the words that leave at `starts` out of `segments`. Calls `begin(transfer)` where a message's first
/// word is among them and `end(transfer, start of its last word)` where its last one is.
template <class Begin, class End>
void leave_segments(Ring<Segment>& segments, const Run& starts, Begin&& begin, End&& end) {
  std::uint64_t done = 0;
  while (done < starts.count) {
    Segment& segment = segments.front();
    if (!segment.begun) begin(segment.transfer);
    segment.begun = true;
    const std::uint64_t words = std::min(segment.words, starts.count - done);
    segment.words -= words;
    done += words;
    if (segment.words == 0) {
      const std::uint32_t transfer = segment.transfer;
      segments.pop();
      end(transfer, starts.at(done - 1));
    }
  }
}

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
    std::uint32_t& number = numbers_.of(source, destination);
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
  void give_up(std::uint32_t source, std::uint32_t destination) {
    unused_.push_back(numbers_.find(source, destination));
    numbers_.forget(source, destination);
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
