#include "emulator/tdm/working_set_store.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "emulator/scheduler/model_port.h"
#include "emulator/ticked/script.h"

namespace hybrid {
namespace {

constexpr std::uint32_t kStorePorts = 8, kStoreSlots = 2;

/// Connects every port to the port r positions further.
Configuration shifted(std::uint32_t r) {
  Configuration configuration(kStorePorts);
  for (Port p = 0; p < kStorePorts; ++p) configuration.add({p, (p + r) % kStorePorts});
  return configuration;
}

/// The slots of a switch, and the load commands that it received.
struct Slots {
  std::vector<Configuration> content{kStoreSlots, Configuration(kStorePorts)};
  std::vector<std::uint32_t> loaded;
  WorkingSetStore::Load load() {
    return [this](std::uint32_t slot, const Configuration& c) {
      loaded.push_back(slot);
      content.at(slot) = c;
    };
  }
};

WorkingSetStore stored() {
  WorkingSetStore store(kStorePorts, kStoreSlots);
  store.store("loop", {shifted(1), shifted(7)});
  store.store("branch", {shifted(4)});
  store.store("inner", {shifted(2), shifted(3)});
  return store;
}

TEST(WorkingSetStore, ASecondLevelIsSwappedInAndOut) {
  WorkingSetStore store = stored();
  Slots slots;
  EXPECT_EQ(store.current(), nullptr);
  store.load_first("loop", slots.load());
  EXPECT_EQ(slots.content, (std::vector<Configuration>{shifted(1), shifted(7)}));
  store.swap_in("branch", slots.load());
  EXPECT_EQ(*store.current(), "branch");
  // No connection of the loop remains: the second slot is returned to the scheduler.
  EXPECT_EQ(slots.content, (std::vector<Configuration>{shifted(4), Configuration(kStorePorts)}));
  store.swap_in("inner", slots.load());
  EXPECT_EQ(slots.content, (std::vector<Configuration>{shifted(2), shifted(3)}));
  store.swap_out(slots.load());
  EXPECT_EQ(slots.content[0], shifted(4));
  store.swap_out(slots.load());
  EXPECT_EQ(*store.current(), "loop");
  EXPECT_EQ(slots.content, (std::vector<Configuration>{shifted(1), shifted(7)}));
  EXPECT_EQ(slots.loaded, (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_THROW(store.swap_out(slots.load()), std::logic_error);
}

TEST(WorkingSetStore, AnEqualSetWithAnotherNameIsNotLoadedAgain) {
  WorkingSetStore store = stored();
  store.store("as the loop", {shifted(1), shifted(7)});
  Slots slots;
  store.load_first("loop", slots.load());
  store.load_first("as the loop", slots.load());
  EXPECT_EQ(slots.loaded.size(), kStoreSlots);
  EXPECT_EQ(*store.current(), "as the loop");
  store.flushed();
  store.load_first("loop", slots.load());
  EXPECT_EQ(slots.loaded.size(), 2 * kStoreSlots);
}

TEST(WorkingSetStore, TheCurrentSetIsNotLoadedAgainUntilAFlush) {
  WorkingSetStore store = stored();
  Slots slots;
  store.load_first("loop", slots.load());
  store.load_first("loop", slots.load());
  store.swap_in("loop", slots.load());
  store.swap_out(slots.load());
  EXPECT_EQ(slots.loaded.size(), kStoreSlots);
  store.flushed();
  store.load_first("loop", slots.load());
  EXPECT_EQ(slots.loaded.size(), 2 * kStoreSlots);
  store.swap_in("branch", slots.load());
  store.flushed();
  slots.content.assign(kStoreSlots, Configuration(kStorePorts));
  store.swap_out(slots.load());
  EXPECT_EQ(slots.content, (std::vector<Configuration>{shifted(1), shifted(7)}));
}

TEST(WorkingSetStore, ASetBelowTheCurrentOneCanBeSwappedOutByName) {
  WorkingSetStore store = stored();
  Slots slots;
  store.load_first("loop", slots.load());
  for (const char* name : {"branch", "inner", "branch"}) store.swap_in(name, slots.load());
  const std::size_t loaded = slots.loaded.size();
  store.swap_out("loop", slots.load());
  EXPECT_EQ(*store.current(), "branch") << "the first level is not swapped in";
  EXPECT_EQ(slots.loaded.size(), loaded);
  store.swap_out("branch", slots.load());
  EXPECT_EQ(*store.current(), "inner");
  EXPECT_EQ(slots.content[0], shifted(2));
  store.swap_out("branch", slots.load());
  EXPECT_EQ(*store.current(), "inner") << "the other set was below";
  EXPECT_EQ(slots.loaded.size(), loaded + kStoreSlots);
  store.swap_out("inner", slots.load());
  EXPECT_EQ(*store.current(), "loop");
  EXPECT_EQ(slots.content[0], shifted(1));
}

TEST(WorkingSetStore, WithoutAFirstLevelTheSlotsAreReturnedToTheScheduler) {
  WorkingSetStore store = stored();
  Slots slots;
  store.swap_in("branch", slots.load());
  EXPECT_EQ(slots.content[0], shifted(4));
  store.swap_out(slots.load());
  EXPECT_EQ(slots.content,
            (std::vector<Configuration>{Configuration(kStorePorts), Configuration(kStorePorts)}));
  EXPECT_EQ(store.current(), nullptr);
}

TEST(WorkingSetStore, RefusesSetsThatDoNotFit) {
  WorkingSetStore store = stored();
  EXPECT_TRUE(store.stored("inner"));
  EXPECT_FALSE(store.stored("outer"));
  EXPECT_THROW(store.store("outer", {shifted(1), shifted(2), shifted(3)}), UserError);
  EXPECT_THROW(store.store("outer", {Configuration(kStorePorts + 1)}), UserError);
  EXPECT_THROW(store.store("loop", {shifted(1)}), UserError);
  Slots slots;
  EXPECT_THROW(store.swap_in("outer", slots.load()), std::out_of_range);
  EXPECT_TRUE(slots.loaded.empty());
}

// With a technique: a loop sends to the next port. Every fourth time the condition is true, and the branch
// sends across. `stores`: the working set of the branch is stored, and swapped in when the condition is true.
std::pair<std::vector<Outcome>, TechniqueStatistics> run_loop(bool stores) {
  SwitchParameters p;
  p.technique = "tdm";
  p.nodes = kStorePorts;
  p.slots = p.preload = 2;
  p.predictor = "none";
  WorkingSetStore store(kStorePorts, 2);
  store.store("loop", {shifted(1), shifted(7)});
  store.store("branch", {shifted(4), shifted(1)});
  std::vector<Action> script;
  std::uint64_t id = 0;
  Time now{};
  const WorkingSetStore::Load load = [&](std::uint32_t slot, const Configuration& c) {
    Action action;
    action.what = Action::What::preload;
    action.at = now;
    action.slot = slot;
    action.configuration = c;
    script.push_back(action);
  };
  const auto send = [&](std::uint32_t r) {
    for (Port port = 0; port < kStorePorts; ++port) {
      Action action;
      action.at = now;
      action.message = {id++, {port, (port + r) % kStorePorts}, 64};
      script.push_back(action);
    }
  };
  store.load_first("loop", load);
  for (int i = 0; i < 8; ++i) {
    now += microseconds(1);
    send(1);
    if (i % 4 != 3) continue;
    now += microseconds(1);
    if (stores) store.swap_in("branch", load);
    now += microseconds(1);
    send(4);
    now += microseconds(1);
    if (stores) store.swap_out(load);
  }
  const auto technique = TechniqueRegistration::make(p.technique, p);
  Recorder recorder = run_script(*technique, script, microseconds(1000));
  return {std::move(recorder.outcomes), technique->statistics()};
}

TEST(WorkingSetStore, BranchAndLoopBothHaveTheirCircuits) {
  const auto [with, counted] = run_loop(true);
  ASSERT_EQ(with.size(), 80u);
  for (const Outcome& o : with) EXPECT_TRUE(o.delivered != Time{-1} && o.hit);
  // The first level; two slots in, out and in again; the last swap out is after the last delivery.
  EXPECT_EQ(counted.preloads, 2u + 3 * 2);
  EXPECT_EQ(counted.requests, 0u);

  const auto [without, missed] = run_loop(false);
  std::uint64_t hits = 0;
  for (const Outcome& o : without) hits += o.hit ? 1 : 0;
  EXPECT_GT(missed.requests, 0u);
  EXPECT_LT(hits, 80u - kStorePorts + 1);
}

// With a scheduler port.
TEST(WorkingSetStore, ASchedulerPortEstablishesTheCurrentSet) {
  SwitchParameters p;
  p.nodes = kStorePorts;
  p.slots = kStoreSlots;
  const auto port = make_scheduler_port(p);
  WorkingSetStore store = stored();
  Time now{};
  std::vector<Configuration> schedule(kStoreSlots, Configuration(kStorePorts));
  const auto settle = [&] {
    std::vector<Grant> grants;
    now += microseconds(10);
    port->advance(now, grants);
    for (const Grant& g : grants) {
      Configuration& slot = schedule[g.slot];
      EXPECT_TRUE(g.kind == Grant::Kind::established ? slot.add(g.connection) : slot.remove(g.connection));
    }
  };
  const WorkingSetStore::Load load = [&](std::uint32_t slot, const Configuration& c) {
    port->preload(now, slot, c);
  };
  store.load_first("loop", load);
  settle();
  EXPECT_EQ(schedule, (std::vector<Configuration>{shifted(1), shifted(7)}));
  store.swap_in("branch", load);
  settle();
  EXPECT_EQ(schedule, (std::vector<Configuration>{shifted(4), Configuration(kStorePorts)}));
  port->request(now, {0, 5});
  settle();
  EXPECT_TRUE(schedule[1].holds({0, 5})) << "the scheduler uses slots that the set does not need";
  store.swap_out(load);
  settle();
  EXPECT_EQ(schedule, (std::vector<Configuration>{shifted(1), shifted(7)}));
}

}  // namespace
}  // namespace hybrid
