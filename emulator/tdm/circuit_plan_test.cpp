// The circuits from tick to tick: an independent model checks random ticks; single rules by hand.
#include "emulator/tdm/circuit_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/random.h"

namespace hybrid {
namespace {

SwitchParameters plan_parameters(std::uint32_t nodes, std::uint32_t slots, Time reconfiguration = {}) {
  SwitchParameters p;
  p.nodes = nodes;
  p.slots = slots;
  p.reconfiguration = reconfiguration;
  return p;
}

/// A plan with the switch's schedule and the waiting connections, which it needs in each tick.
class PlanDriver {
 public:
  PlanDriver(const SwitchParameters& p, bool keeps_unused)
      : plan(p, keeps_unused),
        schedule(p.slots, Configuration(p.nodes)),
        wanted(p.slots, PortSet(p.nodes)),
        circuits(p.nodes),
        slot_length(p.slot_length) {}

  void hold(std::uint32_t slot, Connection c) { ASSERT_TRUE(schedule[slot].add(c)); }
  void wait(std::uint32_t slot, Port source) {
    wanted[slot].set(source);
    plan.begin_waiting(now, slot, source);
  }
  void end(std::uint32_t slot, Port source) {
    wanted[slot].reset(source);
    plan.end_waiting(slot, source);
  }
  /// Composes the next tick.
  std::vector<Connection> tick(std::uint32_t first_slot = 0) {
    now += slot_length;
    fresh.clear();
    plan.compose(now, first_slot, schedule, wanted, circuits, fresh);
    return circuits.connections();
  }

