#include "libhybrid/live/service.h"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>
#include <optional>

#include "core/random.h"
#include "emulator/scheduler/model_port.h"
#include "libhybrid/live/client.h"
#include "libhybrid/live/testing/instant_port.h"
#include "libhybrid/live/testing/manual_clock.h"

namespace hybrid {
namespace {

/// Ranks on one or several hosts. The services run when a test calls them.
class Hosts {
 public:
  struct Host {
    LiveMapping mapping;
    std::vector<std::uint32_t> ranks;
    std::unique_ptr<MessageRing> inbox;
    std::vector<std::unique_ptr<MessageRing>> outboxes;
    std::unique_ptr<LiveService> service;
  };

  Hosts(std::vector<Port> port_of_rank, std::vector<std::uint32_t> host_of_rank,
        std::unique_ptr<SchedulerPort> port, std::uint32_t preload_slots = 0, std::size_t outbox_messages = 4)
      : port_of_rank_(std::move(port_of_rank)), host_of_rank_(std::move(host_of_rank)) {
    const std::uint32_t count = 1 + *std::max_element(host_of_rank_.begin(), host_of_rank_.end());
    const std::uint32_t ports = port->shape().ports;
    hosts_.resize(count);
    for (std::uint32_t h = 0; h < count; ++h) {
      Host& host = hosts_[h];
      for (std::uint32_t r = 0; r < host_of_rank_.size(); ++r)
        if (host_of_rank_[r] == h) host.ranks.push_back(r);
      host.mapping = LiveMapping::create({host.ranks, port_of_rank_, ports, ManualClock::kOrigin});
      if (count > 1) {
        host.inbox = std::make_unique<MessageRing>(64);
        host.outboxes.resize(h == 0 ? count : 1);
        for (std::size_t to = h == 0 ? 1 : 0; to < host.outboxes.size(); ++to)
          host.outboxes[to] = std::make_unique<MessageRing>(outbox_messages);
      }
      if (h == 0)
        host.service =
            std::make_unique<OwningService>(*host.mapping.region(), clock_.clock(),
                                            LiveArbiter(std::move(port), port_of_rank_, preload_slots),
                                            host_of_rank_, port_of_rank_, host.inbox.get(), host.outboxes);
      else
        host.service = std::make_unique<ForwardingService>(*host.mapping.region(), clock_.clock(),
                                                           *host.inbox, *host.outboxes[0]);
    }
  }

  LiveClient client(std::uint32_t rank) { return {&region(rank), local(rank)}; }
  LiveRegion& region(std::uint32_t rank) { return *hosts_[host_of_rank_[rank]].mapping.region(); }
  LiveRank& shared(std::uint32_t rank) { return region(rank).rank(local(rank)); }
  std::uint64_t grants(std::uint32_t rank) { return region(rank).grants(shared(rank).row).load(); }
  Host& host(std::uint32_t h) { return hosts_[h]; }
  ManualClock& clock() { return clock_; }

  /// Carries the messages in the outboxes of host `from`.
  void carry(std::uint32_t from) {
    for (std::size_t to = 0; to < hosts_[from].outboxes.size(); ++to) {
      auto& outbox = hosts_[from].outboxes[to];
      if (outbox == nullptr) continue;
      for (; const auto* message = outbox->front(); outbox->pop()) {
        auto* copy = hosts_[to].inbox->claim();
        if (copy == nullptr) break;
        *copy = *message;
        hosts_[to].inbox->publish();
      }
    }
  }
  /// Passes all commands to the scheduler, advances it to the time of the clock, and updates all rows.
  void settle() {
    bool waiting = true;
    for (int round = 0; round < 50 && waiting; ++round) {
      waiting = false;
      for (std::uint32_t h = 1; h < hosts_.size(); ++h) {
        waiting |= hosts_[h].service->step();
        carry(h);
      }
    }
    for (int round = 0; round < 50; ++round) {
      hosts_[0].service->step();
      carry(0);
      for (std::uint32_t h = 1; h < hosts_.size(); ++h) hosts_[h].service->step();
    }
  }

