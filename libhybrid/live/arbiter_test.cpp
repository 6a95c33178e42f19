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

TEST(LiveArbiter, PassesCommandsToThePortWithTheirTimes) {
  Bench b({0, 1, 2}, 3, 0);
  b.arbiter.execute(at(10), 1, CommandKind::request, 2);
  b.arbiter.execute(at(20), 1, CommandKind::release, 2);
  b.arbiter.execute(at(30), 2, CommandKind::flush, kNoPort);
  EXPECT_THAT(b.log, ElementsAre("request 1>2 at 10", "release 1>2 at 20", "flush 2 at 30"));
}

TEST(LiveArbiter, ExecutesALateCommandAtTheLatestTime) {
  Bench b({0, 1}, 2, 0);
  b.advance(100);
  b.arbiter.execute(at(10), 0, CommandKind::request, 1);
  EXPECT_THAT(b.log, ElementsAre("request 0>1 at 100"));
}

TEST(LiveArbiter, AConnectionStaysWhileAnyRankOfThePortRequestsIt) {
  Bench b({0, 0, 1}, 2, 0);
  b.arbiter.execute(at(1), 0, CommandKind::request, 1);
  b.arbiter.execute(at(2), 0, CommandKind::request, 1);  // the same request again
  b.arbiter.execute(at(3), 1, CommandKind::request, 1);
  b.arbiter.execute(at(4), 0, CommandKind::release, 1);
  b.arbiter.execute(at(5), 0, CommandKind::release, 1);  // the rank has no request left
  b.advance(10);
  EXPECT_THAT(b.established, ElementsAre(Connection{0, 1}));
  b.arbiter.execute(at(11), 1, CommandKind::release, 1);
  b.advance(20);
  EXPECT_THAT(b.established, IsEmpty());
  EXPECT_THAT(b.log, ElementsAre("request 0>1 at 1", "release 0>1 at 11"));
}

TEST(LiveArbiter, AFlushWithdrawsOnlyTheRequestsOfItsRank) {
  Bench b({0, 0, 1, 2}, 3, 0);
  b.arbiter.execute(at(1), 0, CommandKind::request, 1);
  b.arbiter.execute(at(1), 0, CommandKind::request, 2);
  b.arbiter.execute(at(1), 1, CommandKind::request, 2);
  b.arbiter.execute(at(2), 0, CommandKind::flush, kNoPort);
  b.advance(10);
  EXPECT_THAT(b.established, ElementsAre(Connection{0, 2}));
}

TEST(LiveArbiter, IgnoresInvalidCommands) {
  Bench b({0, 1}, 2, 1);
  b.arbiter.execute(at(1), 7, CommandKind::request, 1);  // no such rank
  b.arbiter.execute(at(1), 0, CommandKind::request, 2);  // no such port
  b.arbiter.execute(at(1), 0, CommandKind::preload, kNoPort);
  b.arbiter.execute(at(1), 0, CommandKind::request, 0);             // its own port
  b.arbiter.execute(at(1), 0, std::bit_cast<CommandKind>(99u), 1);  // from damaged memory
  b.advance(10);
  EXPECT_THAT(b.log, IsEmpty());
}

TEST(LiveArbiter, PreloadsBecomeConfigurations) {
  Bench b({0, 1, 2, 3}, 4, 2);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    b.arbiter.execute(at(1), rank, CommandKind::preload, (rank + 1) % 4);
    b.arbiter.execute(at(1), rank, CommandKind::preload, (rank + 3) % 4);
  }
  b.advance(10);
  EXPECT_EQ(b.established.size(), 8u);
  EXPECT_EQ(b.log.size(), 2u) << "one preload a slot, not one a connection";
}

TEST(LiveArbiter, RequestsAPreloadThatFindsNoRoomInThePreloadedSlots) {
  Bench b({0, 1, 2}, 3, 1);
  b.arbiter.execute(at(1), 0, CommandKind::preload, 1);
  b.arbiter.execute(at(1), 0, CommandKind::preload, 2);
  b.advance(10);
  EXPECT_THAT(b.log, ElementsAre("request 0>2 at 1", "preload slot 0: 0>1 at 1"));
  b.arbiter.execute(at(11), 0, CommandKind::flush, kNoPort);
  b.advance(20);
  EXPECT_THAT(b.established, IsEmpty());
}

TEST(LiveArbiter, ARequestOutlivesThePreloadOfTheSameConnection) {
  Bench b({0, 0, 1}, 2, 1);
  b.arbiter.execute(at(1), 0, CommandKind::preload, 1);
  b.advance(2);
  b.arbiter.execute(at(3), 1, CommandKind::request, 1);  // established already: the port ignores it
  b.arbiter.execute(at(4), 0, CommandKind::flush, kNoPort);
  b.advance(10);
  EXPECT_THAT(b.established, ElementsAre(Connection{0, 1}));
  b.arbiter.execute(at(11), 1, CommandKind::release, 1);
  b.advance(20);
  EXPECT_THAT(b.established, IsEmpty());
}

// Compares with a plain set of the ranks' requests: a port that grants everything establishes exactly the
// connections that some rank requests.
TEST(LiveArbiter, EstablishesExactlyTheConnectionsThatRanksRequest) {
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
      const auto forget = [rank](auto& entries) {
        std::erase_if(entries, [rank](const auto& entry) { return entry.first == rank; });
      };
      if (dice == 0) {
        b.arbiter.execute(at(now), rank, CommandKind::flush, kNoPort);
        forget(requested);
        forget(preloaded);
      } else if (dice < 6) {
        b.arbiter.execute(at(now), rank, CommandKind::release, destination);
        requested.erase({rank, destination});
      } else if (dice < 9) {
        // A preload that finds no room becomes a request, which a release withdraws. Sending both commands
        // makes the expectation the same in both cases.
        b.arbiter.execute(at(now), rank, CommandKind::preload, destination);
        b.arbiter.execute(at(now), rank, CommandKind::request, destination);
        if (!own) requested.insert({rank, destination});
        if (!own) preloaded.insert({rank, destination});
      } else {
        b.arbiter.execute(at(now), rank, CommandKind::request, destination);
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
    for (std::uint32_t rank = 0; rank < kRanks; ++rank)
      b.arbiter.execute(at(now), rank, CommandKind::flush, kNoPort);
    b.advance(now + 1);
    EXPECT_THAT(b.established, IsEmpty());
  }
}

// The embedded model has few slots and takes time. It still grants each connection that is requested without
// contention, and holds none that is not requested.
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
    arbiter.execute(nanoseconds(1), rank, CommandKind::preload, (rank + 1) % 4);
    arbiter.execute(nanoseconds(1), rank, CommandKind::request, (rank + 2) % 4);
  }
  advance(microseconds(10));
  EXPECT_EQ(established.size(), 8u);
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    arbiter.execute(microseconds(11), rank, CommandKind::flush, kNoPort);
  advance(microseconds(20));
  EXPECT_THAT(established, IsEmpty());
  EXPECT_EQ(arbiter.next_change(), Time::never());
}

}  // namespace
}  // namespace hybrid
