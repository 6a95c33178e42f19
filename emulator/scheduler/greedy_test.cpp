#include "emulator/scheduler/greedy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "emulator/scheduler/testing/slots.h"

namespace hybrid {
namespace {

using Bits = std::vector<std::vector<bool>>;

Bits zeros(std::size_t n) { return Bits(n, std::vector<bool>(n, false)); }

enum class Table { literal, split };

/// The SL array cell by cell, written from D 5.3.2 alone. `literal` is Table 5.2 as printed, with its one
/// signal L; `split` distinguishes release from establish. The rotating priority starts A at row a and D at
/// column b.
Bits sl_array(const Bits& r, const Bits& b_star, const Bits& b_s, std::size_t a, std::size_t b, Table table) {
  const std::size_t n = r.size();
  std::vector<bool> ao(n, false), ai(n, false);
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < n; ++v)
      if (b_s[u][v]) ao[v] = ai[u] = true;
  Bits t = zeros(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t u = (a + i) % n;
    bool d = ai[u];
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t v = (b + j) % n;
      bool release = !r[u][v] && b_s[u][v];                     // Table 5.1, row 2
      bool establish = r[u][v] && !b_star[u][v] && !b_s[u][v];  // row 4
      if (table == Table::literal) {
        const bool l = release || establish;
        release = l && ao[v] && d;
        establish = l && !ao[v] && !d;
      } else {
        establish = establish && !ao[v] && !d;
      }
      if (release) {
        t[u][v] = true;
        ao[v] = d = false;
      } else if (establish) {
        t[u][v] = true;
        ao[v] = d = true;
      }
    }
  }
  return t;
}

Bits bits_of(const BitMatrix& m) {
  Bits bits = zeros(m.rows());
  for (std::size_t u = 0; u < m.rows(); ++u)
    for (std::size_t v = 0; v < m.columns(); ++v) bits[u][v] = m.test(u, v);
  return bits;
}

Bits bits_of(const Configuration& c) {
  Bits bits = zeros(c.ports());
  for (const Connection& x : c.connections()) bits[x.source][x.destination] = true;
  return bits;
}

Bits toggles_of(GreedyScheduler& scheduler, const SlotState& state, std::size_t s,
                SchedulingPriority priority) {
  Bits t = zeros(state.ports());
  for (const Connection& c : scheduler.pass(state.pass(s, priority)))
    t[c.source][c.destination] = !t[c.source][c.destination];
  return t;
}

TEST(GreedyScheduler, EqualsTheArrayOfCells) {
  for (std::size_t n = 1; n <= 130; ++n) {
    Random random(n);
    GreedyScheduler scheduler({static_cast<std::uint32_t>(n)});
    const int rounds = n < 40 ? 40 : 6;
    for (int round = 0; round < rounds; ++round) {
      const std::size_t k = 1 + random.below(4);
      const auto density = static_cast<unsigned>(random.below(3) == 0 ? random.below(101) : random.below(8));
      const SlotState state = random_slots(n, k, density, random);
      const std::size_t s = random.below(k);
      const SchedulingPriority priority{static_cast<Port>(random.below(n)),
                                        static_cast<Port>(random.below(n))};
      const Bits expected = sl_array(bits_of(state.requests), bits_of(state.established),
                                     bits_of(state.slots[s]), priority.input, priority.output, Table::split);
      ASSERT_EQ(toggles_of(scheduler, state, s, priority), expected) << "N " << n << " round " << round;
    }
  }
}

TEST(GreedyScheduler, FreedPortsAreSeenOnlyDownstream) {
  // The slot has 1 -> 1, which is not requested. Requested are 1 -> 0 (before the released column) and 0 -> 1
  // (the row before).
  SlotState state(3);
  ASSERT_TRUE(state.slots[0].add({1, 1}));
  state.established.set(1, 1);
  state.requests.set(1, 0);
  state.requests.set(0, 1);
  GreedyScheduler scheduler({3});
  Bits only_release = zeros(3);
  only_release[1][1] = true;
  EXPECT_EQ(toggles_of(scheduler, state, 0, {0, 0}), only_release);
  // From row 1 and column 1 on, both requests lie downstream: 1 -> 0 wraps round after column 1, row 0 comes
  // last.
  Bits all = only_release;
  all[1][0] = all[0][1] = true;
  EXPECT_EQ(toggles_of(scheduler, state, 0, {1, 1}), all);
}