 private:
  std::uint32_t local(std::uint32_t rank) const {
    const auto& ranks = hosts_[host_of_rank_[rank]].ranks;
    return static_cast<std::uint32_t>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
  }

  std::vector<Port> port_of_rank_;
  std::vector<std::uint32_t> host_of_rank_;
  ManualClock clock_;
  std::vector<Host> hosts_;
};

std::vector<Port> one_port_each(std::uint32_t ranks) {
  std::vector<Port> ports(ranks);
  std::iota(ports.begin(), ports.end(), 0);
  return ports;
}

std::unique_ptr<SchedulerPort> instant(std::uint32_t ports, std::vector<std::string>* log = nullptr) {
  return std::make_unique<InstantPort>(SchedulerPort::Shape{ports, 4}, log);
}

std::unique_ptr<SchedulerPort> model(std::uint32_t ports, std::uint32_t slots) {
  SwitchParameters p;
  p.nodes = ports;
  p.slots = slots;
  return make_scheduler_port(p);
}

TEST(LiveService, GrantsReachTheRowOfTheRanksPort) {
  Hosts job(one_port_each(100), std::vector<std::uint32_t>(100, 0), instant(100));
  job.clock().set(nanoseconds(5));
  job.client(3).request(99);
  EXPECT_FALSE(job.client(3).established(99));
  EXPECT_TRUE(job.host(0).service->step());
  for (std::uint32_t rank = 0; rank < 100; ++rank)
    for (Port to = 0; to < 100; ++to)
      ASSERT_EQ(job.client(rank).established(to), rank == 3 && to == 99) << rank << " to " << to;
  EXPECT_EQ(job.grants(3), 1u);
  job.client(3).release(99);
  job.host(0).service->step();
  EXPECT_FALSE(job.client(3).established(99));
  EXPECT_EQ(job.grants(3), 1u);
  EXPECT_FALSE(job.host(0).service->step()) << "nothing to do";
}

TEST(LiveService, ExecutesCommandsInOrderOfRanks) {
  std::vector<std::string> log;
  Hosts job(one_port_each(3), {0, 0, 0}, instant(3, &log));
  job.clock().set(nanoseconds(1));
  job.client(2).request(0);
  job.client(0).request(1);
  job.client(1).request(2);
  job.host(0).service->step();
  EXPECT_EQ(log,
            (std::vector<std::string>{"request 0>1 at 1000", "request 1>2 at 1000", "request 2>0 at 1000"}));
}

TEST(LiveService, CommandsCombineUntilTheServiceReadsThem) {
  std::vector<std::string> log;
  Hosts job(one_port_each(3), {0, 0, 0}, instant(3, &log));
  for (int i = 0; i < 100'000; ++i) {
    job.client(0).request(1);
    job.client(0).release(1);
    job.client(1).release(2);
    job.client(1).request(2);
  }
  job.host(0).service->step();
  EXPECT_EQ(log, (std::vector<std::string>{"request 1>2 at 0"}));
  log.clear();
  job.client(1).flush();
  job.client(1).request(0);
  job.client(1).flush();
  job.client(1).request(2);
  job.settle();
  EXPECT_EQ(log, (std::vector<std::string>{"flush 1 at 0", "release 1>2 at 0", "request 1>2 at 0"}));
  EXPECT_TRUE(job.client(1).established(2));
  EXPECT_FALSE(job.client(1).established(0));
}

// The model schedules a command at its time, however late it is advanced.
TEST(LiveService, TheModelRunsOnTheJobsTime) {
  SwitchParameters p;
  p.nodes = 2;
  auto port = make_scheduler_port(p);
  std::vector<Grant> expected;
  port->request(nanoseconds(100), {0, 1});
  port->advance(microseconds(1), expected);
  ASSERT_EQ(expected.size(), 1u);

  LiveArbiter arbiter(make_scheduler_port(p), {0, 1}, 0);
  arbiter.execute(nanoseconds(100), 0, CommandKind::request, 1);
  const auto grants = arbiter.advance(milliseconds(5));
  ASSERT_EQ(grants.size(), 1u);
  EXPECT_EQ(grants[0], expected[0]);
}

TEST(LiveService, AReleaseKeepsTheRequestOfAnotherRankOfThePort) {
  Hosts job({0, 0, 1}, {0, 0, 0}, instant(2));
  job.client(0).request(1);
  job.client(1).request(1);
  job.settle();
  job.client(0).release(1);
  job.settle();
  EXPECT_TRUE(job.client(0).established(1)) << "all ranks of a port share its row";
  EXPECT_TRUE(job.client(1).established(1));
  job.client(1).flush();
  job.settle();
  EXPECT_FALSE(job.client(1).established(1));
}

TEST(LiveService, AFinishedRankHoldsNothing) {
  Hosts job(one_port_each(2), {0, 0}, instant(2));
  job.client(0).request(1);
  job.client(1).request(0);
  job.shared(0).finished.store(1);
  job.settle();
  EXPECT_FALSE(job.client(0).established(1));
  EXPECT_TRUE(job.client(1).established(0));
}

TEST(LiveService, DamagedStateDoesNoHarm) {
  Hosts job(one_port_each(2), {0, 0}, instant(2));
  job.shared(0).preload_length.store(~std::uint32_t{0});
  job.region(0).requested(0)[0].store(~Word{0});  // also ports that do not exist
  job.shared(0).changes.store(~std::uint64_t{0});
  job.client(1).request(0);
  job.settle();
  EXPECT_TRUE(job.client(1).established(0));
}

TEST(LiveService, ClearsTheRowsOfAllHosts) {
  Hosts job(one_port_each(3), {0, 1, 1}, instant(3));
  for (std::uint32_t rank = 0; rank < 3; ++rank) job.client(rank).request((rank + 1) % 3);
  job.settle();
  for (std::uint32_t rank = 0; rank < 3; ++rank) EXPECT_TRUE(job.client(rank).established((rank + 1) % 3));
  job.host(0).service->clear_rows();
  job.carry(0);
  job.host(1).service->step();
  for (std::uint32_t rank = 0; rank < 3; ++rank) EXPECT_FALSE(job.client(rank).established((rank + 1) % 3));
}

TEST(LiveService, PreloadsAreEstablishedTogether) {
  std::vector<std::string> log;
  Hosts job(one_port_each(4), {0, 0, 0, 0}, instant(4, &log), 2);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    job.client(rank).preload((rank + 1) % 4);
    job.client(rank).preload((rank + 2) % 4);
  }
  job.settle();
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_TRUE(job.client(rank).established((rank + 1) % 4));
    EXPECT_TRUE(job.client(rank).established((rank + 2) % 4));
    EXPECT_FALSE(job.client(rank).established((rank + 3) % 4));
  }
  EXPECT_EQ(log.size(), 2u);
}

