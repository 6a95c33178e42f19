// The circuits from tick to tick: an independent model checks random ticks; single rules by hand.
#include "emulator/tdm/circuit_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
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
        held_before(p.nodes),
        parked_sources(p.nodes),
        slot_length(p.slot_length) {}

  void hold(std::uint32_t slot, Connection c) {
    ASSERT_TRUE(schedule[slot].add(c));
    plan.note_schedule();
  }
  void wait(std::uint32_t slot, Port source, Time due) {
    wanted[slot].set(source);
    plan.set_waiting(slot, source, due);
  }
  void wait(std::uint32_t slot, Port source) { wait(slot, source, now); }
  void end(std::uint32_t slot, Port source) {
    wanted[slot].reset(source);
    plan.end_waiting(slot, source);
  }
  /// Composes the next tick. Returns the circuits that data waits for; the others are in `parked`.
  std::vector<Connection> tick(std::uint32_t first_slot = 0) {
    now += slot_length;
    fresh.clear();
    plan.compose(now, first_slot, schedule, wanted, circuits, parked_sources, fresh);
    std::vector<Connection> used;
    parked.clear();
    for (const Connection c : circuits.connections())
      (parked_sources.test(c.source) ? parked : used).push_back(c);
    return used;
  }

  CircuitPlan plan;
  std::vector<Configuration> schedule;
  std::vector<PortSet> wanted;
  Configuration circuits, held_before;
  PortSet parked_sources;
  std::vector<Connection> parked, fresh;
  Time now{};
  Time slot_length;
};

using Circuits = std::vector<Connection>;