TEST(GreedyScheduler, LiteralTable52BreaksThePermutation) {
  // Both ports of (1, 1) are busy when the wave reaches its cell: L = A = D = 1, which Table 5.2 interprets
  // as "release".
  Bits r = zeros(2);
  r[0][1] = r[1][0] = r[1][1] = true;
  const Bits empty = zeros(2);
  const Bits broken = sl_array(r, empty, empty, 0, 0, Table::literal);
  EXPECT_TRUE(broken[1][0] && broken[1][1]) << "row 1 holds two connections";
  EXPECT_TRUE(broken[0][1] && broken[1][1]) << "column 1 holds two connections";

  SlotState state(2);
  state.requests.set(0, 1);
  state.requests.set(1, 0);
  state.requests.set(1, 1);
  GreedyScheduler scheduler({2});
  Bits sound = zeros(2);
  sound[0][1] = sound[1][0] = true;
  EXPECT_EQ(toggles_of(scheduler, state, 0, {0, 0}), sound);
}

TEST(GreedyScheduler, APermutationStaysOneAfterEveryToggle) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const std::size_t n = 1 + random.below(100);
    SlotState state = random_slots(n, 2, static_cast<unsigned>(random.below(60)), random);
    GreedyScheduler scheduler({static_cast<std::uint32_t>(n)});
    const SchedulingPriority priority{static_cast<Port>(random.below(n)), static_cast<Port>(random.below(n))};
    Configuration slot = state.slots[0];
    for (const Connection& c : scheduler.pass(state.pass(0, priority)))
      ASSERT_TRUE(slot.holds(c) ? slot.remove(c) : slot.add(c)) << "seed " << seed;
  }
}

TEST(GreedyScheduler, WithoutReleasesTheResultIsMaximal) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const std::size_t n = 1 + random.below(100);
    SlotState state = random_slots(n, 2, static_cast<unsigned>(random.below(30)), random);
    for (const Connection& c : state.slots[0].connections()) state.requests.set(c.source, c.destination);
    GreedyScheduler scheduler({static_cast<std::uint32_t>(n)});
    Configuration slot = state.slots[0];
    for (const Connection& c : scheduler.pass(state.pass(0))) {
      ASSERT_TRUE(slot.add(c));
      state.established.set(c.source, c.destination);
    }
    for (Port u = 0; u < n; ++u)
      for (Port v = 0; v < n; ++v) {
        const bool pending = state.requests.test(u, v) && !state.established.test(u, v);
        ASSERT_FALSE(pending && slot.fits({u, v})) << "seed " << seed;
      }
  }
}

TEST(GreedyScheduler, AfterReleasesASecondPassIsMaximal) {
  // The wave may pass a cell before its port is freed, so that a pass with releases may not be maximal; the
  // next pass has no releases.
  int not_maximal = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const std::size_t n = 16;
    SlotState state = random_slots(n, 1, 20, random);
    GreedyScheduler scheduler({16});
    const Configuration& slot = state.slots[0];
    for (int pass = 0; pass < 2; ++pass) {
      state.toggle(0, scheduler.pass(state.pass(0)));
      bool maximal = true;
      for (Port u = 0; u < n; ++u)
        for (Port v = 0; v < n; ++v)
          if (state.requests.test(u, v) && !state.established.test(u, v) && slot.fits({u, v}))
            maximal = false;
      if (pass == 0 && !maximal) ++not_maximal;
      if (pass == 1) {
        ASSERT_TRUE(maximal) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(not_maximal, 0);
}

TEST(GreedyScheduler, PriorityEqualsRotatingInputsAndUnrotatingToggles) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const std::size_t n = 1 + random.below(80);
    const SlotState state = random_slots(n, 2, static_cast<unsigned>(random.below(40)), random);
    const auto a = static_cast<Port>(random.below(n)), b = static_cast<Port>(random.below(n));
    SlotState rotated(n, 2);
    for (Port u = 0; u < n; ++u)
      for (Port v = 0; v < n; ++v) {
        const Port from_u = static_cast<Port>((u + a) % n), from_v = static_cast<Port>((v + b) % n);
        if (state.requests.test(from_u, from_v)) rotated.requests.set(u, v);
        if (state.established.test(from_u, from_v)) rotated.established.set(u, v);
        if (state.slots[0].holds({from_u, from_v})) rotated.slots[0].add({u, v});
      }
    GreedyScheduler scheduler({static_cast<std::uint32_t>(n)});
    const Bits direct = toggles_of(scheduler, state, 0, {a, b});
    const Bits turned = toggles_of(scheduler, rotated, 0, {0, 0});
    for (std::size_t u = 0; u < n; ++u)
      for (std::size_t v = 0; v < n; ++v) ASSERT_EQ(direct[(u + a) % n][(v + b) % n], turned[u][v]) << seed;
  }
}

