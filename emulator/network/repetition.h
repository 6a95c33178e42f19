// Search for repeated states, so that a long message is emulated in a few exact steps.
//
// A network computes its next state by adding delays to instants, by taking the later of two instants, and by
// comparing instants. If the state is the same as a period P ago, except that all instants are later by P,
// the next period is the same again, later by P. Two kinds of parts may differ:
// - Instants that do not move, and that are so long ago or so far ahead that no delay relates them to those
//   that move (`settle` is more than the sum of all delays). Periods are skipped only up to the instants
//   ahead.
// - Large supplies: the remaining words of a message, and words (or places) that have been in a queue for
//   longer than `settle`. Their number and waiting time have no effect. Periods are skipped only while enough
//   of them remain.
// All other state that affects the future must be visited, or must not change while only events happen for
// which the technique's is_steady() is true.
//
// A component lists its state in visit(StateVisitor&), in the same order each time. The visitor saves it,
// compares it with what was saved, or advances it by a number of periods:
//   void visit(StateVisitor& v) {
//     v.same(count_);         // must be equal
//     v.instant(link_free_);  // must have moved by the period
//   }
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/port_set.h"
#include "core/time.h"
#include "emulator/network/event_queue.h"
#include "emulator/network/queue.h"
#include "emulator/network/ring.h"
#include "emulator/network/run.h"

namespace hybrid {

class StateVisitor {
 public:
  /// `margin`: number of words that a component reads ahead of those that it moves.
  StateVisitor(Time settle, std::uint64_t margin) : settle_(settle), margin_(margin) {}

  /// Adds a delay of the network.
  void settle_longer(Time by) { settle_ += by; }

  // ---- For the engine. Each of these begins a visit of all components.
  void begin_save(Time now);
  void begin_compare(Time now);
  /// Advances the state by `times` periods. Requires: the last comparison found a repeated state, and times
  /// <= times().
  void begin_repeat(std::uint64_t times);

  enum class Outcome : std::uint8_t { repeats, unsettled, differs };
  /// Outcome of the comparison. `unsettled`: a later comparison may succeed.
  Outcome outcome() const { return outcome_; }
  Time period() const { return period_; }
  /// Lower bound of the number of periods that repeat from here.
  std::uint64_t times() const;

  // ---- For components
  /// Whether the comparison has failed; then the rest of the state need not be listed.
  bool failed() const { return outcome_ == Outcome::differs; }
  /// A value that must be equal.
  void same(std::uint64_t value) {
    if (mode_ == Mode::save)
      saved_.push_back(value);
    else if (next_saved() != value)
      outcome_ = Outcome::differs;
  }
  void same(const PortSet& set) {
    for (const Word word : set.words()) same(word);
  }
  /// An instant: it must have moved by the period, or be far away.
  void instant(Time& at);
  /// A counter without effect on the future. Returns its growth in the period (0 while saving).
  std::uint64_t total(std::uint64_t& sum);
  /// A number of remaining words that is large.
  void plenty(std::uint64_t& words);
  /// A round-robin pointer to one of `size` places. `matters`: the period depended on its position.
  void turn(std::uint32_t& pointer, std::uint32_t size, bool matters);
  void words(RunQueue& queue);
  void messages(Ring<Segment>& segments);
  void queue(WordQueue& queue);
  /// The queues that are not finished, by their places in `queues`; own(queue) lists the further state of
  /// one.
  template <class Queues, class Own>
  void unfinished(Queues& queues, Own&& own) {
    std::uint64_t place = 0;
    for (auto& one : queues) {
      if (failed()) return;
      ++place;
      if (one.finished()) continue;
      same(place);
      own(one);
      queue(one);
    }
    same(place + 1);
  }
  /// A clock on the edges of which a component acts.
  void clock(Time cycle) {
    if (mode_ == Mode::compare && period_.ps % cycle.ps != 0) outcome_ = Outcome::differs;
  }
  void events(EventQueue& events);

 private:
  enum class Mode : std::uint8_t { save, compare, repeat };

  std::uint64_t next_saved() { return next_ < saved_.size() ? saved_[next_++] : ~std::uint64_t{0}; }
  void note_fixed_instant(Time at);
  void note_moving_instant(Time at) { lead_ = std::max(lead_, at - now_); }
  void mark_unsettled() {
    if (outcome_ == Outcome::repeats) outcome_ = Outcome::unsettled;
  }
  void limit_times(std::uint64_t times) { times_ = std::min(times_, times); }
  /// Whether `at` was longer ago than any delay when the observed period began.
  bool settled_before_period(Time at) const { return at + settle_ <= began_; }
  void compare_words(const RunQueue& queue, std::uint64_t in, std::uint64_t out, std::uint64_t first_run);
  void repeat_words(RunQueue& queue, std::uint64_t in, std::uint64_t out);
  bool is_shifted(const RunQueue& queue, std::uint64_t first_run) const;
  void compare_events(EventQueue& events);

  Time settle_;
  std::uint64_t margin_;
  Mode mode_ = Mode::save;
  Outcome outcome_ = Outcome::differs;
  Time began_{}, now_{}, period_{};
  Time horizon_ = Time::never();  // the next event that does not move: the periods must end before it
  Time ahead_ = Time::never();  // the next instant that does not move: moving instants must stay far from it
  Time lead_{};                 // latest moving instant less now
  std::uint64_t times_ = 0;
  Time by_{};  // repeat: duration of all skipped periods
  std::uint64_t repeats_ = 0;

  std::vector<std::uint64_t> saved_;
  std::size_t next_ = 0;
  std::vector<SwitchEvent> saved_events_, events_;
  std::vector<SwitchEvent> waiting_before_, waiting_;  // events that do not move
  std::vector<Run> entries_;
};

}  // namespace hybrid