  CircuitPlan plan;
  std::vector<Configuration> schedule;
  std::vector<PortSet> wanted;
  Configuration circuits;
  std::vector<Connection> fresh;
  Time now{};
  Time slot_length;
};

using Circuits = std::vector<Connection>;

TEST(CircuitPlan, ACircuitUnderWayKeepsItsPortsForAQuantum) {
  PlanDriver d(plan_parameters(4, 2), false);
  d.hold(0, {0, 1});
  d.hold(1, {0, 2});
  d.wait(0, 0);
  EXPECT_EQ(d.tick(), (Circuits{{0, 1}}));
  const Time started = d.now;
  d.wait(1, 0);
  while (d.now + d.slot_length < started + d.plan.quantum()) EXPECT_EQ(d.tick(1), (Circuits{{0, 1}}));
  EXPECT_EQ(d.tick(0), (Circuits{{0, 2}}));  // the quantum is over, and the other has waited for longer
}

TEST(CircuitPlan, ACircuitWithoutDataFreesItsPortsAtTheNextTick) {
  PlanDriver d(plan_parameters(4, 2), false);
  d.hold(0, {0, 1});
  d.hold(1, {0, 2});
  d.wait(0, 0);
  d.tick();
  d.wait(1, 0);
  d.end(0, 0);
  EXPECT_EQ(d.tick(), (Circuits{{0, 2}}));
}

TEST(CircuitPlan, TheLargerCandidateWins) {
  PlanDriver d(plan_parameters(4, 2), false);
  d.hold(0, {0, 1});
  d.hold(1, {0, 2});
  d.hold(1, {3, 1});
  d.wait(0, 0);
  EXPECT_EQ(d.tick(), (Circuits{{0, 1}}));
  d.wait(1, 0);
  d.wait(1, 3);
  EXPECT_EQ(d.tick(1), (Circuits{{0, 2}, {3, 1}}));  // two circuits against the one under way
}

TEST(CircuitPlan, ACircuitIsNotInterruptedBeforeItPaidForItsReconfiguration) {
  PlanDriver d(plan_parameters(4, 2, microseconds(1)), false);
  d.hold(0, {0, 1});
  d.hold(1, {0, 2});
  d.hold(1, {3, 1});
  d.wait(0, 0);
  d.tick();
  const Time started = d.now;
  d.wait(1, 0);
  d.wait(1, 3);
  while (d.now + d.slot_length < started + microseconds(10)) EXPECT_EQ(d.tick(1), (Circuits{{0, 1}}));
  EXPECT_EQ(d.tick(1), (Circuits{{0, 2}, {3, 1}}));
}

TEST(CircuitPlan, AWormThatWaitedForLongerKeepsItsPorts) {
  PlanDriver d(plan_parameters(4, 2), false);
  d.hold(0, {0, 1});
  d.plan.add_worm({2, 1}, d.now);
  d.wait(0, 0);
  EXPECT_EQ(d.tick(), Circuits{});
  d.plan.add_worm({2, 1}, d.now + picoseconds(1));  // the next worm has waited for less
  EXPECT_EQ(d.tick(), (Circuits{{0, 1}}));
}

TEST(CircuitPlan, AWormInterruptsACircuitThatHadASlot) {
  PlanDriver d(plan_parameters(4, 2), false);
  d.hold(0, {0, 1});
  d.wait(0, 0);
  EXPECT_EQ(d.tick(), (Circuits{{0, 1}}));
  d.plan.add_worm({0, 3}, d.now);
  EXPECT_EQ(d.tick(), Circuits{});
  EXPECT_EQ(d.tick(), (Circuits{{0, 1}}));
}

TEST(CircuitPlan, UnusedCircuitsStayInTheFabricOrMakeRoomForPredictedOnes) {
  PlanDriver d(plan_parameters(4, 2, microseconds(1)), true);
  d.hold(0, {0, 1});
  d.hold(1, {0, 2});
  d.wait(0, 0);
  d.tick();
  EXPECT_EQ(d.fresh, (Circuits{{0, 1}}));
  d.end(0, 0);
  d.tick();
  d.wait(0, 0);
  d.tick();
  EXPECT_EQ(d.fresh, Circuits{}) << "the circuit was still in the fabric";
  EXPECT_TRUE(d.plan.predict(1, {0, 2}));
  d.tick();
  EXPECT_EQ(d.fresh, Circuits{}) << "the wanted circuit keeps the port";
  d.end(0, 0);
  EXPECT_EQ(d.tick(), Circuits{});
  EXPECT_EQ(d.fresh, (Circuits{{0, 2}})) << "prepared, not granted";
  d.wait(1, 0);
  EXPECT_EQ(d.tick(), (Circuits{{0, 2}}));
  EXPECT_EQ(d.fresh, Circuits{});
}

/// Random waiting data; every tick is checked against the schedule, and against a model of the fabric.
TEST(CircuitPlan, RandomTicksAreMaximalFairAndPayForEachChange) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const auto nodes = static_cast<std::uint32_t>(2 + random.below(8));
    const auto slots = static_cast<std::uint32_t>(1 + random.below(5));
    const SwitchParameters p =
        plan_parameters(nodes, slots, nanoseconds(static_cast<std::int64_t>(random.below(3)) * 40));
    const bool keeps_unused = random.below(2) == 0;
    PlanDriver d(p, keeps_unused);
    for (std::uint32_t s = 0; s < slots; ++s)
      for (Port source = 0; source < nodes; ++source) {
        const Connection c{source, static_cast<Port>(random.below(nodes))};
        bool other = c.source == c.destination;
        for (const Configuration& before : d.schedule) other = other || before.holds(c);
        if (!other && d.schedule[s].fits(c)) d.hold(s, c);
      }
    std::map<std::pair<std::uint32_t, Port>, Time> waits_since;
    std::map<Port, Port> fabric;  // by source
    const Time longest = (d.plan.quantum() + p.slot_length) * (2 * std::int64_t{slots} + 1);
    for (int tick = 0; tick < 400; ++tick) {
      for (std::uint32_t s = 0; s < slots; ++s)
        for (const Connection c : d.schedule[s].connections()) {
          const bool waits = d.wanted[s].test(c.source);
          if (!waits && random.below(6) == 0) {
            d.wait(s, c.source);
            waits_since[{s, c.source}] = d.now;
          } else if (waits && d.circuits.holds(c) && random.below(3) == 0) {
            d.end(s, c.source);
            waits_since.erase({s, c.source});
          }
        }
      d.tick(static_cast<std::uint32_t>(random.below(slots)));
      for (const Connection c : d.circuits.connections()) {
        bool known = false;
        for (std::uint32_t s = 0; s < slots; ++s)
          known = known || (d.schedule[s].holds(c) && d.wanted[s].test(c.source));
        EXPECT_TRUE(known) << "seed " << seed << ": a circuit that no data waits for";
      }
      for (std::uint32_t s = 0; s < slots; ++s)
        for_each_port(d.wanted[s].words(), [&](Port source) {
          const Connection c{source, d.schedule[s].destination_of(source)};
          EXPECT_FALSE(d.circuits.fits(c)) << "seed " << seed << ": both ports idle while data waits";
          if (d.circuits.holds(c)) waits_since[{s, source}] = d.now;
          EXPECT_LE(d.now - (waits_since[{s, source}]), longest) << "seed " << seed;
        });
      // The fabric: new circuits replace those at their ports.
      for (const Connection c : d.circuits.connections()) {
        const bool held = fabric.contains(c.source) && fabric[c.source] == c.destination;
        EXPECT_EQ(std::find(d.fresh.begin(), d.fresh.end(), c) == d.fresh.end(), held) << "seed " << seed;
      }
      for (const Connection c : d.fresh) {
        std::erase_if(fabric, [&](const auto& other) { return other.second == c.destination; });
        fabric[c.source] = c.destination;
      }
      if (!keeps_unused)
        std::erase_if(fabric, [&](const auto& c) { return !d.circuits.holds({c.first, c.second}); });
    }
  }
}

}  // namespace
}  // namespace hybrid
