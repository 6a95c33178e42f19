// What one switch with worms (emulator/network/switch_node.h) and a fat tree of them
// (emulator/network/switch_tree.h) share: the sending side of the NICs, and the rules by which worms are
// requested and words are sent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/connection.h"
#include "core/time.h"
#include "emulator/network/connection_table.h"
#include "emulator/network/efficiency.h"
#include "emulator/network/fabric_windows.h"
#include "emulator/network/queue.h"
#include "emulator/network/timeline.h"
#include "emulator/network/timing.h"

namespace hybrid {

/// Connections with worms under way, and the instant at which the NIC knows that the last worm has left. A
/// circuit of the same connection waits for it, so that no message overtakes another.
class WormsUnderWay {
 public:
  explicit WormsUnderWay(std::uint32_t ports) : worms_(ports) {}

  void announce_message(Connection c) {
    ++worms_.get(c.source, c.destination).unfinished;
    ++unfinished_;
  }
  /// The last word of a message has left; the NIC knows it from `known` on.
  void note_departure(Connection c, Time known) {
    Worms& worms = worms_.get(c.source, c.destination);
    --worms.unfinished;
    --unfinished_;
    worms.cleared = known;
  }
  /// The instant from which the NIC knows that all worms of `c` have left; Time::never() if some have not.
  Time time_cleared(Connection c) {
    const Worms* worms = worms_.find(c.source, c.destination);
    if (worms == nullptr) return Time{};
    return worms->unfinished == 0 ? worms->cleared : Time::never();
  }
  bool empty() const { return unfinished_ == 0; }

 private:
  struct Worms {
    std::uint32_t unfinished = 0;  // messages announced whose last word has not left
    Time cleared{};
  };
  ConnectionTable<Worms> worms_;
  std::uint64_t unfinished_ = 0;
};

/// Base class of SwitchNode and SwitchTree. The two have the same functions (see SwitchNode), so that a
/// technique can be a template over them; kTree distinguishes them.
class WormSwitches {
 public:
  /// Kinds of the events that the switches schedule. The technique must pass these events to handle_event().
  struct Kinds {
    std::uint32_t tail, request, pass;
  };
  /// The last word of message `transfer` is at the destination PE at `at`.
  struct Delivery {
    std::uint32_t transfer;
    Time at;
  };
  /// The fabric of each switch.
  struct Fabric {
    Time spacing;  // from one word of a worm to the next
    Time path;     // from a word's start until it is in the next queue or in the receiving NIC
    Time setup;    // from a scheduler pass until its grants hold
  };
  /// Sending side of a NIC: Q_W and its link.
  struct Source {
    explicit Source(const Timing& timing) : queue(timing, timing.worm_room) {}
    WordQueue queue;   // Q_W
    Time link_free{};  // earliest start of the next word
    // Of SwitchNode:
    bool no_place = false;        // the first word has no known place in VQ_W until words leave it
    std::uint32_t under_way = 0;  // messages announced whose last word has not left VQ_W
    Time last_left{};             // start of the last word of a message that left VQ_W
  };

  void observe(PortTimeline& timeline) { timeline_ = &timeline; }
  /// The instant at which the last word of the message left the last switch's buffer.
  Time last_start(const Delivery& d) const { return d.at - timing_.nic - fabric_.path; }
  Source& source(Port node) { return sources_[node]; }
  /// Windows in which words may leave the switches' queues; none at first.
  FabricWindows& windows() { return windows_; }
  /// Measures from the start how efficiently worms use S_W.
  void measure_efficiency() {
    meter_ = std::make_unique<WormMeter>(static_cast<std::uint32_t>(sources_.size()), timing_.word);
  }
  /// S_W is at the fabric in [begin, end).
  void note_wormhole_slot(Time begin, Time end) {
    if (meter_) meter_->add_slot(begin, end);
  }

 protected:
  struct Announced {
    std::uint32_t transfer;
    Port destination;
    std::uint64_t payload;
  };

  WormSwitches(std::uint32_t nodes, std::uint32_t window_ports, const SwitchParameters& parameters,
               const Timing& timing, Fabric fabric, Kinds kinds)
      : timing_(timing),
        fabric_(fabric),
        lookahead_(parameters.worm_lookahead ? parameters.scheduler.delay() : Time{}),
        kinds_(kinds),
        sources_(nodes, Source(timing)),
        announced_(nodes),
        windows_(window_ports) {}

