#include "libhybrid/live/arbiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>

#include "core/random.h"
#include "emulator/scheduler/model_port.h"
#include "libhybrid/live/testing/instant_port.h"

namespace hybrid {
namespace {

using ::testing::ElementsAre;
using testing::InstantPort;
using ::testing::IsEmpty;

Time at(std::int64_t ps) { return {ps}; }

struct Bench {
  std::vector<std::string> log;
  LiveArbiter arbiter;
  std::set<Connection> established;

  Bench(std::vector<Port> port_of_rank, std::uint32_t ports, std::uint32_t preload_slots,
        std::uint32_t slots = 4)
      : arbiter(std::make_unique<InstantPort>(SchedulerPort::Shape{ports, slots}, &log),
                std::move(port_of_rank), preload_slots) {}
  void advance(std::int64_t until) {
    for (const Grant& g : arbiter.advance(at(until))) {
      if (g.kind == Grant::Kind::established)
        EXPECT_TRUE(established.insert(g.connection).second);
      else
        EXPECT_EQ(established.erase(g.connection), 1u);
    }
  }
};

TEST(LiveArbiter, AsksReachThePortWithTheirTimes) {
  Bench b({0, 1, 2}, 3, 0);
  b.arbiter.ask(at(10), 1, AskKind::request, 2);
  b.arbiter.ask(at(20), 1, AskKind::release, 2);
  b.arbiter.ask(at(30), 2, AskKind::flush, kNoPort);
  EXPECT_THAT(b.log, ElementsAre("request 1>2 at 10", "release 1>2 at 20", "flush 2 at 30"));
}

TEST(LiveArbiter, ALateAskCountsAsMadeNow) {
  Bench b({0, 1}, 2, 0);
  b.advance(100);
  b.arbiter.ask(at(10), 0, AskKind::request, 1);
  EXPECT_THAT(b.log, ElementsAre("request 0>1 at 100"));
}

TEST(LiveArbiter, AConnectionStaysWhileAnyRankOfThePortWantsIt) {
  Bench b({0, 0, 1}, 2, 0);
  b.arbiter.ask(at(1), 0, AskKind::request, 1);
  b.arbiter.ask(at(2), 0, AskKind::request, 1);  // the same wish again
  b.arbiter.ask(at(3), 1, AskKind::request, 1);
  b.arbiter.ask(at(4), 0, AskKind::release, 1);
  b.arbiter.ask(at(5), 0, AskKind::release, 1);  // nothing left to take back
  b.advance(10);
  EXPECT_THAT(b.established, ElementsAre(Connection{0, 1}));
  b.arbiter.ask(at(11), 1, AskKind::release, 1);
  b.advance(20);
  EXPECT_THAT(b.established, IsEmpty());
  EXPECT_THAT(b.log, ElementsAre("request 0>1 at 1", "release 0>1 at 11"));
}

TEST(LiveArbiter, AFlushTakesOnlyTheRanksOwn) {
  Bench b({0, 0, 1, 2}, 3, 0);
  b.arbiter.ask(at(1), 0, AskKind::request, 1);
  b.arbiter.ask(at(1), 0, AskKind::request, 2);
  b.arbiter.ask(at(1), 1, AskKind::request, 2);
  b.arbiter.ask(at(2), 0, AskKind::flush, kNoPort);
  b.advance(10);
  EXPECT_THAT(b.established, ElementsAre(Connection{0, 2}));
}

TEST(LiveArbiter, WhatCannotBeAskedChangesNothing) {
  Bench b({0, 1}, 2, 1);
  b.arbiter.ask(at(1), 7, AskKind::request, 1);  // no such rank
  b.arbiter.ask(at(1), 0, AskKind::request, 2);  // no such port
  b.arbiter.ask(at(1), 0, AskKind::preload, kNoPort);
  b.arbiter.ask(at(1), 0, AskKind::request, 0);             // its own port
  b.arbiter.ask(at(1), 0, std::bit_cast<AskKind>(99u), 1);  // from damaged memory
  b.advance(10);
  EXPECT_THAT(b.log, IsEmpty());
}

TEST(LiveArbiter, PreloadsBecomeConfigurations) {
  Bench b({0, 1, 2, 3}, 4, 2);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    b.arbiter.ask(at(1), rank, AskKind::preload, (rank + 1) % 4);
    b.arbiter.ask(at(1), rank, AskKind::preload, (rank + 3) % 4);
  }
  b.advance(10);
  EXPECT_EQ(b.established.size(), 8u);
  EXPECT_EQ(b.log.size(), 2u) << "one preload a slot, not one a connection";
}

TEST(LiveArbiter, WhatFindsNoRoomInThePreloadedSlotsIsRequested) {
  Bench b({0, 1, 2}, 3, 1);
  b.arbiter.ask(at(1), 0, AskKind::preload, 1);
  b.arbiter.ask(at(1), 0, AskKind::preload, 2);
  b.advance(10);
  EXPECT_THAT(b.log, ElementsAre("request 0>2 at 1", "preload slot 0: 0>1 at 1"));
  b.arbiter.ask(at(11), 0, AskKind::flush, kNoPort);
  b.advance(20);
  EXPECT_THAT(b.established, IsEmpty());
}

TEST(LiveArbiter, ARequestOutlivesThePreloadOfTheSameConnection) {
  Bench b({0, 0, 1}, 2, 1);
  b.arbiter.ask(at(1), 0, AskKind::preload, 1);
  b.advance(2);
  b.arbiter.ask(at(3), 1, AskKind::request, 1);  // established already: the port takes no note of it
  b.arbiter.ask(at(4), 0, AskKind::flush, kNoPort);
  b.advance(10);
  EXPECT_THAT(b.established, ElementsAre(Connection{0, 1}));
  b.arbiter.ask(at(11), 1, AskKind::release, 1);
  b.advance(20);
  EXPECT_THAT(b.established, IsEmpty());
}

// Against a plain count of who wants what: on a port that grants everything, exactly what somebody wants is
// established.
TEST(LiveArbiter, ExactlyWhatSomeRankWantsIsEstablished) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    constexpr std::uint32_t kRanks = 9, kPorts = 5;
    std::vector<Port> port_of_rank;
    port_of_rank.reserve(kRanks);
    for (std::uint32_t r = 0; r < kRanks; ++r)
      port_of_rank.push_back(static_cast<Port>(random.below(kPorts)));
    Bench b(port_of_rank, kPorts, static_cast<std::uint32_t>(random.below(4)));
    std::set<std::pair<std::uint32_t, Port>> requested, preloaded;  // rank, destination
    std::int64_t now = 0;
    for (int step = 0; step < 3000; ++step) {
      now += static_cast<std::int64_t>(random.below(2));
      const auto rank = static_cast<std::uint32_t>(random.below(kRanks));
      const auto destination = static_cast<Port>(random.below(kPorts));
      const std::uint64_t dice = random.below(20);
      const bool own = destination == port_of_rank[rank];
      const auto forget = [rank](auto& wishes) {
        std::erase_if(wishes, [rank](const auto& wish) { return wish.first == rank; });
      };
      if (dice == 0) {
        b.arbiter.ask(at(now), rank, AskKind::flush, kNoPort);
        forget(requested);
        forget(preloaded);
      } else if (dice < 6) {
        b.arbiter.ask(at(now), rank, AskKind::release, destination);
        requested.erase({rank, destination});
      } else if (dice < 9) {
        // A preload that finds no room is a request: then a release takes it back. Which of both it became is
        // seen in the port's log, so ask the same wish both ways to make the expectation plain.
        b.arbiter.ask(at(now), rank, AskKind::preload, destination);
        b.arbiter.ask(at(now), rank, AskKind::request, destination);
        if (!own) requested.insert({rank, destination});
        if (!own) preloaded.insert({rank, destination});
      } else {
        b.arbiter.ask(at(now), rank, AskKind::request, destination);
        if (!own) requested.insert({rank, destination});
      }
      b.advance(now);
      std::set<Connection> least, most;
      for (const auto& [r, d] : requested) least.insert({port_of_rank[r], d});
      most = least;
      for (const auto& [r, d] : preloaded) most.insert({port_of_rank[r], d});
      ASSERT_TRUE(std::includes(b.established.begin(), b.established.end(), least.begin(), least.end()))
          << "seed " << seed << " step " << step;
      ASSERT_TRUE(std::includes(most.begin(), most.end(), b.established.begin(), b.established.end()))
          << "seed " << seed << " step " << step;
    }
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) b.arbiter.ask(at(now), rank, AskKind::flush, kNoPort);
    b.advance(now + 1);
    EXPECT_THAT(b.established, IsEmpty());
  }
}

