// Queue of words (D 8.3.2): the single queue; the N-queue is N of them with one writer and one reader.
//
// A queue stores the instants at which its words enter (as runs, including future words that are certain) and
// the messages of the words. `room` stores the instants at which each free place became free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/network/run.h"
#include "emulator/network/timing.h"

namespace hybrid {

/// Words of one message that are in a queue or will enter it.
struct Segment {
  std::uint32_t transfer = 0;
  bool begun = false;       // some words have left
  std::uint64_t words = 0;  // that have not left
};

/// The places that a NIC's queues for circuits share (--buffer-scope nic): VQ_PCKT, "a physical buffer, but
/// logically partitioned into N queues" (D 3.4.1). In addition a queue without words always accepts one.
/// Without that, NICs could wait for each other forever: each sends a message whose next words find no place,
/// since the pool is full of words for the destinations that the others occupy.
class PlacePool {
 public:
  PlacePool(std::uint64_t places, std::uint32_t destinations) : places_(places), words_(destinations, 0) {}

  /// Number of words to `destination` that can be taken in now.
  std::uint64_t places(Port destination) const {
    if (used_ < places_) return places_ - used_;
    return words_[destination] == 0 ? 1 : 0;
  }
  void take(Port destination, std::uint64_t words) {
    used_ += words;
    words_[destination] += words;
  }
  /// A word to `destination` leaves.
  void free_one(Port destination) {
    --used_;
    --words_[destination];
  }

 private:
  std::uint64_t places_, used_ = 0;
  std::vector<std::uint64_t> words_;  // by destination
};

struct WordQueue {
  /// The NIC's queue of one destination, for circuits.
  explicit WordQueue(const Timing& timing)
      : WordQueue(timing, timing.shares_places ? kUnlimited : timing.room) {
    pooled = timing.shares_places;
  }
  WordQueue(const Timing& timing, std::uint64_t places) : bounded(timing.bounded() && places != kUnlimited) {
    room.push({Time{}, Time{}, bounded ? places : ~std::uint64_t{0}});
  }

  RunQueue entered;  // entry instants of the words that have not left
  RunQueue room;     // instants at which the free places became free
  Ring<Segment> segments;
  bool bounded;
  bool pooled = false;  // its places are those of a PlacePool, and `room` is without meaning

  /// Whether the queue has no words and no message will enter words.
  bool finished() const { return segments.empty(); }

  /// Makes all places free from the start. Requires: the queue has no words.
  void reset_places() {
    if (!bounded) return;
    const std::uint64_t places = room.size();
    room.pop_all(places);
    room.push({Time{}, Time{}, places});
  }

  /// Removes places from the front run of `room`.
  void take_places(std::uint64_t words) {
    if (bounded) room.pop(words);
  }
  /// Removes the words that leave at `starts`. Their places become free at the same instants, or `delay`
  /// later if the writer is informed over a wire.
  void remove_words(const Run& starts, Time delay = {}) {
    entered.pop(starts.count);
    if (bounded) room.push(starts.delayed(delay));
  }
};

/// Removes the words that leave at `starts` from `segments`. Calls `begin(transfer)` for each message of
/// which the first word is among them, and `end(transfer, start of its last word)` for each of which the last
/// is.
template <class Begin, class End>
void remove_segment_words(Ring<Segment>& segments, const Run& starts, Begin&& begin, End&& end) {
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

}  // namespace hybrid
