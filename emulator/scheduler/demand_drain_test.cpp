// The replay and the bound, on schedules computed by hand. A byte takes 1 ns on the link.
#include "emulator/scheduler/demand_drain.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/error.h"

namespace hybrid {
namespace {

constexpr BitRate kByteANanosecond = 8'000'000'000;

Configuration configuration(std::vector<Connection> connections) {
  Configuration c(3);
  for (const Connection& x : connections) c.add(x);
  return c;
}

TEST(DrainTime, WholeReconfigurationStopsEveryPort) {
  //  0    10             110  120      170
  //  |stop| 0-1, 1-2      |stop| 0-2, 1-2
  const RequestSet set{3, {{{0, 1}, 100}, {{1, 2}, 100}, {{0, 2}, 0}, {{2, 0}, 50}}};
  const DemandProblem problem{set, kByteANanosecond, nanoseconds(10)};
  const std::vector<TimedConfiguration> schedule{{configuration({{0, 1}}), nanoseconds(110)},
                                                 {configuration({{1, 2}, {2, 0}}), nanoseconds(200)}};
  const Drain drain = drain_time(problem, schedule);
  EXPECT_EQ(drain.time, nanoseconds(220));
  EXPECT_EQ(drain.circuits, nanoseconds(220));
  EXPECT_EQ(drain.packets, Time{});
  EXPECT_EQ(drain.by_circuits, 250u);
  EXPECT_EQ(drain.reconfigurations, 2u);
}

TEST(DrainTime, PartialReconfigurationStopsOnlyWhatChanges) {
  // 0 -> 1 is set up once and continues to carry while 1 -> 2 is changed to 1 -> 0.
  const RequestSet set{3, {{{0, 1}, 150}, {{1, 2}, 50}, {{1, 0}, 50}}};
  const std::vector<TimedConfiguration> schedule{{configuration({{0, 1}, {1, 2}}), nanoseconds(60)},
                                                 {configuration({{0, 1}, {1, 0}}), nanoseconds(100)}};
  DemandProblem problem{set, kByteANanosecond, nanoseconds(10), true};
  EXPECT_EQ(drain_time(problem, schedule).time, nanoseconds(160));  // 0 -> 1: 10 + 150
  problem.partial = false;
  const Drain whole = drain_time(problem, schedule);  // 0 -> 1 carries 50 + 90
  EXPECT_EQ(whole.undrained, 10u);
  EXPECT_EQ(whole.time, Time::never());
}

TEST(DrainTime, ASetUpContinuesWhileOthersChange) {
  // The set-up of 0 -> 1 starts at 0 and ends at 10, although that of 1 -> 2 starts at 4.
  const RequestSet set{3, {{{0, 1}, 20}, {{1, 2}, 20}}};
  const std::vector<TimedConfiguration> schedule{{configuration({{0, 1}}), nanoseconds(4)},
                                                 {configuration({{0, 1}, {1, 2}}), nanoseconds(100)}};
  DemandProblem problem{set, kByteANanosecond, nanoseconds(10), true};
  EXPECT_EQ(drain_time(problem, schedule).time, nanoseconds(34));
  problem.partial = false;  // the second change restarts all set-ups
  EXPECT_EQ(drain_time(problem, schedule).time, nanoseconds(34));
  const std::vector<TimedConfiguration> held{{configuration({{0, 1}}), nanoseconds(4)},
                                             {configuration({{0, 1}}), nanoseconds(26)}};
  EXPECT_EQ(drain_time({RequestSet{3, {{{0, 1}, 20}}}, kByteANanosecond, nanoseconds(10)}, held).time,
            nanoseconds(30));
}

TEST(DrainTime, ARepeatedConnectionIsSetUpAgain) {
  const RequestSet set{3, {{{0, 1}, 60}, {{0, 2}, 10}}};
  const std::vector<TimedConfiguration> schedule{{configuration({{0, 1}}), nanoseconds(40)},
                                                 {configuration({{0, 2}}), nanoseconds(20)},
                                                 {configuration({{0, 1}}), nanoseconds(40)}};
  for (const bool partial : {false, true})
    EXPECT_EQ(drain_time({set, kByteANanosecond, nanoseconds(10), partial}, schedule).time, nanoseconds(100));
}

TEST(DrainTime, ThePacketNetworkCarriesTheRest) {
  // A tenth of the rate: 30 bytes at output 2 take 300 ns, independently of the fabric.
  const RequestSet set{3, {{{0, 1}, 100}, {{0, 2}, 10}, {{1, 2}, 20}}};
  DemandProblem problem{set, kByteANanosecond, nanoseconds(10), false, 0.1};
  const std::vector<TimedConfiguration> schedule{{configuration({{0, 1}}), nanoseconds(110)}};
  const Drain drain = drain_time(problem, schedule);
  EXPECT_EQ(drain.circuits, nanoseconds(110));
  EXPECT_EQ(drain.packets, nanoseconds(300));
  EXPECT_EQ(drain.time, nanoseconds(300));
  EXPECT_EQ(drain.by_packets, 30u);
  EXPECT_EQ(drain.by_circuits, 100u);
  problem.packet_plane = 1;
  EXPECT_EQ(drain_time(problem, {}).time, nanoseconds(110));  // input 0
}

TEST(DrainTime, NothingToDrain) {
  EXPECT_EQ(drain_time({RequestSet{3, {}}, kByteANanosecond}, {}).time, Time{});
  EXPECT_EQ(drain_time({RequestSet{3, {{{0, 1}, 0}}}, kByteANanosecond}, {}).time, Time{});
}

TEST(DrainBound, OneConnection) {
  const RequestSet set{2, {{{0, 1}, 100}}};
  EXPECT_EQ(drain_bound({set, kByteANanosecond, nanoseconds(10)}), nanoseconds(110));
  // With a packet network of a quarter: (T - 10) + T / 4 = 100, T = 88; packets alone would take 400.
  EXPECT_EQ(drain_bound({set, kByteANanosecond, nanoseconds(10), false, 0.25}), nanoseconds(88));
  // If the set-up takes longer than the packet network needs, the packet network alone.
  EXPECT_EQ(drain_bound({set, kByteANanosecond, nanoseconds(500), false, 0.25}), nanoseconds(400));
}

TEST(DrainBound, EachConnectionOfAPortIsSetUpOnce) {
  // Port 0 sends 30 + 20 + 10 over three connections; port 1 sends 70 over one.
  const RequestSet set{5, {{{0, 1}, 30}, {{0, 2}, 20}, {{0, 3}, 10}, {{1, 4}, 70}}};
  EXPECT_EQ(drain_bound({set, kByteANanosecond, nanoseconds(10), true}), nanoseconds(90));
  EXPECT_EQ(drain_bound({set, kByteANanosecond, nanoseconds(10), false}), nanoseconds(100));  // 70 + 3 x 10
}

TEST(DrainBound, ThePacketNetworkTakesTheSmallestRequests) {
  // The share is a half. In T = 60 the packet network carries 30 bytes of port 0: the requests of 10 and 20.
  // The fabric then has one connection to set up. At T = 80 all 100 bytes are carried: 40 by the packet
  // network, and 60 by the fabric after a set-up of 20.
  const RequestSet set{5, {{{0, 1}, 70}, {{0, 2}, 20}, {{0, 3}, 10}}};
  EXPECT_EQ(drain_bound({set, kByteANanosecond, nanoseconds(20), true, 0.5}), nanoseconds(80));
}

TEST(DrainBound, NothingToDrain) {
  EXPECT_EQ(drain_bound({RequestSet{3, {}}, kByteANanosecond, nanoseconds(10)}), Time{});
}

TEST(DemandProblemCheck, RefusesInvalidProblems) {
  const RequestSet set{2, {{{0, 1}, Bytes{1} << 40}}};
  EXPECT_THROW(check_demand(DemandProblem{set, 0}), UserError);
  EXPECT_THROW(check_demand(DemandProblem{set, 1'000'000'000, nanoseconds(-1)}), UserError);
  EXPECT_THROW(check_demand(DemandProblem{set, 1'000'000'000, {}, false, 1.5}), UserError);
  EXPECT_THROW(check_demand(DemandProblem{set, 1'000'000'000, {}, false, 1e-12}), UserError);
  EXPECT_THROW(check_demand(DemandProblem{set, 1'000}), UserError);  // 270 years
  EXPECT_NO_THROW(check_demand(DemandProblem{set, 1'000'000'000}));
}

}  // namespace
}  // namespace hybrid
