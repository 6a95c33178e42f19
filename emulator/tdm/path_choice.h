// Path of a message in the hybrid switch: a circuit, also one that must be established first, or worms
// (D 3.3.3 and 4.4 leave the choice to the NIC).
//
// The NIC compares the times in which an unloaded switch delivers the message:
//   circuit  set-up + words / link rate
//   worms    passes of the scheduler, one per worm + words / worm rate
// The set-up depends on what the NIC knows of the circuit: it may use it now and keeps it, it has reported
// that it uses it next (the switch configures it in the next slot), it has it in its table (the switch must
// know of the message first), or neither (the scheduler must grant it, too). Both sides grow with the number
// of words, so the choice is a threshold for each state while nothing waits ahead. It takes constant time.
//
// Without a packet plane worms take both their ports from the circuits, which are configured again after
// them: the sum for worms includes these two reconfigurations.
//
// With an allocation whose slots come in turn (Allocation::visits_in_turn) a circuit in the table needs no
// report: it waits for its slot, and worms for S_W, on average half a cycle. But a long S_W carries several
// messages, one after the other, to any destination; they share its cycle. A circuit then delays no others:
// the slots come anyway.
//
// In a fat tree every switch schedules the worms. Without a packet plane they also wait for their slot: worms
// and circuits take turns of the time for which circuits are protected (tdm/held.cpp).
//
// Messages ahead on the same path delay both. The NIC adds the time that those take which it has accepted and
// not sent (WorkAhead), and of the circuits ahead their reconfigurations, at least a slot each with a packet
// plane; a set-up and the circuits' messages ahead pass at the same time. So a path that does not keep up
// gets fewer messages.
//
// The NIC does not know for which ports circuits of other NICs wait. With a packet plane it therefore chooses
// once more for the messages that wait for circuits when its last worm has left (HybridOver).
//
// On one link the message also delays those behind it, by the time for which it occupies its ports:
//   circuit  whole slots, and the time until both ports are free and a circuit is granted. If the
//            circuit is open, the message adds its words only. Worms of the connection that have not
//            left show that messages would wait together: at least two share the slots
//   worms    words and passes of the scheduler; while circuits use the fabric, the time of the words on the
//            link, too, since they then wait in the switch
// The NIC expects as many messages behind this one as wait ahead of it. So a NIC with a backlog of short
// messages to ever new destinations sends worms, one with a backlog for few destinations uses circuits, and
// both continue with the path that they use.
//
//   const PathChoice choice(parameters, timing, worms);
//   if (choice.by_circuit({.words = words, .circuit = PathChoice::Circuit::open})) ...
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/time.h"
#include "emulator/network/repetition.h"
#include "emulator/network/ring.h"
#include "emulator/network/timing.h"
#include "emulator/parameters.h"
#include "emulator/tdm/allocation.h"
#include "emulator/tdm/circuit_plan.h"

namespace hybrid {

/// Link time of the messages that a NIC has accepted for one path and not sent, as known to the NIC.
class WorkAhead {
 public:
  void add(Time work) {
    ahead_ += work;
    ++messages_;
  }
  /// The NIC knows from `at` on that a message that takes `work` has left.
  void leaves(Time at, Time work) {
    leaving_.push({at, work});
    // Reports from different switches of a tree pass each other.
    for (std::size_t i = leaving_.size() - 1; i > 0 && leaving_[i].at < leaving_[i - 1].at; --i)
      std::swap(leaving_[i], leaving_[i - 1]);
  }
  Time at(Time now) {
    for (; !leaving_.empty() && leaving_.front().at <= now; leaving_.pop()) {
      ahead_ -= leaving_.front().work;
      --messages_;
    }
    return ahead_;
  }
  /// When all these messages will have left, as known to the NIC; Time::never(): it is not known of all.
  Time all_left() const {
    if (leaving_.empty() || leaving_.size() != static_cast<std::size_t>(messages_)) return Time::never();
    return leaving_[leaving_.size() - 1].at;
  }
  /// Number of these messages.
  std::int64_t messages(Time now) {
    at(now);
    return messages_;
  }
  void visit(StateVisitor& v, Time now) {
    v.same(static_cast<std::uint64_t>(at(now).ps));
    v.same(static_cast<std::uint64_t>(messages_));
    v.same(leaving_.size());
    if (v.failed()) return;
    for (std::size_t i = 0; i < leaving_.size(); ++i) {
      v.instant(leaving_[i].at);
      v.same(static_cast<std::uint64_t>(leaving_[i].work.ps));
    }
  }