/// Random commands of every kind, equal for every distribution of the ranks over hosts.
struct Script {
  struct Line {
    std::uint32_t rank = 0;
    CommandKind kind = CommandKind::request;
    Port destination = 0;
  };
  std::vector<std::vector<Line>> rounds;

  Script(std::uint64_t seed, std::uint32_t ranks, std::uint32_t ports) {
    Random random(seed);
    for (int round = 0; round < 40; ++round) {
      rounds.emplace_back();
      for (std::uint64_t n = random.below(60); n > 0; --n) {
        const std::uint64_t dice = random.below(40);
        rounds.back().push_back({static_cast<std::uint32_t>(random.below(ranks)),
                                 dice == 0   ? CommandKind::flush
                                 : dice < 4  ? CommandKind::preload
                                 : dice < 14 ? CommandKind::release
                                             : CommandKind::request,
                                 static_cast<Port>(random.below(ports))});
      }
    }
  }

  /// Sends the commands. Returns all rows and counts after each round.
  std::vector<std::vector<std::uint64_t>> play(Hosts& job, std::uint32_t ranks, std::uint32_t ports) const {
    std::vector<std::vector<std::uint64_t>> seen;
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      job.clock().set(microseconds(static_cast<std::int64_t>(round) + 1) - Time{1});
      for (const Line& line : rounds[round]) {
        LiveClient client = job.client(line.rank);
        switch (line.kind) {
          case CommandKind::request:
            client.request(line.destination);
            break;
          case CommandKind::release:
            client.release(line.destination);
            break;
          case CommandKind::preload:
            client.preload(line.destination);
            break;
          case CommandKind::flush:
            client.flush();
            break;
        }
      }
      job.settle();
      seen.emplace_back();
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (Port to = 0; to < ports; ++to) seen.back().push_back(job.client(rank).established(to));
        seen.back().push_back(job.grants(rank));
      }
    }
    return seen;
  }
};

