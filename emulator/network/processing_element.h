// Processing element (D 8.3.1): hands its messages to the NIC word by word, in the order of sending.
//
// The first word of a message is offered `generation` after the send and after the last word of the previous
// message; the NIC then selects the queue. Each word enters that queue `generation` after the previous word,
// or when the queue has a place, whichever is later. A full queue blocks the next messages (head of line).
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/network/queue.h"
#include "emulator/network/repetition.h"
#include "emulator/network/ring.h"
#include "emulator/network/run.h"

namespace hybrid {

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
  void begin_message(Time now, WordQueue& queue, std::uint64_t words) {
    queue.segments.push({offered(), false, words});
    queue.room.merge_past(now);
    queue_ = &queue;
    left_ = words;
    free_ = now;
  }
  bool busy() const { return queue_ != nullptr; }
  /// Words of the current message that have not entered the queue.
  std::uint64_t left() const { return left_; }
  WordQueue* queue() { return queue_; }

  /// Enters as many words as the queue has known places. Returns whether the message is complete; then the
  /// caller must call finish_message().
  bool enter_words(Time generation) {
    while (left_ > 0 && !queue_->room.empty()) {
      const Run room = queue_->room.front().head(left_);
      const std::uint64_t words = serve_words(room, generation, Time::never(), free_,
                                              [&](const Run& entry) { queue_->entered.push(entry); });
      queue_->take_places(words);
      left_ -= words;
    }
    return left_ == 0;
  }

  struct Finished {
    std::uint32_t transfer;
    Time last_entry;
    Time next_offer;  // of the next message; Time::never(): none waits
  };
  Finished finish_message(Time generation) {
    const Finished result{waiting_.front().transfer, free_ - generation, Time::never()};
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
    if (busy() || foreseen) v.instant(free_);
  }

  /// Lower bound of the instant at which the next message is offered.
  Time earliest_offer(Time now, Time generation) const {
    if (busy()) return std::max(free_, now) + generation * static_cast<std::int64_t>(left_);
    return std::max(free_, (waiting_.empty() ? now : waiting_.front().sent) + generation);
  }

 private:
  struct Waiting {
    Time sent{};
    std::uint32_t transfer = 0;
    Port destination = 0;
  };
  Ring<Waiting> waiting_;  // the front one may be offered already
  WordQueue* queue_ = nullptr;
  std::uint64_t left_ = 0;
  Time free_{};  // earliest instant for the next word
};

}  // namespace hybrid