 private:
  struct Leaving {
    Time at, work;
  };
  Time ahead_{};
  std::int64_t messages_ = 0;
  Ring<Leaving> leaving_;
};

/// How worms pass the switch: see WormSwitches::Fabric.
struct WormRate {
  Time word;   // from one word to the next, on the slower of link and fabric
  Time path;   // out of the switch's buffer to the receiving NIC
  Time setup;  // from a pass of the scheduler until its grants hold
};

class PathChoice {
 public:
  /// `expected`: in the table, and the NIC has reported that it uses it next.
  enum class Circuit : std::uint8_t { open, expected, in_table, absent };

  PathChoice(const SwitchParameters& p, const Timing& timing, const WormRate& worms)
      : circuit_word_(timing.word),
        worm_word_(worms.word),
        worm_setup_(worms.setup),
        change_(change_time(p)),
        one_link_(p.packet_plane == 0),
        in_turn_(visits_in_turn(p)),
        weighs_occupancy_(one_link_ && !in_turn_ && !p.is_tree()),
        slot_(p.slot_length),
        starts_(p.unusable_slot_time(true)),
        pass_(p.scheduler.cycle),
        worm_clock_(weighs_occupancy_ && !p.worm_lookahead ? p.scheduler.cycle : picoseconds(1)),
        worm_words_(std::min(timing.worm_words, kMostWords)),
        overhead_(static_cast<std::int64_t>(timing.worm_overhead)),
        // Without look-ahead the next worm of a message waits for a pass after the tail of the one before.
        worm_period_(words_time(worms.word, worm_words_ + timing.worm_overhead)) {
    if (!p.worm_lookahead) worm_period_ = next_edge(worm_period_ + worms.setup, p.scheduler.cycle);
    const Time pass{p.scheduler.cycle.ps / 2};  // the mean time until the next edge of the scheduler's clock
    worm_hop_ = pass + worms.setup + worms.path;
    worm_first_ = timing.wire + worm_hop_;
    if (one_link_) worm_first_ += p.unusable_slot_time(true) * 2;
    // The mean time until a given slot of the cycle.
    const Time turn{p.slot_length.ps * (std::int64_t{p.slots} + (one_link_ ? 1 : 0)) / 2};
    if (one_link_ && in_turn_)
      worm_first_ += std::min(turn, multiple(worm_first_, std::int64_t{p.slots} + 1));
    else if (p.is_tree() && one_link_)
      worm_first_ += turn_wait(p);
    drain_ = timing.wire + pass - timing.to_fabric;
    circuit_hop_ = timing.hop;
    top_switches_ = timing.top_switches;
    const Time next_slot{p.slot_length.ps / 2};  // the mean time until it begins
    const Time configured = in_turn_ ? turn : next_slot + change_;
    const Time report = timing.nic + timing.control * 2;
    setup_ = {Setup{Time{}, timing.circuit},
              {configured + (in_turn_ ? Time{} : timing.control), timing.circuit},
              {configured + (in_turn_ ? Time{} : report), timing.circuit},
              {configured + report + pass + p.scheduler.delay(), timing.circuit}};
  }

  /// Time until a circuit that must be configured carries words. The reconfiguration counts twice: the switch
  /// configures maximal sets of circuits, which can have half of the largest set's size, so that a circuit
  /// may wait for another one at its ports.
  static Time change_time(const SwitchParameters& p) { return p.unusable_slot_time(true) * 2; }

  /// Mean time until worms have the fabric of a tree: half of the messages come while the circuits have it,
  /// on average half a turn before its end.
  static Time turn_wait(const SwitchParameters& p) {
    return Time{CircuitPlan::protection(p).ps / 4} + p.unusable_slot_time(true);
  }