TEST(CircuitPlan, TheMessageThatIsDueFirstInterruptsOthers) {
  PlanDriver d(plan_parameters(4, 2), false);
  d.hold(0, {0, 1});
  d.hold(1, {0, 2});
  d.wait(0, 0, microseconds(50));  // a long message
  EXPECT_EQ(d.tick(), (Circuits{{0, 1}}));
  d.wait(1, 0, microseconds(60));
  EXPECT_EQ(d.tick(0), (Circuits{{0, 1}}));
  d.wait(1, 0, microseconds(1));  // a short message is at the head now
  EXPECT_EQ(d.tick(0), (Circuits{{0, 2}}));
  d.wait(1, 0, microseconds(60));  // it has left, a long one follows
  EXPECT_EQ(d.tick(0), (Circuits{{0, 1}}));
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

TEST(CircuitPlan, AMessageThatDoesNotFitIntoItsNicIsNotInterrupted) {
  PlanDriver d(plan_parameters(4, 2), false);
  d.hold(0, {0, 1});
  d.hold(1, {2, 1});
  d.wait(0, 0, microseconds(50));
  d.tick();
  d.plan.set_outside(0, microseconds(3));
  d.wait(1, 2, microseconds(1));
  EXPECT_EQ(d.tick(), (Circuits{{0, 1}})) << "due later, but its message holds up others";
  d.plan.set_outside(0, Time{});
  EXPECT_EQ(d.tick(), (Circuits{{2, 1}}));
}

// N = 4, 3 us outside, protection of a slot: 1 + 4 * 3 + 0.1 us.
TEST(CircuitPlan, NoConnectionWaitsForeverForMessagesThatDoNotFit) {
  PlanDriver d(plan_parameters(4, 2), false);
  d.hold(0, {0, 1});
  d.hold(1, {2, 1});
  d.wait(0, 0, microseconds(50));
  d.tick();
  d.wait(1, 2, microseconds(1));
  while (d.now + d.slot_length < nanoseconds(13'100)) {
    d.plan.set_outside(0, microseconds(3));
    EXPECT_EQ(d.tick(), (Circuits{{0, 1}})) << d.now.ps;
  }
  d.plan.set_outside(0, microseconds(3));
  EXPECT_EQ(d.tick(), (Circuits{{2, 1}}));
}

TEST(CircuitPlan, TheLargerCandidateWinsUnlessTheFirstIsOverdue) {
  PlanDriver d(plan_parameters(4, 2), false);
  d.hold(0, {0, 1});
  d.hold(1, {0, 2});
  d.hold(1, {3, 1});
  d.wait(0, 0, microseconds(1));
  EXPECT_EQ(d.tick(), (Circuits{{0, 1}}));
  d.wait(1, 0, microseconds(2));
  d.wait(1, 3, microseconds(2));
  EXPECT_EQ(d.tick(1), (Circuits{{0, 2}, {3, 1}}));  // two circuits against the one that is due first
  while (d.now + d.slot_length < microseconds(1) + d.plan.protection()) d.tick(1);
  EXPECT_EQ(d.tick(1), (Circuits{{0, 1}}));
}

TEST(CircuitPlan, ACircuitIsNotInterruptedBeforeItPaidForItsReconfiguration) {
  PlanDriver d(plan_parameters(4, 2, microseconds(1)), false);
  d.hold(0, {0, 1});
  d.hold(1, {0, 2});
  d.wait(0, 0, milliseconds(1));
  d.tick();
  const Time started = d.now;
  d.wait(1, 0, microseconds(5));
  while (d.now + d.slot_length < started + microseconds(10)) EXPECT_EQ(d.tick(1), (Circuits{{0, 1}}));
  EXPECT_EQ(d.tick(0), (Circuits{{0, 1}})) << "it costs nothing";
  EXPECT_EQ(d.tick(1), (Circuits{{0, 2}}));
}

TEST(CircuitPlan, AnOverdueConnectionInterruptsProtectedCircuits) {
  PlanDriver d(plan_parameters(4, 2, microseconds(1)), false);
  d.hold(0, {0, 1});
  d.hold(1, {0, 2});
  d.wait(1, 0, microseconds(1));
  d.tick();
  d.now = microseconds(11);
  d.end(1, 0);
  d.wait(0, 0, microseconds(40));
  d.tick();
  d.wait(1, 0, d.now - microseconds(10));
  EXPECT_EQ(d.tick(), (Circuits{{0, 2}}));
}

TEST(CircuitPlan, AWormKeepsItsPortsIfItIsOlderThanTheCircuitIsDue) {
  PlanDriver d(plan_parameters(4, 2), false);
  d.hold(0, {0, 1});
  d.plan.add_worm({2, 1}, d.now);
  d.wait(0, 0);
  EXPECT_EQ(d.tick(), Circuits{});
  d.plan.add_worm({2, 1}, picoseconds(1));  // the next worm
  EXPECT_EQ(d.tick(), (Circuits{{0, 1}}));
}

TEST(CircuitPlan, ExpectedCircuitsAreParkedWhereNeitherDataNorWormsNeedThePorts) {
  PlanDriver d(plan_parameters(4, 2), false);
  d.hold(0, {0, 1});
  d.hold(1, {0, 2});
  d.hold(1, {3, 1});
  EXPECT_EQ(d.tick(), Circuits{});
  EXPECT_EQ(d.parked, Circuits{}) << "nothing is expected";
  d.plan.expect(0, 2);
  d.plan.expect(3, 1);
  EXPECT_EQ(d.tick(), Circuits{});
  EXPECT_EQ(d.parked, (Circuits{{0, 2}, {3, 1}}));
  EXPECT_FALSE(d.plan.is_settled());
  d.tick();
  EXPECT_TRUE(d.plan.is_settled()) << "nothing changes any more";
  d.plan.expect(0, 1);
  d.tick();
  EXPECT_EQ(d.parked, (Circuits{{3, 1}})) << "another source expects to use output 1";
  d.wait(0, 0);
  EXPECT_EQ(d.tick(), (Circuits{{0, 1}}));
  EXPECT_EQ(d.parked, Circuits{}) << "data waits for one of its ports";
  d.end(0, 0);
  PortSet inputs(4), outputs(4);
  inputs.set(2);
  outputs.set(1);
  d.plan.leave_to_worms(inputs, outputs);
  d.tick();
  EXPECT_EQ(d.parked, Circuits{}) << "a worm from 2 to 1 will be granted";
}

TEST(CircuitPlan, WithoutWormsUnusedCircuitsStayOrMakeRoomForExpectedOnes) {
  PlanDriver d(plan_parameters(4, 2, microseconds(1)), true);
  d.hold(0, {0, 1});
  d.hold(1, {0, 2});
  d.wait(0, 0);
  d.tick();
  EXPECT_EQ(d.fresh, (Circuits{{0, 1}}));
  d.end(0, 0);
  d.tick();
  EXPECT_EQ(d.parked, (Circuits{{0, 1}}));
  d.wait(0, 0);
  d.tick();
  EXPECT_EQ(d.fresh, Circuits{}) << "the circuit was still in the fabric";
  d.plan.expect(0, 2);
  d.tick();
  EXPECT_EQ(d.fresh, Circuits{}) << "the wanted circuit keeps the port";
  d.end(0, 0);
  EXPECT_EQ(d.tick(), Circuits{});
  EXPECT_EQ(d.fresh, (Circuits{{0, 2}}));
  d.wait(1, 0);
  EXPECT_EQ(d.tick(), (Circuits{{0, 2}}));
  EXPECT_EQ(d.fresh, Circuits{});
}

TEST(CircuitPlan, ExpectationsMustBeRightMoreOftenIfAWrongOneCostsMore) {
  SwitchParameters p;
  EXPECT_NEAR(CircuitPlan::least_accuracy(p, false), 60.0 / (60 + 180), 1e-9);  // see the header
  double before = 0;
  for (const int ns : {0, 10, 100, 1000}) {
    p.reconfiguration = nanoseconds(ns);
    const double least = CircuitPlan::least_accuracy(p, false);
    EXPECT_GT(least, before);
    EXPECT_LT(least, 1);
    before = least;
  }
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
    // Each is overtaken at most by those that are due earlier, one after the other, each for the protection
    // and while its data is sent (see below: 3 ticks on average; 60 with a probability of 1e-10).
    const Time longest = (d.plan.protection() + 60 * p.slot_length) * (2 * std::int64_t{slots} * nodes);
    for (int tick = 0; tick < 400; ++tick) {
      PortSet inputs(nodes), outputs(nodes);
      std::vector<Connection> worms;
      if (!keeps_unused && random.below(3) == 0) {
        const Connection worm{static_cast<Port>(random.below(nodes)), static_cast<Port>(random.below(nodes))};
        inputs.set(worm.source);
        outputs.set(worm.destination);
        if (random.below(2) == 0) {
          worms.push_back(worm);
          d.plan.add_worm(worm, d.now);
        }
      }
      d.plan.leave_to_worms(inputs, outputs);
      for (std::uint32_t s = 0; s < slots; ++s)
        for (const Connection c : d.schedule[s].connections()) {
          const bool waits = d.wanted[s].test(c.source);
          if (!waits && random.below(6) == 0) {
            const Time due = d.now + nanoseconds(static_cast<std::int64_t>(random.below(500)));
            d.wait(s, c.source, due);
            waits_since[{s, c.source}] = due;
          } else if (waits && d.circuits.holds(c) && random.below(3) == 0) {
            d.end(s, c.source);
            waits_since.erase({s, c.source});
          }
        }
      if (random.below(3) == 0)
        d.plan.expect(static_cast<Port>(random.below(nodes)), static_cast<Port>(random.below(nodes)));
      const Circuits used = d.tick(static_cast<std::uint32_t>(random.below(slots)));
      for (const Connection c : d.circuits.connections()) {
        bool known = false, wanted = false;
        for (std::uint32_t s = 0; s < slots; ++s) {
          known = known || d.schedule[s].holds(c);
          wanted = wanted || (d.schedule[s].holds(c) && d.wanted[s].test(c.source));
        }
        EXPECT_TRUE(known) << "seed " << seed << ": a circuit that is not in the schedule";
        EXPECT_EQ(d.parked_sources.test(c.source), !wanted) << "seed " << seed;
        if (!wanted) {
          EXPECT_FALSE(inputs.test(c.source) || outputs.test(c.destination)) << "seed " << seed;
        }
      }
      for (std::uint32_t s = 0; s < slots; ++s)
        for_each_port(d.wanted[s].words(), [&](Port source) {
          const Connection c{source, d.schedule[s].destination_of(source)};
          const bool worm_there = std::any_of(worms.begin(), worms.end(), [&](Connection w) {
            return w.source == c.source || w.destination == c.destination;
          });
          EXPECT_FALSE(d.circuits.fits(c) && !worm_there) << "seed " << seed << ": idle while data waits";
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

// ---- Fat trees

/// A link of a fat tree: direction, level, the subtree at its lower end and the ports up to it.
using Link = std::vector<std::uint32_t>;

/// The links that `c` uses with these ports up from levels 0, 1, ...
std::vector<Link> links_of(const FatTreeShape& tree, Connection c, std::span<const std::uint16_t> up) {
  std::vector<Link> links;
  std::uint32_t source = c.source / tree.down, destination = c.destination / tree.down;
  for (std::uint32_t level = 0; source != destination; ++level) {
    Link rising{0, level, source}, falling{1, level, destination};
    for (Link* const link : {&rising, &falling})
      link->insert(link->end(), up.begin(), up.begin() + level + 1);
    links.push_back(rising);
    links.push_back(falling);
    source /= tree.down;
    destination /= tree.down;
  }
  return links;
}

/// Whether some path of `c` has no link in `taken`.
bool has_free_path(const FatTreeShape& tree, Connection c, const std::set<Link>& taken,
                   std::vector<std::uint16_t>& up) {
  if (up.size() == tree.levels - 1) {
    const auto links = links_of(tree, c, up);
    return std::none_of(links.begin(), links.end(), [&](const Link& link) { return taken.count(link) != 0; });
  }
  bool found = false;
  for (std::uint16_t port = 0; port < tree.up && !found; ++port) {
    up.push_back(port);
    found = has_free_path(tree, c, taken, up);
    up.pop_back();
  }
  return found;
}

TEST(CircuitPlan, InAFatTreeNoLinkHasTwoCircuitsAndNoWaitingOneThatFitsIsLeftOut) {
  int left_out = 0, moved = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    SwitchParameters p = plan_parameters(0, 3, seed % 2 == 0 ? Time{} : nanoseconds(50));
    p.tree = {static_cast<std::uint32_t>(2 + random.below(2)),
              static_cast<std::uint32_t>(1 + random.below(3)),
              static_cast<std::uint32_t>(2 + random.below(2))};
    p.nodes = FatTree(p.tree).nodes();
    PlanDriver d(p, true);
    std::map<Port, TreePath> before;
    for (int tick = 0; tick < 60; ++tick) {
      const auto slot = static_cast<std::uint32_t>(random.below(p.slots));
      const Connection c{static_cast<Port>(random.below(p.nodes)), static_cast<Port>(random.below(p.nodes))};
      if (c.source != c.destination && d.schedule[slot].fits(c) &&
          std::none_of(d.schedule.begin(), d.schedule.end(), [&](const auto& s) { return s.holds(c); })) {
        d.hold(slot, c);
        d.wait(slot, c.source);
      } else if (d.wanted[slot].test(c.source)) {
        d.end(slot, c.source);
      } else if (random.below(20) == 0) {
        d.plan.note_worms_only();
        before.clear();
      }
      d.tick(slot);

      std::set<Link> taken;
      for (const Connection held : d.circuits.connections())
        for (const Link& link : links_of(p.tree, held, d.plan.path_of(held.source).up))
          EXPECT_TRUE(taken.insert(link).second) << "two circuits on a link";
      for (std::uint32_t s = 0; s < p.slots; ++s)
        for (const Connection waiting : d.schedule[s].connections()) {
          if (!d.wanted[s].test(waiting.source) || d.circuits.holds(waiting)) continue;
          ++left_out;
          std::vector<std::uint16_t> up;
          EXPECT_FALSE(d.circuits.fits(waiting) && has_free_path(p.tree, waiting, taken, up));
        }
      // A circuit is fresh exactly if the fabric did not have it on this path.
      std::map<Port, TreePath> after;
      for (const Connection held : d.circuits.connections()) {
        const TreePath& path = after[held.source] = d.plan.path_of(held.source);
        const bool fresh = std::find(d.fresh.begin(), d.fresh.end(), held) != d.fresh.end();
        const auto known = before.find(held.source);
        const bool same = known != before.end() && known->second == path && d.held_before.holds(held);
        EXPECT_NE(fresh, same);
        moved += known != before.end() && d.held_before.holds(held) && !same;
      }
      d.held_before = d.circuits;
      before = after;
    }
  }
  EXPECT_GT(left_out, 100);
  EXPECT_GT(moved, 0) << "no circuit had to change its path";
}

}  // namespace
}  // namespace hybrid
