#include "emulator/scheduler/model_port.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

#include "core/error.h"
#include "core/random.h"

namespace hybrid {
namespace {

constexpr Time kCycle = nanoseconds(80);

SwitchParameters clocked_parameters(std::uint32_t nodes, std::uint32_t slots, Clocked clock = {kCycle, 1}) {
  SwitchParameters p;
  p.nodes = nodes;
  p.slots = slots;
  p.scheduler = clock;
  return p;
}

std::vector<Grant> advance(SchedulerPort& port, Time until) {
  std::vector<Grant> grants;
  port.advance(until, grants);
  return grants;
}

Grant established(std::int64_t ns, std::uint32_t slot, Connection c) {
  return {nanoseconds(ns), slot, c, Grant::Kind::established};
}
Grant released(std::int64_t ns, std::uint32_t slot, Connection c) {
  return {nanoseconds(ns), slot, c, Grant::Kind::released};
}
using Grants = std::vector<Grant>;

Configuration configuration(std::size_t ports, const std::vector<Connection>& connections) {
  Configuration all(ports);
  for (const Connection& c : connections) EXPECT_TRUE(all.add(c));
  return all;
}

TEST(ModelPort, ARequestIsGrantedOnePassAfterTheNextEdge) {
  // D 5.5.1: 80 ns of wire, 80 ns of scheduling: sent at 0, received at 80, granted at 160.
  const auto port = make_scheduler_port(clocked_parameters(4, 2));
  port->request(nanoseconds(80), {0, 1});
  port->request(nanoseconds(81), {2, 3});
  EXPECT_EQ(port->next_change(), nanoseconds(160));
  EXPECT_TRUE(advance(*port, nanoseconds(159)).empty());
  EXPECT_EQ(advance(*port, nanoseconds(160)), (Grants{established(160, 0, {0, 1})}));
  EXPECT_EQ(advance(*port, nanoseconds(1000)), (Grants{established(240, 0, {2, 3})}));
  EXPECT_EQ(port->next_change(), Time::never());
}

TEST(ModelPort, RequestingAtAnEdgeBeforeOrAfterAdvancingToItIsTheSame) {
  const auto port = make_scheduler_port(clocked_parameters(4, 2));
  EXPECT_TRUE(advance(*port, nanoseconds(80)).empty());
  port->request(nanoseconds(80), {0, 1});
  EXPECT_EQ(advance(*port, nanoseconds(200)), (Grants{established(160, 0, {0, 1})}));
}

TEST(ModelPort, LatencyDelaysGrantsWithoutSlowingPasses) {
  // ch8: 100 MHz, latency 2 cycles. Two requests for one output go into slots 0 and 1 on successive cycles.
  const auto port = make_scheduler_port(clocked_parameters(4, 2, {nanoseconds(10), 2}));
  port->request(Time{}, {0, 3});
  port->request(Time{}, {1, 3});
  EXPECT_EQ(advance(*port, nanoseconds(100)),
            (Grants{established(20, 0, {0, 3}), established(30, 1, {1, 3})}));
}

TEST(ModelPort, APassCanFillAllSlots) {
  SwitchParameters p = clocked_parameters(4, 3, {nanoseconds(10), 2});
  p.pass_fills_all_slots = true;
  const auto port = make_scheduler_port(p);
  port->preload(Time{}, 1, configuration(4, {{2, 0}}));
  port->request(Time{}, {0, 3});
  port->request(Time{}, {1, 3});
  port->request(Time{}, {2, 3});
  // Input 2 finds no room. When the output is free again, the next pass serves it.
  EXPECT_EQ(advance(*port, nanoseconds(1000)),
            (Grants{established(20, 1, {2, 0}), established(20, 0, {0, 3}), established(20, 2, {1, 3})}));
  port->release(nanoseconds(1000), {0, 3});
  EXPECT_EQ(advance(*port, nanoseconds(2000)),
            (Grants{released(1020, 0, {0, 3}), established(1030, 0, {2, 3})}));
}

/// One pass over all slots gives the schedule of a sweep of passes.
TEST(ModelPort, APassOverAllSlotsIsASweepInOneCycle) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    SwitchParameters p = clocked_parameters(static_cast<std::uint32_t>(2 + random.below(7)),
                                            static_cast<std::uint32_t>(1 + random.below(5)));
    std::vector<Connection> requests;
    for (std::uint64_t n = random.below(30); n > 0; --n)
      requests.push_back(
          {static_cast<Port>(random.below(p.nodes)), static_cast<Port>(random.below(p.nodes))});
    const auto schedule = [&](bool all) {
      p.pass_fills_all_slots = all;
      const auto port = make_scheduler_port(p);
      for (const Connection c : requests) port->request(Time{}, c);
      std::vector<std::pair<std::uint32_t, Connection>> slots;
      for (const Grant& g : advance(*port, kCycle * (all ? 1 : p.slots)))
        slots.emplace_back(g.slot, g.connection);
      EXPECT_EQ(advance(*port, milliseconds(1000)).size(), 0U);
      return slots;
    };
    EXPECT_EQ(schedule(true), schedule(false)) << "seed " << seed;
  }
}

