// Hardware multicast and barrier: times by hand (docs/timing.md), comparison with words moved one by one, and
// replayed jobs.
#include "emulator/network/collective_plane.h"

#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "emulator/replay/replay.h"
#include "emulator/replay/testing/jobs.h"
#include "emulator/replay/trace_names.h"
#include "emulator/switching/testing/random_switch.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;

PortSet ports_of(std::initializer_list<Port> members, std::uint32_t ports = 16) {
  PortSet set(ports);
  for (const Port p : members) set.set(p);
  return set;
}

/// Preset ch5: generated 10, NIC 20, at the switch 100, edge 160, granted 240; fabric 10, wire 80, NIC 10.
TEST(CollectivePlane, CopiesInTheTimeOfOneMessage) {
  const SwitchParameters p;
  for (const auto& to : {ports_of({1}), ports_of({1, 2, 3, 9, 15})}) {
    CollectivePlane plane(p);
    EXPECT_EQ(plane.multicast({}, 0, to, 8).delivered, nanoseconds(340));
    // Offered 1010, at the switch 1100, edge 1120, granted 1200; not divided into worms.
    const CollectivePlane::Copied c = plane.multicast(nanoseconds(1000), 0, to, 136);
    EXPECT_EQ(c.injected, nanoseconds(1010 + 160));
    EXPECT_EQ(c.delivered, nanoseconds(1200 + 160 + 100));
  }
}

TEST(CollectivePlane, MulticastsToOneOutputFollowEachOther) {
  CollectivePlane plane{SwitchParameters()};
  EXPECT_EQ(plane.multicast({}, 0, ports_of({2, 3}), 128).delivered, nanoseconds(490));
  // Output 3 is free at 400, an edge; granted 480.
  EXPECT_EQ(plane.multicast({}, 1, ports_of({3, 4}), 8).delivered, nanoseconds(580));
  EXPECT_EQ(plane.multicast({}, 5, ports_of({6, 7}), 8).delivered, nanoseconds(340));
}

TEST(CollectivePlane, ABarrierIsOneControlWordUpAndOneDown) {
  // Leaves 10, at the switch 90, edge 160, complete 240, 340.
  EXPECT_EQ(CollectivePlane{SwitchParameters()}.barrier({}), nanoseconds(340));
  EXPECT_EQ(CollectivePlane{SwitchParameters()}.barrier(nanoseconds(70)), nanoseconds(340));
  EXPECT_EQ(CollectivePlane{SwitchParameters()}.barrier(nanoseconds(71)), nanoseconds(420));
}

TEST(CollectivePlane, EqualsWordsMovedOneByOne) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const SwitchParameters p = random_parameters(random, "wormhole");
    const Time word = p.word_time(), spacing = std::max(word, p.digital_fabric.cycle);
    CollectivePlane plane(p);
    std::vector<Time> entry(p.nodes, Time{}), link(p.nodes), output(p.nodes);
    Time at{};
    for (int k = 0; k < 20; ++k) {
      at += picoseconds(static_cast<std::int64_t>(random.below(120)));
      const auto source = static_cast<Port>(random.below(p.nodes));
      PortSet to(p.nodes);
      do {
        for (Port port = 0; port < p.nodes; ++port)
          if (port != source && random.below(2) == 0) to.set(port);
      } while (!to.any());
      const Bytes bytes = random.below(20 * p.word);
      // Each word: when it enters the NIC, starts on the link, passes the fabric.
      Time enters = std::max(at + p.word_generation, entry[source]), passes{};
      for (Bytes w = 0; w < std::max<Bytes>(1, (bytes + p.word - 1) / p.word); ++w) {
        if (w != 0) enters += p.word_generation;
        const Time starts = std::max(enters + p.nic.delay(), link[source]);
        link[source] = starts + word;
        const Time there = starts + p.one_way_wire();
        if (w == 0) {
          Time free = there;
          for (Port port = 0; port < p.nodes; ++port)
            if (to.test(port)) free = std::max(free, output[port]);
          while (free.ps % p.scheduler.cycle.ps != 0) free += picoseconds(1);
          passes = free + p.scheduler.delay();
        } else {
          passes = std::max(there, passes + spacing);
        }
      }
      entry[source] = enters + p.word_generation;
      for (Port port = 0; port < p.nodes; ++port)
        if (to.test(port)) output[port] = passes + spacing;
      const CollectivePlane::Copied copied = plane.multicast(at, source, to, bytes);
      ASSERT_EQ(copied.injected, enters) << "seed " << seed;
      ASSERT_EQ(copied.delivered, passes + p.digital_fabric.delay() + p.one_way_wire() + p.nic.delay())
          << "seed " << seed;
    }
  }
}

ReplayResult replay_multicast(MemoryTrace& trace, bool hardware = true, const char* technique = "wormhole",
                              std::vector<std::uint32_t> placement = {}) {
  SwitchParameters parameters;
  parameters.technique = technique;
  ReplayOptions options;
  options.hardware_multicast = hardware;
  options.placement = std::move(placement);
  return replay(trace, parameters, options);
}

Operation bcast(std::uint32_t root, Bytes bytes, Kind kind = Kind::collective, std::uint64_t request = 0) {
  Operation o = collective(CollectiveOp::bcast, bytes, kind, request);
  o.peer = root;
  return o;
}