TEST(LiveService, SeveralHostsGiveWhatOneGives) {
  constexpr std::uint32_t kRanks = 12, kPorts = 9;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    std::vector<Port> port_of_rank;
    port_of_rank.reserve(kRanks);
    for (std::uint32_t r = 0; r < kRanks; ++r)
      port_of_rank.push_back(static_cast<Port>(random.below(kPorts)));
    std::vector<std::uint32_t> one(kRanks, 0), two, three;
    for (std::uint32_t r = 0; r < kRanks; ++r) {
      two.push_back(r / 6);
      three.push_back(r % 3);  // some ports have ranks on two hosts
    }
    const Script script(seed, kRanks, kPorts);
    const auto play = [&](const std::vector<std::uint32_t>& host_of_rank) {
      Hosts job(port_of_rank, host_of_rank, model(kPorts, 4), 1);
      return script.play(job, kRanks, kPorts);
    };
    const auto expected = play(one);
    std::uint64_t established = 0;
    for (const auto& round : expected)
      established += std::accumulate(round.begin(), round.end(), std::uint64_t{0});
    ASSERT_GT(established, 100u) << "the script establishes connections";
    EXPECT_EQ(play(two), expected) << "seed " << seed;
    EXPECT_EQ(play(three), expected) << "seed " << seed;
  }
}

TEST(LiveService, ASlowLinkDelaysRowsButLosesNone) {
  constexpr std::uint32_t kPorts = 256;  // 4 words a row, 128 rows: more than a message holds
  std::vector<std::uint32_t> host_of_rank(kPorts);
  for (std::uint32_t r = 0; r < kPorts; ++r) host_of_rank[r] = r / 128;
  Hosts job(one_port_each(kPorts), host_of_rank, instant(kPorts), 0, 1);
  for (std::uint32_t r = 128; r < 256; ++r)
    for (Port to = 0; to < kPorts; to += 16) job.client(r).request(to);
  int rounds = 0;
  const auto all = [&] {
    for (std::uint32_t r = 128; r < 256; ++r)
      for (Port to = 0; to < kPorts; to += 16)
        if (to != r && !job.client(r).established(to)) return false;
    return true;
  };
  for (; rounds < 100 && !all(); ++rounds) {
    job.host(1).service->step();  // the outbox has room for one message of commands
    job.carry(1);
    job.host(0).service->step();
    job.carry(0);
    job.host(1).service->step();
  }
  EXPECT_TRUE(all());
  EXPECT_GT(rounds, 3);
}

// The ranks of host 1 continue without the service of host 0: their commands wait and combine.
TEST(LiveService, RanksContinueWithoutAnAnswer) {
  Hosts job(one_port_each(2), {0, 1}, instant(2));
  for (int i = 0; i < 10'001; ++i) {
    if (i % 2 == 0)
      job.client(1).request(0);
    else
      job.client(1).release(0);
    if (i % 64 < 2) job.host(1).service->step();
  }
  EXPECT_FALSE(job.client(1).established(0));
  job.settle();  // makes room for messages
  job.settle();
  EXPECT_TRUE(job.client(1).established(0)) << "the last command";
}

}  // namespace
}  // namespace hybrid