TEST(ModelPort, WithoutLatencyGrantsAreVisibleOnTheEdgeItself) {
  const auto port = make_scheduler_port(clocked_parameters(4, 1, {nanoseconds(10), 0}));
  port->request(nanoseconds(10), {0, 3});
  EXPECT_EQ(advance(*port, nanoseconds(10)), (Grants{established(10, 0, {0, 3})}));
  port->request(nanoseconds(10), {1, 2});  // the pass on this edge is over
  EXPECT_EQ(port->next_change(), nanoseconds(20));
  EXPECT_EQ(advance(*port, nanoseconds(50)), (Grants{established(20, 0, {1, 2})}));
}

TEST(ModelPort, RequestsFillTheLowSlotsFirst) {
  const auto port = make_scheduler_port(clocked_parameters(8, 4));
  std::int64_t at = 0;
  for (Port p = 0; p < 8; ++p, at += 1000) {
    port->request(nanoseconds(at), {p, (p + 1) % 8});
    for (const Grant& g : advance(*port, nanoseconds(at + 999))) EXPECT_EQ(g.slot, 0u);
  }
}

TEST(ModelPort, WithoutRoomARequestStaysPendingAndCostsNoTime) {
  const auto port = make_scheduler_port(clocked_parameters(4, 2));
  for (Port p = 0; p < 3; ++p) port->request(Time{}, {p, 3});
  // The first sweep begins with input 0: slot 0, slot 1; then a sweep finds no room for the third.
  EXPECT_EQ(advance(*port, microseconds(1)),
            (Grants{established(80, 0, {0, 3}), established(160, 1, {1, 3})}));
  EXPECT_EQ(port->next_change(), Time::never());
  EXPECT_TRUE(advance(*port, milliseconds(3'600'000)).empty());

  const std::int64_t hour = 3'600'000'000'000;  // a multiple of the cycle
  port->release(nanoseconds(hour), {0, 3});
  const Grants grants = advance(*port, nanoseconds(hour + 10'000));
  // The third sweep begins with input 2: its row is complete when row 0 frees the output.
  EXPECT_EQ(grants, (Grants{released(hour + 80, 0, {0, 3}), established(hour + 240, 0, {2, 3})}));
}

TEST(ModelPort, AReleasedPendingRequestIsNotGranted) {
  const auto port = make_scheduler_port(clocked_parameters(4, 1));
  port->request(Time{}, {0, 3});
  port->request(Time{}, {1, 3});
  EXPECT_EQ(advance(*port, nanoseconds(500)).size(), 1u);
  port->release(nanoseconds(500), {1, 3});
  port->release(nanoseconds(500), {0, 3});
  EXPECT_EQ(advance(*port, microseconds(5)), (Grants{released(640, 0, {0, 3})}));
}

TEST(ModelPort, ARequestBeforeTheReleaseIsCarriedOutKeepsTheConnection) {
  const auto port = make_scheduler_port(clocked_parameters(4, 1));
  port->request(Time{}, {0, 3});
  EXPECT_EQ(advance(*port, nanoseconds(500)).size(), 1u);
  port->release(nanoseconds(500), {0, 3});
  port->request(nanoseconds(510), {0, 3});
  EXPECT_EQ(port->next_change(), Time::never());
  EXPECT_TRUE(advance(*port, microseconds(5)).empty());
}

TEST(ModelPort, RepeatedAndRedundantCallsChangeNothing) {
  const auto port = make_scheduler_port(clocked_parameters(4, 2));
  port->release(Time{}, {0, 1});
  EXPECT_EQ(port->next_change(), Time::never());
  port->request(Time{}, {0, 1});
  port->request(Time{}, {0, 1});
  EXPECT_EQ(advance(*port, nanoseconds(300)).size(), 1u);
  port->request(nanoseconds(300), {0, 1});
  EXPECT_EQ(port->next_change(), Time::never());
}

TEST(ModelPort, PreloadedSlotsAreFixed) {
  const auto port = make_scheduler_port(clocked_parameters(4, 2));
  port->preload(nanoseconds(10), 0, configuration(4, {{0, 1}, {1, 0}}));
  EXPECT_EQ(advance(*port, nanoseconds(160)),
            (Grants{established(160, 0, {0, 1}), established(160, 0, {1, 0})}));
  port->release(nanoseconds(160), {0, 1});
  port->request(nanoseconds(160), {0, 1});
  port->release(nanoseconds(160), {0, 1});
  port->request(nanoseconds(160), {2, 3});  // fits into slot 0, but that slot is preloaded
  EXPECT_EQ(advance(*port, microseconds(2)), (Grants{established(240, 1, {2, 3})}));

  port->preload(nanoseconds(2000), 0, configuration(4, {{1, 0}, {3, 1}}));
  EXPECT_EQ(advance(*port, nanoseconds(3000)),
            (Grants{released(2080, 0, {0, 1}), established(2080, 0, {3, 1})}));
  port->preload(nanoseconds(3000), 0, Configuration(4));
  port->request(nanoseconds(3000), {0, 2});
  EXPECT_EQ(advance(*port, nanoseconds(4000)),
            (Grants{released(3120, 0, {1, 0}), released(3120, 0, {3, 1}), established(3120, 0, {0, 2})}))
      << "an empty configuration makes the slot dynamic again";
}

// D 4.2.2: "without using the predictive circuit switch scheduler"; D 3.4.1: "without waiting for
// scheduling".
TEST(ModelPort, ADirectPreloadIsVisibleWhenItArrives) {
  SwitchParameters p = clocked_parameters(4, 2);
  p.preload_is_direct = true;
  const auto port = make_scheduler_port(p);
  port->preload(nanoseconds(10), 0, configuration(4, {{0, 1}, {1, 0}}));
  EXPECT_EQ(port->next_change(), nanoseconds(10));
  EXPECT_EQ(advance(*port, nanoseconds(10)),
            (Grants{established(10, 0, {0, 1}), established(10, 0, {1, 0})}));
  port->request(nanoseconds(70), {2, 3});  // a request waits for a pass
  EXPECT_EQ(advance(*port, nanoseconds(100)), Grants{});
  // The pass at 80 has put (2,3) into slot 1, visible at 160: the preload of slot 1 follows it.
  port->preload(nanoseconds(100), 1, configuration(4, {{2, 0}}));
  EXPECT_EQ(advance(*port, nanoseconds(1000)),
            (Grants{established(160, 1, {2, 3}), released(160, 1, {2, 3}), established(160, 1, {2, 0})}));
}

TEST(ModelPort, PreloadingMovesConnectionsAndGrantsPendingOnes) {
  const auto port = make_scheduler_port(clocked_parameters(4, 2));
  port->request(Time{}, {0, 1});
  port->request(Time{}, {2, 1});
  port->request(Time{}, {3, 1});  // pending: output 1 is taken in both slots
  EXPECT_EQ(advance(*port, nanoseconds(1000)).size(), 2u);
  // (0,1) of slot 0 moves to slot 1; (2,1) loses its slot but is still requested, and moves to slot 0.
  port->preload(nanoseconds(1000), 1, configuration(4, {{0, 1}, {2, 3}}));
  EXPECT_EQ(advance(*port, nanoseconds(1120)),
            (Grants{released(1120, 1, {2, 1}), released(1120, 0, {0, 1}), established(1120, 1, {0, 1}),
                    established(1120, 1, {2, 3}), established(1120, 0, {2, 1})}));
  port->preload(nanoseconds(2000), 0, configuration(4, {{3, 1}}));
  const Grants grants = advance(*port, nanoseconds(9000));
  EXPECT_EQ(grants, (Grants{released(2080, 0, {2, 1}), established(2080, 0, {3, 1})}));
  EXPECT_EQ(port->next_change(), Time::never()) << "(2,1) is pending, but every slot is preloaded";
}

TEST(ModelPort, AReleasedConnectionThatAPreloadKeepsIsNoWork) {
  for (const std::uint32_t slots :
       {2u, 20u}) {  // few and many slots: both searches for the slot of a connection
    const auto port = make_scheduler_port(clocked_parameters(4, slots));
    port->request(Time{}, {0, 1});
    EXPECT_EQ(advance(*port, nanoseconds(200)), (Grants{established(80, 0, {0, 1})}));
    port->release(nanoseconds(201), {0, 1});
    port->preload(nanoseconds(202), 0, configuration(4, {{0, 1}}));
    EXPECT_EQ(port->next_change(), Time::never()) << "no pass has anything to do";
    port->request(nanoseconds(300), {0, 1});
    EXPECT_EQ(port->next_change(), Time::never()) << "it is preloaded";
    EXPECT_TRUE(advance(*port, nanoseconds(5000)).empty());
  }
}

TEST(ModelPort, FlushDropsEverythingOfAPort) {
  const auto port = make_scheduler_port(clocked_parameters(4, 3));
  port->preload(Time{}, 0, configuration(4, {{0, 1}}));
  port->request(Time{}, {0, 2});
  port->request(Time{}, {1, 2});
  EXPECT_EQ(advance(*port, nanoseconds(400)).size(), 3u);
  port->request(nanoseconds(400), {0, 3});
  port->flush(nanoseconds(400), 0);
  EXPECT_EQ(advance(*port, nanoseconds(480)), (Grants{released(480, 0, {0, 1}), released(480, 1, {0, 2})}));
  EXPECT_EQ(port->next_change(), Time::never()) << "the pending request is flushed too";
  port->request(nanoseconds(480), {3, 0});
  EXPECT_EQ(advance(*port, nanoseconds(900)), (Grants{established(560, 0, {3, 0})}))
      << "the preloaded slot is empty and so dynamic again";
  port->flush(nanoseconds(960));
  EXPECT_EQ(advance(*port, nanoseconds(2000)),
            (Grants{released(1040, 0, {3, 0}), released(1040, 2, {1, 2})}));
}

TEST(ModelPort, ContestedOutputsAreSharedFairly) {
  // One slot, three inputs that always request one output; each releases it as soon as it is granted.
  const auto port = make_scheduler_port(clocked_parameters(3, 1));
  std::map<Port, int> won;
  for (Port p = 0; p < 3; ++p) port->request(Time{}, {p, 0});
  for (int i = 0; i < 3000; ++i) {
    const Time now = port->next_change();
    ASSERT_NE(now, Time::never());
    for (const Grant& g : advance(*port, now)) {
      if (g.kind == Grant::Kind::established) {
        ++won[g.connection.source];
        port->release(now, g.connection);
      } else {
        port->request(now, g.connection);
      }
    }
  }
  const auto [least, most] = std::minmax_element(
      won.begin(), won.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  ASSERT_EQ(won.size(), 3u);
  EXPECT_GT(least->second * 2, most->second);
}

TEST(ModelPort, RefusesImpossibleShapesAndTimeBackwards) {
  EXPECT_THROW(make_scheduler_port(clocked_parameters(0, 1)), UserError);
  EXPECT_THROW(make_scheduler_port(clocked_parameters(4, 0)), UserError);
  EXPECT_THROW(make_scheduler_port(clocked_parameters(4, 1, {Time{}, 1})), UserError);
  SwitchParameters unknown = clocked_parameters(4, 1);
  unknown.scheduler_name = "greddy";
  EXPECT_THROW(make_scheduler_port(unknown), UserError);
  const auto port = make_scheduler_port(clocked_parameters(4, 1));
  advance(*port, nanoseconds(5));
  EXPECT_THROW(port->request(nanoseconds(4), {0, 1}), std::logic_error);
}

TEST(ModelPort, ASecondRequestInTheSameWordOfALongRowStays) {
  const auto port = make_scheduler_port(clocked_parameters(200, 1));
  port->request(nanoseconds(0), {7, 140});
  port->request(nanoseconds(1), {7, 150});
  port->request(nanoseconds(1), {8, 199});
  EXPECT_EQ(advance(*port, nanoseconds(240)),
            (Grants{established(80, 0, {7, 140}), established(160, 0, {8, 199})}));
  port->release(nanoseconds(241), {7, 140});  // its word still holds a request
  EXPECT_EQ(advance(*port, nanoseconds(480)),
            (Grants{released(400, 0, {7, 140}), established(400, 0, {7, 150})}));
  port->flush(nanoseconds(481), 8);
  port->request(nanoseconds(482), {8, 198});  // in a word that became 0
  EXPECT_EQ(advance(*port, nanoseconds(720)),
            (Grants{released(640, 0, {8, 199}), established(640, 0, {8, 198})}));
}

}  // namespace
}  // namespace hybrid