  /// What the NIC knows when a message is offered.
  struct Offer {
    std::uint64_t words = 0;  // > 0
    Circuit circuit = Circuit::absent;
    Time opens{};                           // until an open circuit carries words
    bool can_be_granted = false;            // an absent one
    std::uint32_t connections_with_data{};  // of this NIC, which wait for circuits or use them
    Time circuits_ahead{}, worms_ahead{};   // WorkAhead::at()
    std::int64_t messages_ahead = 0;        // WorkAhead::messages(), of both
    bool worms_under_way = false;           // of the same connection
    std::uint32_t switches = 1;             // between the ports, at the lowest turn
  };
  /// Whether the message waits for its circuit, or uses it.
  bool by_circuit(const Offer& o) const {
    // Each connection with data needs a change of circuits before the new one.
    Time circuits = o.circuits_ahead + change_ * std::int64_t{o.connections_with_data};
    Time worms = o.worms_ahead;
    if (one_link_)
      circuits = worms = circuits + worms;
    else if (o.circuit != Circuit::open)  // each of them has whole slots before the new one
      circuits = std::max(circuits, slot_ * std::int64_t{o.connections_with_data});
    if (weighs_occupancy_ && o.messages_ahead > 0) {
      if (o.worms_ahead > Time{}) circuits += drain_;
      worms += multiple(worm_delay(o) - circuit_delay(o), o.messages_ahead + 1);
    }
    if (o.circuit == Circuit::open) circuits = std::max(circuits, o.opens);
    const auto circuit_hops = std::int64_t{std::max(o.switches, top_switches_)} - 1;
    // Only the difference decides: what circuits take longer is subtracted from the worms' time.
    worms += worm_hop_ * (std::int64_t{o.switches} - 1) - circuit_hop_ * circuit_hops;
    return by_circuit(o.words, o.circuit, circuits, worms) &&
           (o.circuit != Circuit::absent || o.can_be_granted);
  }
  /// Whether a message of `words` (> 0) words is delivered at least as early over its circuit.
  bool by_circuit(std::uint64_t words, Circuit circuit, Time circuits_ahead, Time worms_ahead) const {
    const Setup& setup = setup_[static_cast<std::size_t>(circuit)];
    return worms_ahead + worm_first_ + worm_work(words) >=
           std::max(circuits_ahead, setup.before) + setup.path + circuit_work(words);
  }
  /// Time in which worms of `words` (> 0) words occupy an input of the switch, less the last worm's pass.
  Time worm_work(std::uint64_t words) const {
    const auto full = static_cast<std::int64_t>((words - 1) / worm_words_);
    const auto rest = static_cast<std::int64_t>(words) - full * static_cast<std::int64_t>(worm_words_);
    return worm_period_ * full + worm_word_ * (rest + overhead_);
  }
  /// The same with all passes: while it lasts, no other worm of the input leaves.
  Time worm_occupancy(std::uint64_t words) const {
    return next_edge(worm_work(words) + worm_setup_, worm_clock_);
  }
  /// Time for which a circuit that is set up for `words` (> 0) words occupies its ports: whole slots, half a
  /// slot in which one of the two ports waits for the other one and, if the circuit is absent, a pass of the
  /// scheduler.
  Time circuit_occupancy(std::uint64_t words, Circuit circuit) const {
    const Time used = next_edge(starts_ + circuit_work(words), slot_) + Time{slot_.ps / 2};
    return circuit == Circuit::absent ? used + pass_ : used;
  }
  Time circuit_work(std::uint64_t words) const { return words_time(circuit_word_, words); }

 private:
  /// Time by which the message delays those behind it.
  Time circuit_delay(const Offer& o) const {
    const Time words = circuit_work(o.words);
    if (o.circuit == Circuit::open) return words;
    const Time alone = circuit_occupancy(o.words, o.circuit);
    return o.worms_under_way ? std::max(words, Time{alone.ps / 2}) : alone;
  }
  Time worm_delay(const Offer& o) const {
    const Time on_link = o.circuits_ahead > Time{} ? circuit_work(o.words) : Time{};
    return on_link + worm_occupancy(o.words);
  }

  /// `time` * `n` (> 0), at most a fourth of what Time can hold.
  static Time multiple(Time time, std::int64_t n) {
    const Time most{Time::never().ps / 4 / n};
    return std::clamp(time, Time{} - most, most) * n;
  }

  static constexpr std::uint64_t kMostWords = std::uint64_t{1} << 30;  // of a worm: larger ones are as one
  static Time words_time(Time word, std::uint64_t words) { return word * static_cast<std::int64_t>(words); }

  Time circuit_word_, worm_word_, worm_setup_, change_;
  bool one_link_;  // for worms and circuits
  bool in_turn_;   // the slots come in turn
  bool weighs_occupancy_;
  Time slot_;
  Time starts_;      // from the begin of a slot until a new circuit carries words
  Time pass_;        // from one pass of the scheduler to the next
  Time worm_clock_;  // passes of worms that follow each other
  Time drain_;       // a circuit waits for the last worm ahead on its way through the switch
  std::uint64_t worm_words_;
  std::int64_t overhead_;
  Time worm_period_;             // of consecutive full worms
  Time worm_first_;              // delivery of the first word through one switch
  Time worm_hop_, circuit_hop_;  // for each further one
  std::uint32_t top_switches_;   // fewest on a circuit
  struct Setup {
    Time before;  // until the first word starts on the link
    Time path;
  };
  std::array<Setup, 4> setup_;  // by the circuit's state
};

}  // namespace hybrid
