// States that repeat: how a long message passes in a few exact steps, whatever moves it.
//
// A network computes what comes from its state by adding delays to instants, by taking the later of two, and
// by comparing them. So from a state that is the same as the one a period P ago, but for all instants being
// later by P, the same follows again, later by P; and again. Two kinds of parts need not be the same:
// - What does not take part: instants so long past, or so far ahead, that no delay brings them near anything
//   that moves (`settle` is more than all delays together); the steps end before those ahead come near.
// - What there is plenty of: words of a message still to come, and words (or places) that have been in a
//   queue for longer than `settle`. That there are fewer or more of them, or that they wait longer, changes
//   nothing; the steps end while there are still many.
// Everything else that the future depends on must be visited, or be constant as long as only events that the
// technique calls steady() happen.
//
// A component lists its state in visit(StateVisitor&), the same way each time; the visitor saves it, compares
// it with what it saved, or lets periods pass.
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
  /// `margin`: words that a component looks at ahead of those that it moves.
  StateVisitor(Time settle, std::uint64_t margin) : settle_(settle), margin_(margin) {}

  /// A further delay of the network.
  void settle_longer(Time by) { settle_ += by; }

  // ---- For the engine: each begins a visit of everything.
  void begin_save(Time now);
  void begin_compare(Time now);
  /// After a comparison that went well: `times` <= times() periods pass.
  void begin_repeat(std::uint64_t times);

  enum class Outcome : std::uint8_t { repeats, unsettled, differs };
  /// Of the comparison: unsettled where waiting may help.
  Outcome outcome() const { return outcome_; }
  Time period() const { return period_; }
  /// How often the period repeats from here, as far as is known.
  std::uint64_t times() const;

  // ---- For components
  /// The rest need not be listed: the comparison has failed.
  bool done() const { return outcome_ == Outcome::differs; }
  /// What must be the same again.
  void same(std::uint64_t value) {
    if (mode_ == Mode::save)
      saved_.push_back(value);
    else if (next_saved() != value)
      outcome_ = Outcome::differs;
  }
  void same(const PortSet& set) {
    for (const Word word : set.words()) same(word);
  }
  void instant(Time& at);
  /// A sum that nothing depends on. Returns by how much it grew in the period (0 when saving).
  std::uint64_t total(std::uint64_t& sum);
  /// Words still to come, of which there are plenty.
  void plenty(std::uint64_t& words);
  /// A pointer that goes round among `size` places, one place at a time; `matters`: what happened in the
  /// period depends on where it was.
  void turn(std::uint32_t& pointer, std::uint32_t size, bool matters);
  void words(RunQueue& queue);
  void messages(Ring<Segment>& segments);
  void queue(WordQueue& queue);
  /// Those of `queues` that are not finished, by their places; own(one) lists what one has beside its words.
  template <class Queues, class Own>
  void unfinished(Queues& queues, Own&& own) {
    std::uint64_t place = 0;
    for (auto& one : queues) {
      if (done()) return;
      ++place;
      if (one.finished()) continue;
      same(place);
      own(one);
      queue(one);
    }
    same(place + 1);
  }
  /// Something acts on the edges of this clock.
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
  /// Whether what is at `at` has been for longer than any delay when the period began, in the one observed.
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
  Time horizon_ = Time::never();  // the next event that does not move: nothing may pass it
  Time ahead_ = Time::never();    // the next instant that does not move: nothing that moves may come near it
  Time lead_{};                   // by how much what moves is ahead of now
  std::uint64_t times_ = 0;
  Time by_{};  // repeat: periods that pass, together
  std::uint64_t repeats_ = 0;

  std::vector<std::uint64_t> saved_;
  std::size_t next_ = 0;
  std::vector<SwitchEvent> saved_events_, events_;
  std::vector<SwitchEvent> waiting_before_, waiting_;  // events that do not move
  std::vector<Run> entries_;
};

}  // namespace hybrid