// The embedded model has a bounded number of slots and takes its time; still, whoever alone wants a
// connection gets it, and nobody who wants nothing holds one.
TEST(LiveArbiter, WorksOnTheEmbeddedModel) {
  SwitchParameters p;
  p.nodes = 4;
  p.slots = 2;
  p.preload = 1;
  LiveArbiter arbiter(make_scheduler_port(p), {0, 1, 2, 3}, p.preload);
  std::set<Connection> established;
  const auto advance = [&](Time until) {
    for (const Grant& g : arbiter.advance(until)) {
      if (g.kind == Grant::Kind::established)
        EXPECT_TRUE(established.insert(g.connection).second);
      else
        EXPECT_EQ(established.erase(g.connection), 1u);
    }
  };
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    arbiter.ask(nanoseconds(1), rank, AskKind::preload, (rank + 1) % 4);
    arbiter.ask(nanoseconds(1), rank, AskKind::request, (rank + 2) % 4);
  }
  advance(microseconds(10));
  EXPECT_EQ(established.size(), 8u);
  for (std::uint32_t rank = 0; rank < 4; ++rank) arbiter.ask(microseconds(11), rank, AskKind::flush, kNoPort);
  advance(microseconds(20));
  EXPECT_THAT(established, IsEmpty());
  EXPECT_EQ(arbiter.next_change(), Time::never());
}

}  // namespace
}  // namespace hybrid
