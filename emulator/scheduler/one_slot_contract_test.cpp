// Every registered algorithm that can run in the loop, checked against the contract of scheduler.h.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/testing/allocation_count.h"
#include "core/testing/random_cases.h"
#include "emulator/scheduler/testing/slots.h"

namespace hybrid {
namespace {

std::unique_ptr<Scheduler> scheduler_of(const std::string& name, std::size_t ports, std::uint32_t steps) {
  return make_one_slot_scheduler(name, {static_cast<std::uint32_t>(ports), 1, steps});
}

/// Calls `check(state, random)` for random and hard slots of many sizes, among them those next to a multiple
/// of a word's bits.
void for_all_slots(const std::function<void(SlotState&, Random&)>& check) {
  for (const std::size_t ports : {1, 2, 3, 5, 16, 31, 63, 64, 65, 100, 127, 128, 129, 200}) {
    Random random(ports);
    for (SlotState& state : hard_slots(ports)) check(state, random);
    for (std::uint64_t round = 0; round < random_cases(ports < 40 ? 20 : 3); ++round) {
      const auto percent = static_cast<unsigned>(random.below(2) == 0 ? random.below(101) : random.below(8));
      SlotState state = random_slots(ports, 1 + random.below(3), percent, random);
      check(state, random);
    }
  }
}

// The tests of this folder find the algorithms of each interface through the registry: a new algorithm is
// tested without a change of the tests.
TEST(OneSlotContract, EveryRegisteredAlgorithmHasAnInterfaceThatIsTested) {
  const auto names = registered_names(SchedulingAlgorithm::kKind);
  ASSERT_FALSE(names.empty());
  for (const std::string_view name : names) {
    const auto algorithm = SchedulerRegistration::make(name);
    EXPECT_TRUE(algorithm->schedules_one_slot() || algorithm->slot_fitter() || algorithm->demand() ||
                algorithm->fat_tree({2, 2, 2}, 1) || algorithm->tree_slot_fitter({2, 2, 2}))
        << name;
  }
  EXPECT_FALSE(one_slot_names().empty());
}

TEST(OneSlotContract, PassesKeepTheContractAndReachRest) {
  for (const std::string& name : one_slot_names())
    for (const std::uint32_t steps : {0u, 1u, 3u})
      for_all_slots([&](SlotState& state, Random& random) {
        if (testing::Test::HasFatalFailure()) return;
        const std::size_t s = random.below(state.slots.size());
        const auto scheduler = scheduler_of(name, state.ports(), steps);
        std::size_t passes = 0;
        for (bool rest = false; !rest; ++passes) {
          const auto toggles = scheduler->pass(state.pass(s, any_priority(state.ports(), random)));
          ASSERT_EQ(fault_of(state, s, toggles), "") << name << " at " << state.ports() << " ports";
          rest = toggles.empty();
          state.toggle(s, toggles);
          ASSERT_LE(passes, state.ports() + 1) << name;
        }
      });
}

TEST(OneSlotContract, TheSameCallsGiveTheSameToggles) {
  for (const std::string& name : one_slot_names())
    for_all_slots([&](SlotState& state, Random& random) {
      const auto a = scheduler_of(name, state.ports(), 0), b = scheduler_of(name, state.ports(), 0);
      for (int pass = 0; pass < 3; ++pass) {
        const auto in = state.pass(0, any_priority(state.ports(), random));
        const auto first = a->pass(in), second = b->pass(in);
        ASSERT_TRUE(std::equal(first.begin(), first.end(), second.begin(), second.end())) << name;
        if (pass == 1) state.toggle(0, first);
      }
    });
}

// State that an algorithm keeps after a pass must not affect the next pass, over another slot.
TEST(OneSlotContract, InputsWithoutWorkMayBeOmitted) {
  for (const std::string& name : one_slot_names()) {
    std::vector<std::unique_ptr<Scheduler>> with_all(1), with_some(1);
    for_all_slots([&](SlotState& state, Random& random) {
      const std::size_t n = state.ports();
      while (with_all.size() <= n) {
        with_all.emplace_back();
        with_some.emplace_back();
      }
      if (!with_all[n]) {
        with_all[n] = scheduler_of(name, n, 0);
        with_some[n] = scheduler_of(name, n, 0);
      }
      const auto priority = any_priority(n, random);
      const auto all = with_all[n]->pass(state.pass(0, priority));
      PortSet working(n);
      for (Port u = 0; u < n; ++u)
        for (Port v = 0; v < n; ++v)
          if (state.requests.test(u, v) != state.established.test(u, v)) working.set(u);
      const auto some = with_some[n]->pass(state.pass(0, priority, working));
      ASSERT_TRUE(std::equal(all.begin(), all.end(), some.begin(), some.end())) << name << " at " << n;
    });
  }
}

TEST(OneSlotContract, OpenWordsAreOptional) {
  for (const std::string& name : one_slot_names())
    for (const std::size_t ports : {20, 128, 200, 1000}) {
      Random random(ports);
      SlotState state(ports, 2);
      for (std::size_t i = 0; i < ports; ++i)
        state.hold(i % 2, {static_cast<Port>(random.below(ports)), static_cast<Port>(random.below(ports))});
      const auto without_words = scheduler_of(name, ports, 0), with_words = scheduler_of(name, ports, 0);
      for (int pass = 0; pass < 6; ++pass) {
        for (std::size_t i = 0; i < 2 * ports; ++i)
          state.requests.set(random.below(ports), random.below(ports));
        for (std::size_t u = 0; u < ports; ++u)
          if (random.below(2) == 0)
            for (Word& word : state.requests.row(u)) word = 0;
        SchedulingPass in = state.pass(0, any_priority(ports, random));
        const BitMatrix open_words = open_words_of(in.open);
        const auto one = without_words->pass(in);
        in.open_words = &open_words;
        const auto other = with_words->pass(in);
        ASSERT_FALSE(one.empty());
        ASSERT_TRUE(std::equal(one.begin(), one.end(), other.begin(), other.end()))
            << name << " at " << ports;
        state.toggle(0, one);
      }
    }
}

TEST(OneSlotContract, PassesAllocateNothing) {
  for (const std::string& name : one_slot_names())
    for (const std::size_t ports : {20, 128, 200}) {
      Random random(1);
      SlotState state = random_slots(ports, 2, 10, random);
      const auto scheduler = scheduler_of(name, ports, 0);
      const std::size_t before = allocation_count().calls;
      for (Port pass = 0; pass < 4; ++pass) state.toggle(0, scheduler->pass(state.pass(0, {pass, pass})));
      EXPECT_EQ(allocation_count().calls, before) << name;
    }
}

TEST(OneSlotContract, TheCheckerFindsEveryFault) {
  SlotState state(4, 2);
  ASSERT_TRUE(state.hold(0, {0, 0}));
  ASSERT_TRUE(state.hold(0, {1, 1}));
  ASSERT_TRUE(state.hold(1, {2, 2}));
  for (const Connection c : {Connection{0, 0}, {2, 2}, {2, 3}, {3, 3}, {2, 1}})
    state.requests.set(c.source, c.destination);
  const auto fault = [&](std::vector<Connection> toggles) { return fault_of(state, 0, toggles); };
  EXPECT_EQ(fault({{1, 1}, {2, 1}}), "");
  EXPECT_EQ(fault({{2, 3}}), "");
  EXPECT_NE(fault({}), "");
  EXPECT_NE(fault({{2, 4}}), "") << "no such port";
  EXPECT_NE(fault({{0, 0}}), "") << "requested";
  EXPECT_NE(fault({{3, 2}}), "") << "not requested";
  EXPECT_NE(fault({{2, 2}}), "") << "in another slot";
  EXPECT_NE(fault({{2, 1}}), "") << "output busy";
  EXPECT_NE(fault({{2, 1}, {1, 1}}), "") << "output busy until the next toggle";
  EXPECT_NE(fault({{2, 3}, {3, 3}}), "") << "output taken by this pass";
  EXPECT_NE(fault({{2, 3}, {2, 3}}), "") << "toggled twice";
}

TEST(OneSlotContract, AnUnknownAlgorithmIsRefused) {
  EXPECT_THROW(make_one_slot_scheduler("exakt", {4}), UserError);
}

}  // namespace
}  // namespace hybrid