  /// All places of a VQ_W, free from the start.
  Run all_places() const {
    return {Time{}, Time{}, timing_.bounded() ? timing_.input_room : ~std::uint64_t{0}};
  }

  /// Words of the first worm of a message with `payload` words that no granted worm has.
  std::uint64_t worm_words(std::uint64_t payload) const {
    return std::min(timing_.worm_words, payload) + timing_.worm_overhead;
  }
  /// The arrival of the first flit of a worm of `words` words, or of as much of it as the queue can hold;
  /// Time::never(): not known yet.
  Time first_flit_arrival(const RunQueue& arrived, std::uint64_t words) const {
    return arrived.at(std::min({timing_.flit_words, words, timing_.input_room}) - 1);
  }

  /// The first instant at which the scheduler may grant the ports of a worm again. The worm's last word has
  /// left at `end`. The switch knows that from `there` on, when the last word and its place are there, but
  /// after `now`, since a pass does not know a window that begins at its edge.
  Time release_time(Time now, Time there, Time end) const {
    return std::max({now + picoseconds(1), there, end - lookahead_});
  }

  /// Earliest starts on the link of the words of the first message in Q_W. Requires: Q_W holds a word.
  Run first_words(const Source& source) const {
    return source.queue.entered.front().head(source.queue.segments.front().words).delayed(timing_.nic);
  }
  /// Sends words of the first message in `node`'s Q_W over the link, at the first of the `possible` instants,
  /// none after `latest`. They arrive in the queue `to`. Calls begin(message) for the message's first word
  /// and end() for its last one. Returns the number of words sent. Requires: `possible` has words of that
  /// message only.
  template <class Queue, class Begin, class End>
  std::uint64_t send_over_link(Port node, const Run& possible, Time latest, Queue& to, Begin&& begin,
                               End&& end) {
    Source& source = sources_[node];
    const Run starts = serve_words(possible, timing_.word, latest, source.link_free);
    if (starts.count == 0) return 0;
    const Announced& message = announced_[node].front();
    if (timeline_ != nullptr) report_link({node, message.destination}, message.transfer, starts);
    source.queue.remove_words(starts);
    to.arrived.push(starts.delayed(timing_.wire));
    Segment& segment = source.queue.segments.front();
    if (!segment.begun) begin(message);
    segment.begun = true;
    segment.words -= starts.count;
    if (segment.words == 0) {
      source.queue.segments.pop();
      announced_[node].pop();
      end();
    }
    return starts.count;
  }

  /// Moves `free`, the earliest start of a word on connection `c`, into the next window. Returns the latest
  /// start in it, which is before `free` if no window is known.
  Time enter_window(Connection c, Time& free) const {
    if (windows_.always_open()) return Time::never();
    const FabricWindows::Window window = windows_.find_window(c, free, fabric_.spacing);
    if (window.from == Time::never()) return Time{-1};
    free = std::max(free, window.from);
    return window.until == Time::never() ? window.until : window.until - fabric_.spacing;
  }
  /// Reports words that start on the link of `c`'s source at `starts` to the timeline.
  [[gnu::cold]] void report_link(Connection c, std::uint32_t transfer, const Run& starts) {
    timeline_->on_link({c, transfer, starts, timing_.word, true, WordSpan::kNoSlot});
  }
  /// Reports words that leave the last switch at `starts` to the timeline.
  [[gnu::cold]] void report_output(Connection c, std::uint32_t transfer, const Run& starts) {
    timeline_->out_of_fabric(
        {c, transfer, starts.delayed(fabric_.path - timing_.wire), fabric_.spacing, true, WordSpan::kNoSlot});
  }

  PortTimeline* timeline_ = nullptr;
  Timing timing_;
  Fabric fabric_;
  Time lookahead_;  // from the release of a worm's ports to its end, at most; 0: no look-ahead
  Kinds kinds_;
  std::vector<Source> sources_;
  std::vector<Ring<Announced>> announced_;  // messages of each source, in the order of Q_W
  FabricWindows windows_;
  std::unique_ptr<WormMeter> meter_;
};

}  // namespace hybrid
