#include "emulator/network/pass_notes.h"

#include <algorithm>
#include <tuple>

namespace hybrid {

void PassNotes::visit(StateVisitor& v) {
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
    add(note.at, note.connection, note.place, note.free, note.taken);
  }
}

}  // namespace hybrid
