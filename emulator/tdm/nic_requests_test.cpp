// Duration of the use of a connection (D 5.2.2): until the last word has left, over a circuit or as worms.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "emulator/ticked/script.h"
#include "predictor/predictor.h"
#include "predictor/reference_predictors.h"

namespace hybrid {
namespace {

SwitchParameters switch_with_time_out(const std::string& technique, Time timeout) {
  SwitchParameters p;
  p.technique = technique;
  p.nodes = 4;
  p.allocation = "ses";
  p.predictor_timeout = timeout;
  return p;
}

class UseOfCircuits : public testing::TestWithParam<const char*> {};

// 16,000 bytes are on the link for 20 us, twice the time-out.
TEST_P(UseOfCircuits, ACircuitIsHeldForTheTimeOutAfterALongMessage) {
  for (const std::int64_t pause : {5, 15}) {
    SCOPED_TRACE(pause);
    const SwitchParameters p = switch_with_time_out(GetParam(), microseconds(10));
    const auto technique = TechniqueRegistration::make(p.technique, p);
    const Recorder first = run_script(*technique, {Action::send({}, 0, {0, 1}, 16'000)}, milliseconds(1));
    ASSERT_NE(first.outcomes[0].delivered, Time{-1});
    const Time again = first.outcomes[0].delivered + microseconds(pause);
    const auto twice = TechniqueRegistration::make(p.technique, p);
    const Recorder both = run_script(
        *twice, {Action::send({}, 0, {0, 1}, 16'000), Action::send(again, 1, {0, 1}, 64)}, milliseconds(1));
    EXPECT_EQ(both.outcomes[1].hit, pause < 10);
  }
}

// In the hybrid switch the first, unpredicted message travels as worms; its circuit waits meanwhile.
TEST_P(UseOfCircuits, AStreamOfLongMessagesHasItsCircuitFromTheSecondMessageOn) {
  const SwitchParameters p = switch_with_time_out(GetParam(), microseconds(10));
  std::vector<Action> script;
  for (std::uint64_t id = 0; id < 8; ++id)
    script.push_back(Action::send(microseconds(100) * static_cast<std::int64_t>(id), id, {0, 1}, 16'000));
  const auto technique = TechniqueRegistration::make(p.technique, p);
  SwitchParameters patient = p;
  patient.predictor_timeout = microseconds(85);
  const auto kept = TechniqueRegistration::make(p.technique, patient);
  const Recorder impatient_run = run_script(*technique, script, milliseconds(1));
  const Recorder patient_run = run_script(*kept, script, milliseconds(1));
  for (std::uint64_t id = 1; id < 8; ++id) {
    EXPECT_FALSE(impatient_run.outcomes[id].hit) << "50 us and more after the last word";
    EXPECT_TRUE(patient_run.outcomes[id].hit)
        << "100 us after the offer, but 80 us after the last word at most";
  }
}

// The flush comes while the data of the second message is on the circuit.
TEST_P(UseOfCircuits, ACircuitThatDataRequestsAgainAfterAFlushHasTheTimeOut) {
  for (const std::int64_t pause : {5, 15}) {
    SCOPED_TRACE(pause);
    const SwitchParameters p = switch_with_time_out(GetParam(), microseconds(10));
    std::vector<Action> script{Action::send({}, 0, {0, 1}, 64),
                               Action::send(microseconds(5), 1, {0, 1}, 16'000),
                               {Action::What::flush, microseconds(15), {}, 0, {}, 0}};
    const auto technique = TechniqueRegistration::make(p.technique, p);
    const Recorder first = run_script(*technique, script, milliseconds(1));
    ASSERT_TRUE(first.outcomes[1].hit);
    ASSERT_GT(first.outcomes[1].delivered, microseconds(20));
    script.push_back(Action::send(first.outcomes[1].delivered + microseconds(pause), 2, {0, 1}, 64));
    const auto again = TechniqueRegistration::make(p.technique, p);
    EXPECT_EQ(run_script(*again, script, milliseconds(1)).outcomes[2].hit, pause < 10);
  }
}

TEST(UseAfterAFlush, EveryPredictorReleasesACircuitWhenItsDataHasLeft) {
  std::size_t predictors = 0;
  for (const std::string_view name : registered_names(Predictor::kKind)) {
    if (name == kOracle) continue;  // it needs to know all sends in advance
    SCOPED_TRACE(name);
    SwitchParameters p = switch_with_time_out("tdm", microseconds(10));
    p.predictor = name;
    p.demand_guard = false;
    const auto technique = TechniqueRegistration::make(p.technique, p);
    const Recorder r = run_script(*technique,
                                  {Action::send({}, 0, {0, 1}, 16'000),
                                   {Action::What::flush, microseconds(5), {}, 0, {}, 0},
                                   Action::send(microseconds(100), 1, {0, 1}, 64)},
                                  milliseconds(1));
    EXPECT_GT(r.outcomes[0].delivered, microseconds(20));
    EXPECT_FALSE(r.outcomes[1].hit);
    ++predictors;
  }
  EXPECT_GT(predictors, 5U);
}

// 16,000 bytes, generated in 2 us, leave as worms for 20 us. They do not need a circuit, and the other
// connection needs the only slot.
TEST(UseByWorms, DoesNotKeepASlotThatIsNeeded) {
  for (const char* predictor : {"lru", "timeout"}) {
    SwitchParameters p = switch_with_time_out("hybrid", microseconds(100));
    p.predictor = predictor;
    p.slots = 1;
    p.word_generation = nanoseconds(1);
    const auto technique = TechniqueRegistration::make(p.technique, p);
    const Recorder r =
        run_script(*technique,
                   {Action::send({}, 0, {0, 1}, 16'000), Action::send(microseconds(1), 1, {0, 2}, 64),
                    Action::send(microseconds(10), 2, {0, 2}, 64)},
                   milliseconds(1));
    EXPECT_GT(r.outcomes[0].delivered, microseconds(20)) << predictor;
    EXPECT_FALSE(r.outcomes[1].hit) << predictor;
    EXPECT_TRUE(r.outcomes[2].hit) << predictor;
  }
}

INSTANTIATE_TEST_SUITE_P(Techniques, UseOfCircuits, testing::Values("tdm", "hybrid"));

}  // namespace
}  // namespace hybrid