TEST(HardwareMulticast, ARootIsDoneWhenItHasSentAndTheOthersWhenTheyHaveIt) {
  for (std::uint32_t late = 0; late < 4; ++late) {
    MemoryTrace trace(4);
    for (std::uint32_t r = 0; r < 4; ++r) {
      Operation o = bcast(2, 128);
      if (r == late) o.compute = nanoseconds(8000);  // an edge
      trace.add(r, o);
      trace.add(r, finish(r == 2 ? microseconds(1) : Time{}));
    }
    const ReplayResult result = replay_multicast(trace);
    // Sent at 0: the root is done at 160 (and then computes), the others at 490, or when they call.
    const Time expected = late == 2 ? nanoseconds(8000 + 160 + 1000) : nanoseconds(8000);
    EXPECT_EQ(result.measures.time, expected) << late;
    // The plane has separate links, so that those of the switch carry nothing.
    EXPECT_EQ(result.measures.multicast->messages, 3u);
    EXPECT_EQ(result.measures.multicast->bytes, 3u * 128);
    EXPECT_EQ(result.measures.messages, 0u);
    EXPECT_EQ(result.measures.bytes, 0u);
    EXPECT_EQ(result.measures.utilisation, 0);
    for (const PortTraffic& port : result.measures.ports) EXPECT_EQ(port, PortTraffic{});
    EXPECT_EQ(result.measures.latency.maximum(), nanoseconds(490));
    EXPECT_EQ(result.measures.statistics.messages, 0u);  // none by the technique
  }
}

TEST(HardwareMulticast, RanksOfOnePortReceiveItThroughMemory) {
  MemoryTrace trace(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    trace.add(r, bcast(0, 80));
    trace.add(r, finish());
  }
  const ReplayResult result = replay_multicast(trace, true, "circuit", {0, 0, 1, 1});
  EXPECT_EQ(result.measures.local_messages, 1u);
  EXPECT_EQ(result.measures.multicast->messages, 1u);
  EXPECT_EQ(result.measures.messages, 0u);
  EXPECT_EQ(result.measures.time, nanoseconds(340 + 90));
  MemoryTrace local(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    local.add(r, bcast(0, 80));
    local.add(r, finish());
  }
  // 80 bytes at 80 Gb/s, then 200 ns.
  EXPECT_EQ(replay_multicast(local, true, "circuit", {1, 1, 1}).measures.time, nanoseconds(8 + 200));
}

TEST(HardwareMulticast, NoRankLeavesABarrierBeforeTheLastOneHasCome) {
  MemoryTrace trace(5);
  for (std::uint32_t r = 0; r < 5; ++r) {
    Operation o = collective(CollectiveOp::barrier, 0);
    o.compute = nanoseconds(r == 3 ? 4000 : 10 * r);
    trace.add(r, o);
    trace.add(r, finish());
  }
  const ReplayResult result = replay_multicast(trace);
  EXPECT_EQ(result.measures.time, nanoseconds(4000 + 340));
  EXPECT_EQ(result.measures.communication_time.ps, nanoseconds(4340 - (0 + 10 + 20 + 4000 + 40) / 5).ps);
  EXPECT_EQ(result.measures.messages, 0u);
}

TEST(HardwareMulticast, ServesEveryJobUnderEveryTechniqueTheSameEachTime) {
  for (const char* technique :
       {"wormhole", "packet", "circuit", "tdm", "hybrid", "wave", "coll", "chen-liu"}) {
    std::set<std::int64_t> times;
    for (int again = 0; again < 2; ++again) {
      MemoryTrace trace(7);
      random_job(trace, 5);
      times.insert(replay_multicast(trace, true, technique).measures.time.ps);
    }
    EXPECT_EQ(times.size(), 1u) << technique;
  }
}

TEST(HardwareMulticast, IsFasterThanATreeOfMessages) {
  Time times[2];
  for (const bool hardware : {false, true}) {
    MemoryTrace trace(16);
    for (std::uint32_t r = 0; r < 16; ++r) {
      for (int k = 0; k < 10; ++k) {
        trace.add(r, bcast(0, 4096));
        trace.add(r, collective(CollectiveOp::barrier, 0));
      }
      trace.add(r, finish());
    }
    times[hardware ? 1 : 0] = replay_multicast(trace, hardware).measures.time;
  }
  EXPECT_LT(times[1], times[0]);
}

TEST(HardwareMulticast, AMissingMemberIsAnErrorUnlessTheRecordingIsIncomplete) {
  for (const Operation& o : {collective(CollectiveOp::barrier, 0), bcast(1, 8)}) {
    const auto job = [&](const char* complete) {
      MemoryTrace trace(3);
      trace.facts.emplace_back(trace_names::kComplete, complete);
      trace.add(0, o);
      trace.add(2, o);
      for (std::uint32_t r = 0; r < 3; ++r) trace.add(r, finish(microseconds(1)));
      return trace;
    };
    MemoryTrace whole = job("yes"), lacking = job("no");
    EXPECT_THROW(replay_multicast(whole), UserError);
    const ReplayResult result = replay_multicast(lacking);
    EXPECT_EQ(result.warnings.size(), 1u);
    EXPECT_GE(result.measures.time, microseconds(1));
  }
}

TEST(HardwareMulticast, PutsNoMessagesOnTheLinks) {
  MemoryTrace trace(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    trace.add(r, bcast(1, 64));
    trace.add(r, collective(CollectiveOp::barrier, 0));
    trace.add(r, finish());
  }
  ReplayOptions options;
  options.hardware_multicast = true;
  int sent = 0;
  for_each_sent(trace, options, [&](const SentMessage&) { ++sent; });
  EXPECT_EQ(sent, 0);
}

}  // namespace
}  // namespace hybrid
