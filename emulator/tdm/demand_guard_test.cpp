// With all slots preloaded, they are "not effected by either predicted communication requests or demanding
// communication requests" (D 3.3.3); still, a message without a preloaded connection is delivered.
#include <gtest/gtest.h>

#include <vector>

#include "emulator/ticked/script.h"

namespace hybrid {
namespace {

SwitchParameters two_slots() {
  SwitchParameters p;
  p.technique = "tdm";
  p.nodes = 4;
  p.slots = 2;
  p.allocation = "ses";
  return p;
}

Action preload(std::uint32_t slot, std::initializer_list<Connection> connections) {
  Configuration configuration(4);
  for (const Connection c : connections) configuration.add(c);
  return {Action::What::preload, {}, {}, slot, configuration, kNoPort};
}

TEST(PreloadedSlots, AreKeptWhileTheyAreInUse) {
  // Both slots carry data for 80 us; a third connection of the same port waits meanwhile.
  const std::vector<Action> script{preload(0, {{0, 1}}),
                                   preload(1, {{2, 3}}),
                                   Action::send(microseconds(1), 0, {0, 1}, 32'000),
                                   Action::send(microseconds(1), 1, {2, 3}, 32'000),
                                   Action::send(microseconds(2), 2, {1, 2}, 8),
                                   Action::send(microseconds(50), 3, {0, 1}, 8),
                                   Action::send(microseconds(50), 4, {2, 3}, 8)};
  const auto technique = TechniqueRegistration::make("tdm", two_slots());
  const Recorder run = run_script(*technique, script, milliseconds(1));
  EXPECT_TRUE(run.outcomes[3].hit);
  EXPECT_TRUE(run.outcomes[4].hit);
  EXPECT_GT(run.outcomes[2].delivered, run.outcomes[3].delivered) << "it waits until a slot is idle";
}

TEST(PreloadedSlots, TheSlotIdleForLongestIsReleasedForAWaitingConnection) {
  const std::vector<Action> script{preload(0, {{0, 1}}),
                                   preload(1, {{2, 3}}),
                                   Action::send(microseconds(1), 0, {0, 1}, 8),
                                   Action::send(microseconds(10), 1, {2, 3}, 8),
                                   Action::send(microseconds(20), 2, {1, 2}, 8),
                                   Action::send(microseconds(30), 3, {2, 3}, 8),
                                   Action::send(microseconds(40), 4, {0, 1}, 8)};
  const auto technique = TechniqueRegistration::make("tdm", two_slots());
  const Recorder run = run_script(*technique, script, milliseconds(1));
  EXPECT_TRUE(run.outcomes[0].hit);
  EXPECT_FALSE(run.outcomes[2].hit);
  EXPECT_LT(run.outcomes[2].delivered, microseconds(25));
  EXPECT_TRUE(run.outcomes[3].hit) << "slot 1 is kept";
  EXPECT_FALSE(run.outcomes[4].hit) << "slot 0 was released";
}

/// Without the guard only the predictor releases the circuit that blocks: here 50 us after its last use.
TEST(DemandGuard, IsOptional) {
  const std::vector<Action> script{Action::send(microseconds(1), 0, {0, 1}, 8),
                                   Action::send(microseconds(5), 1, {2, 1}, 8)};
  for (const bool guarded : {true, false}) {
    SwitchParameters p = two_slots();
    p.slots = 1;
    p.predictor_timeout = microseconds(50);
    p.demand_guard = guarded;
    const auto technique = TechniqueRegistration::make("tdm", p);
    const Recorder run = run_script(*technique, script, milliseconds(1));
    ASSERT_NE(run.outcomes[1].delivered, Time{-1});
    EXPECT_EQ(run.outcomes[1].delivered < microseconds(10), guarded);
    EXPECT_LT(run.outcomes[1].delivered, microseconds(60));
  }
}

/// While a request waits for a reconfiguration of 10 ms, the guard makes at most 256 attempts.
TEST(DemandGuard, MakesFewAttemptsInAReconfiguration) {
  SwitchParameters p = two_slots();
  apply_preset("ocs-mems-400g", p, true);
  p.slots = 1;
  const auto technique = TechniqueRegistration::make("tdm", p);
  technique->send({}, {0, {0, 1}, 8});
  technique->send({}, {1, {2, 1}, 8});
  Recorder recorder(2);
  std::uint64_t instants = 0;
  for (; recorder.order.size() < 2 && instants < 4 * 256; ++instants)
    technique->advance(technique->next_event(), recorder);
  EXPECT_GT(recorder.outcomes[1].delivered, 2 * p.fabric_reconfiguration());
}

}  // namespace
}  // namespace hybrid
