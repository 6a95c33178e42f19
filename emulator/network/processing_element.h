// Processing element (D 8.3.1): hands its messages to the NIC word by word, in the order of sending.
//
// The first word of a message is offered `generation` after the send and after the last word of the previous
// message; the NIC then selects the queue. Each word enters that queue `generation` after the previous word,
// or when the queue has a place, whichever is later. A full queue blocks the next messages (head of line).
//
// The header and tail words of worms take the PE's time like other words, or are made by the NIC in no time
// (D 8.4.1): then the header enters with the worm's first word of payload, and the tail with its last one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/network/queue.h"
#include "emulator/network/repetition.h"
#include "emulator/network/ring.h"
#include "emulator/network/run.h"

namespace hybrid {

/// Words of a worm that the NIC makes; none: the PE hands over every word.
struct WormWords {
  std::uint64_t header = 0, payload = 0, tail = 0;
  bool made_by_nic() const { return header != 0; }
  std::uint64_t all() const { return header + payload + tail; }
};

class ProcessingElement {
 public:
  /// Queues a message. Returns the instant at which its first word is offered, or Time::never() if another
  /// message is before it.
  Time queue_message(Time at, std::uint32_t transfer, Port destination, Time generation) {
    waiting_.push({at, transfer, destination});
    if (queue_ != nullptr || waiting_.size() > 1) return Time::never();
    return std::max(free_, at + generation);
  }

  /// The offered message and its destination.
  std::uint32_t offered() const { return waiting_.front().transfer; }
  Port destination() const { return waiting_.front().destination; }

  /// Starts to enter the offered message into `queue`, as `words` words, from `now` on.
  void begin_message(Time now, WordQueue& queue, std::uint64_t words, WormWords worms = {}) {
    queue.segments.push({offered(), false, words});
    queue.room.merge_past(now);
    queue_ = &queue;
    left_ = all_ = words;
    free_ = now;
    worms_ = worms;
  }
  bool busy() const { return queue_ != nullptr; }
  /// Words of the current message that have not entered the queue.
  std::uint64_t left() const { return left_; }
  WordQueue* queue() { return queue_; }

  /// Enters as many words as the queue has known places, those of `pool` if it is pooled. Calls
  /// `note(entries)` for each run of them. Returns whether the message is complete; then the caller must call
  /// finish_message().
  template <class Note>
  bool enter_words(Time now, Time generation, PlacePool* pool, Note&& note) {
    if (!queue_->pooled) pool = nullptr;
    while (left_ > 0) {
      Run room;
      if (pool != nullptr)
        room = {now, Time{}, pool->places(destination())};
      else if (!queue_->room.empty())
        room = queue_->room.front();
      if (room.count == 0) break;
      const Part part = next_part();
      room = room.head(part.words);
      const bool payload = part.kind == Part::Kind::payload, tail = part.kind == Part::Kind::tail;
      Time at = tail ? free_ - generation : free_;
      const Run entries = serve_words(room, payload ? generation : Time{}, Time::never(), at);
      queue_->entered.push(entries);
      last_entry_ = entries.last();
      note(entries);
      // A tail that waited for a place keeps the PE from its next word, as a word of payload does.
      free_ = tail && at >= free_ ? at + generation : std::max(free_, at);
      if (pool != nullptr)
        pool->take(destination(), entries.count);
      else
        queue_->take_places(entries.count);
      left_ -= entries.count;
    }
    return left_ == 0;
  }

  struct Finished {
    std::uint32_t transfer;
    Time last_entry;
    Time next_offer;  // of the next message; Time::never(): none waits
  };
  Finished finish_message(Time generation) {
    const Finished result{waiting_.front().transfer, last_entry_, Time::never()};
    waiting_.pop();
    queue_ = nullptr;
    if (waiting_.empty()) return result;
    return {result.transfer, result.last_entry, std::max(free_, waiting_.front().sent + generation)};
  }

  /// Lists the state that changes while words enter (emulator/network/repetition.h). `foreseen`:
  /// earliest_offer() is used.
  void visit(StateVisitor& v, bool foreseen) {
    v.same(waiting_.size() * 2 + (busy() ? 1 : 0));
    if (busy()) v.plenty(left_);
    if (busy() && worms_.made_by_nic()) v.same((all_ - left_) % worms_.all());
    if (busy()) v.instant(last_entry_);
    if (busy() || foreseen) v.instant(free_);
  }

  /// Lower bound of the instant at which the next message is offered.
  Time earliest_offer(Time now, Time generation) const {
    if (busy()) return std::max(free_, now) + generation * static_cast<std::int64_t>(least_payload_left());
    return std::max(free_, (waiting_.empty() ? now : waiting_.front().sent) + generation);
  }

 private:
  /// Consecutive words of one kind that are next.
  struct Part {
    enum class Kind : std::uint8_t { header, payload, tail } kind = Kind::payload;
    std::uint64_t words = 0;
  };
  Part next_part() const {
    if (!worms_.made_by_nic()) return {Part::Kind::payload, left_};
    const std::uint64_t at = (all_ - left_) % worms_.all();           // in this worm
    const std::uint64_t length = std::min(worms_.all(), left_ + at);  // of this worm
    if (at < worms_.header) return {Part::Kind::header, worms_.header - at};
    if (at < length - worms_.tail) return {Part::Kind::payload, length - worms_.tail - at};
    return {Part::Kind::tail, length - at};
  }
  std::uint64_t least_payload_left() const {
    if (!worms_.made_by_nic()) return left_;
    const std::uint64_t overhead = (left_ / worms_.all() + 1) * (worms_.header + worms_.tail);
    return left_ > overhead ? left_ - overhead : 0;
  }

  struct Waiting {
    Time sent{};
    std::uint32_t transfer = 0;
    Port destination = 0;
  };
  Ring<Waiting> waiting_;  // the front one may be offered already
  WordQueue* queue_ = nullptr;
  std::uint64_t left_ = 0, all_ = 0;
  WormWords worms_;    // of the current message
  Time free_{};        // earliest instant for the next word of payload
  Time last_entry_{};  // of the current message
};

}  // namespace hybrid