TEST(GreedyScheduler, EveryInputWinsAContestedOutputOnceInARound) {
  constexpr std::uint32_t kPorts = 9;
  SlotState state(kPorts);
  for (Port u = 0; u < kPorts; ++u) state.requests.set(u, 4);
  GreedyScheduler scheduler({kPorts});
  for (Port a = 0; a < kPorts; ++a) {
    Bits winner = zeros(kPorts);
    winner[a][4] = true;
    EXPECT_EQ(toggles_of(scheduler, state, 0, {a, 0}), winner);
  }
}

TEST(GreedyScheduler, ConsidersOnlyTheGivenInputs) {
  SlotState state(70);
  for (Port u = 0; u < 70; ++u) state.requests.set(u, 69 - u);
  PortSet some(70);
  some.set(3);
  some.set(66);
  GreedyScheduler scheduler({70});
  const auto toggles = scheduler.pass(state.pass(0, {65, 2}, some));
  ASSERT_EQ(toggles.size(), 2u);
  EXPECT_EQ(toggles[0], (Connection{66, 3}));
  EXPECT_EQ(toggles[1], (Connection{3, 66}));
}

/// With 4200 ports a row has more words than a word of `open_words` has bits.
TEST(GreedyScheduler, ConsidersOnlyTheOpenWordsOfLongRows) {
  for (const std::uint32_t ports : {200u, 4200u}) {
    Random random(ports);
    SlotState state(ports);
    PortSet some(ports);
    const auto any = [&] { return static_cast<Port>(random.below(ports)); };
    for (int i = 0; i < 40; ++i) {
      const Connection c{any(), any()};
      if (state.slots[0].add(c)) state.established.set(c.source, c.destination);
      some.set(c.source);
    }
    for (int i = 0; i < 400; ++i) {
      const Connection c{i % 3 == 0 ? any() : static_cast<Port>(i % 64 * ports / 64), any()};
      state.requests.set(c.source, c.destination);
      some.set(c.source);
    }
    BitMatrix open_words = open_words_of(state.pass(0).open);
    GreedyScheduler all(SchedulerShape{ports}), fewer(SchedulerShape{ports});
    std::size_t established = 0;
    for (int i = 0; i < 50; ++i) {
      const SchedulingPriority priority{any(), any()};
      SchedulingPass pass = state.pass(0, priority, some);
      const auto expected = all.pass(pass);
      pass.open_words = &open_words;
      const auto found = fewer.pass(pass);
      ASSERT_EQ(std::vector<Connection>(found.begin(), found.end()),
                std::vector<Connection>(expected.begin(), expected.end()));
      established += found.size();
    }
    EXPECT_GT(established, 0u);
    open_words.clear();
    SchedulingPass pass = state.pass(0, {}, some);
    pass.open_words = &open_words;
    for (const Connection c : fewer.pass(pass)) EXPECT_TRUE(state.slots[0].holds(c)) << "only released";
  }
}

}  // namespace
}  // namespace hybrid
