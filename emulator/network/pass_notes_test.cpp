#include "emulator/network/pass_notes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/random.h"

namespace hybrid {
namespace {

/// Compared with one list of all notes that is searched at each pass.
TEST(PassNotes, EachIsTakenOnceByTheFirstPassOrAnEarlierCall) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const Time cycle = picoseconds(static_cast<std::int64_t>(1 + random.below(9)));
    PassNotes notes(cycle);
    std::multimap<Time, std::uint32_t> open;  // by instant
    std::vector<Time> passes;                 // requested
    std::uint32_t number = 0;
    Time last_pass{-1};
    const auto take_open = [&](Time until, const PassNote& note) {
      const auto [first, last] = open.equal_range(note.at);
      const auto found = std::find_if(first, last, [&](const auto& one) { return one.second == note.place; });
      ASSERT_TRUE(found != last) << "taken twice, or never noted";
      ASSERT_LE(note.at, until);
      open.erase(found);
    };
    Time now{};
    for (int step = 0; step < 2000; ++step) {
      const std::uint64_t what = random.below(4);
      if (what < 2) {
        const Time at = now + picoseconds(static_cast<std::int64_t>(random.below(800)));
        ASSERT_EQ(notes.can_note(now, at), at - now < cycle * 62);
        if (!notes.can_note(now, at)) continue;
        const Time pass = notes.add_note(at, {0, 1}, ++number, random.below(2) == 0);
        open.emplace(at, number);
        if (pass == Time::never()) continue;
        ASSERT_EQ(pass, next_edge(at, cycle) + (next_edge(at, cycle) == last_pass ? cycle : Time{}));
        passes.push_back(pass);
      } else if (what == 2) {
        notes.take_notes_until(now, [&](const PassNote& note) { take_open(now, note); });
        ASSERT_TRUE(open.empty() || open.begin()->first > now);
      } else if (!passes.empty()) {
        const auto first = std::min_element(passes.begin(), passes.end());
        now = *first;
        passes.erase(first);
        notes.take_notes(now, [&](const PassNote& note) { take_open(now, note); });
        ASSERT_TRUE(open.empty() || open.begin()->first > now) << "seed " << seed;
        if (random.below(2) != 0) continue;
        notes.record_pass(now);
        last_pass = now;
      }
    }
  }
}

}  // namespace
}  // namespace hybrid
