// What a scheduler on a clock learns before its next pass: which connections ask, and which ports come free.
//
// The switch knows both ahead, to the picosecond, and they matter at the next edge of the scheduler's clock
// only. So they are noted for that edge, in no order, instead of being events of the time line: of a message,
// that leaves its offer and its delivery.
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
  bool free = false;        // both ports of a granted connection are; otherwise it asks
  bool taken = false;       // by take_notes_until()
};

class PassNotes {
 public:
  explicit PassNotes(Time cycle) : cycle_(cycle) {}

  /// Whether what happens at `at` can be noted at `now`. Otherwise it is too far ahead for that.
  bool can_note(Time now, Time at) const { return at - now < cycle_ * kFurthest; }
  /// Returns the edge of the pass that takes it, if it is the first note for that; Time::never() otherwise.
  Time add_note(Time at, Connection c, std::uint32_t place, bool free, bool taken = false) {
    std::int64_t edge = (at.ps + cycle_.ps - 1) / cycle_.ps;
    if (cycle_ * edge == last_pass_) ++edge;  // that one is over
    std::vector<PassNote>& notes = notes_of_edge(edge);
    if (notes.capacity() == 0 && !spare_.empty()) {
      notes.swap(spare_.back());
      spare_.pop_back();
    }
    notes.emplace_back(at, c, place, free, taken);
    return notes.size() == 1 ? cycle_ * edge : Time::never();
  }
  /// A pass comes at `now`: calls use(note) for each that is not taken yet.
  template <class Use>
  void take_notes(Time now, Use&& use) {
    std::vector<PassNote>& notes = notes_of_edge(now.ps / cycle_.ps);
    for (const PassNote& note : notes)
      if (!note.taken) use(note);
    notes.clear();
    // The next edge's, so that few are in use, and those in the cache.
    spare_.emplace_back().swap(notes);
  }
  /// The same for those of `now` or before, without a pass.
  template <class Use>
  void take_notes_until(Time now, Use&& use) {
    const std::int64_t edge = (now.ps + cycle_.ps - 1) / cycle_.ps;
    for (const std::int64_t next : {edge, edge + 1})
      for (PassNote& note : notes_of_edge(next)) {
        if (note.taken || note.at > now) continue;
        note.taken = true;
        use(note);
      }
  }
  /// There was a pass at `now`; what is noted for that edge from now on waits for another one.
  void record_pass(Time now) { last_pass_ = now; }

  /// Lists what is noted (emulator/network/repetition.h).
  void visit(StateVisitor& v) {
    // An edge is known by its time, which a repetition changes: all are noted anew.
    all_.clear();
    for (std::vector<PassNote>& notes : notes_) {
      all_.insert(all_.end(), notes.begin(), notes.end());
      notes.clear();
    }
    std::sort(all_.begin(), all_.end(), [](const PassNote& x, const PassNote& y) {
      return std::tuple(x.at, x.connection, x.free) < std::tuple(y.at, y.connection, y.free);
    });
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
  static constexpr std::int64_t kFurthest = kEdges - 2;  // from now on; one is now, one after the last pass

  std::vector<PassNote>& notes_of_edge(std::int64_t edge) {
    return notes_[static_cast<std::size_t>(edge % kEdges)];
  }

  Time cycle_;
  std::array<std::vector<PassNote>, kEdges> notes_;
  std::vector<std::vector<PassNote>> spare_;
  Time last_pass_{-1};
  std::vector<PassNote> all_;  // while visited
};

}  // namespace hybrid
