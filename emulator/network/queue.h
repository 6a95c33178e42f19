// Queues of words (D 8.3.2): the single queue and the N-queue, which is N of them with one writer and one
// reader.
//
// A queue knows its words by the instants at which they enter (as runs, also those still to come that are
// already certain) and the messages that they belong to. Its `room` are the instants at which a place for one
// more word came free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/network/run.h"
#include "emulator/network/timing.h"

namespace hybrid {

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
  void reset_places() {
    if (!bounded) return;
    const std::uint64_t places = room.size();
    room.pop_all(places);
    room.push({Time{}, Time{}, places});
  }

  /// Takes places of the front run of `room`.
  void take_places(std::uint64_t words) {
    if (bounded) room.pop(words);
  }
  /// Words leave at `starts`; their places come free at the same instants, later by `delay` where the writer
  /// learns of it over a wire.
  void remove_words(const Run& starts, Time delay = {}) {
    entered.pop(starts.count);
    if (bounded) room.push(starts.delayed(delay));
  }
};

/// Takes the words that leave at `starts` out of `segments`. Calls `begin(transfer)` where a message's first
/// word is among them and `end(transfer, start of its last word)` where its last one is.
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
