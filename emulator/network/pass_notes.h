// Notes for the next pass of a clocked scheduler: which connections request their output, and which ports
// become free.
//
// The switch knows both in advance, to the picosecond, but they take effect at the next edge of the
// scheduler's clock only. They are noted for that edge, unordered, instead of being scheduled as events. Of
// the events of a message, only its offer and its delivery remain.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "core/connection.h"
#include "core/time.h"
#include "emulator/network/repetition.h"

namespace hybrid {

struct PassNote {
  Time at{};
  Connection connection;
  std::uint32_t place = 0;  // of the worm's queue
  bool free = false;        // the ports of a granted connection become free; else a request
  bool taken = false;       // by take_notes_until()
};

class PassNotes {
 public:
  explicit PassNotes(Time cycle) : cycle_(cycle) {}

  /// From now on, notes are taken in the order of their instants.
  void order_by_time() { ordered_ = true; }
  /// Whether a change at `at` can be noted at `now`. Otherwise it is too far in the future.
  bool can_note(Time now, Time at) const { return at - now < cycle_ * kFurthest; }
  /// Adds a note. Returns the edge of the pass that takes it, if it is the first note for that edge;
  /// otherwise Time::never(). Requires: can_note(now, at).
  [[gnu::always_inline]] Time add_note(Time at, Connection c, std::uint32_t place, bool free,
                                       bool taken = false) {
    std::int64_t edge = (at.ps + cycle_.ps - 1) / cycle_.ps;
    if (cycle_ * edge == last_pass_) ++edge;  // that pass is over
    std::vector<PassNote>& notes = notes_of_edge(edge);
    if (notes.size() == notes.capacity()) make_room(notes);
    if (notes.size() == notes.capacity()) __builtin_unreachable();  // leaves out the vector's own growth
    notes.emplace_back(at, c, place, free, taken);
    return notes.size() == 1 ? cycle_ * edge : Time::never();
  }
  /// Takes the notes for the pass at `now`: calls use(note) for each note that is not taken yet.
  template <class Use>
  void take_notes(Time now, Use&& use) {
    std::vector<PassNote>& notes = notes_in_order(now.ps / cycle_.ps);
    for (const PassNote& note : notes)
      if (!note.taken) use(note);
    notes.clear();
    // Reused for the next edge, so that few lists are in use and stay in the cache.
    if (notes.capacity() != 0) spare_.emplace_back().swap(notes);
  }
  /// Takes the notes for changes at or before `now`, without a pass.
  template <class Use>
  void take_notes_until(Time now, Use&& use) {
    const std::int64_t edge = (now.ps + cycle_.ps - 1) / cycle_.ps;
    for (const std::int64_t next : {edge, edge + 1})
      for (PassNote& note : notes_in_order(next)) {
        if (note.taken || note.at > now) continue;
        note.taken = true;
        use(note);
      }
  }
  /// Records a pass at `now`. Later notes for that edge wait for the next one.
  void record_pass(Time now) { last_pass_ = now; }

  /// Lists the notes (emulator/network/repetition.h).
  void visit(StateVisitor& v) {
    // A note is stored by the time of its edge, which a repetition changes: all notes are added again.
    all_.clear();
    for (std::vector<PassNote>& notes : notes_) {
      all_.insert(all_.end(), notes.begin(), notes.end());
      notes.clear();
    }
    sort(all_);
    v.same(all_.size());
    v.instant(last_pass_);
    for (PassNote& note : all_) {
      v.instant(note.at);
      v.same(std::uint64_t{note.connection.source} << 32 | note.connection.destination);
      v.same((note.free ? 1 : 0) + (note.taken ? 2 : 0));
      add_note(note.at, note.connection, note.place, note.free, note.taken);
    }
  }

 private:
  static constexpr std::int64_t kEdges = 64;
  static constexpr std::int64_t kFurthest = kEdges - 2;  // less the edge of now and that after the last pass

  std::vector<PassNote>& notes_of_edge(std::int64_t edge) {
    return notes_[static_cast<std::size_t>(edge) % kEdges];
  }
  /// Afterwards there is room for a note: lists in spare_ have memory.
  [[gnu::noinline]] void make_room(std::vector<PassNote>& notes) {
    if (notes.capacity() != 0 || spare_.empty()) return notes.reserve(2 * notes.size() + 8);
    notes.swap(spare_.back());
    spare_.pop_back();
  }

  std::vector<PassNote>& notes_in_order(std::int64_t edge) {
    std::vector<PassNote>& notes = notes_of_edge(edge);
    if (ordered_) sort(notes);
    return notes;
  }
  static void sort(std::vector<PassNote>& notes) {
    std::sort(notes.begin(), notes.end(), [](const PassNote& x, const PassNote& y) {
      return std::tuple(x.at, x.connection, x.free) < std::tuple(y.at, y.connection, y.free);
    });
  }

  Time cycle_;
  bool ordered_ = false;
  std::array<std::vector<PassNote>, kEdges> notes_;
  std::vector<std::vector<PassNote>> spare_;
  Time last_pass_{-1};
  std::vector<PassNote> all_;  // used by visit()
};

}  // namespace hybrid
