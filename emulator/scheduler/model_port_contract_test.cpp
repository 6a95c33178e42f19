// The embedded scheduler under random calls, checked against the contract of core/scheduler_port.h,
// independently of the model.
#include "emulator/scheduler/model_port.h"
#include "emulator/scheduler/testing/port_contract.h"
#include "emulator/scheduler/testing/slots.h"

namespace hybrid {
namespace {

/// Checks the state at rest: preloaded slots hold their configuration; the other slots hold requested
/// connections only; requests that are not established fit into none of them.
void check_rest(const GrantReplay& replay, const ExpectedRequests& expected, std::uint64_t seed) {
  for (std::size_t s = 0; s < replay.slots().size(); ++s) {
    const Configuration& slot = replay.slots()[s];
    const Configuration& preloaded = expected.preloaded()[s];
    if (!preloaded.empty()) {
      ASSERT_EQ(slot, preloaded) << "seed " << seed << " slot " << s;
      continue;
    }
    for (const Connection& c : slot.connections()) ASSERT_TRUE(expected.is_requested(c)) << "seed " << seed;
    for (const Connection& c : expected.all_requested())
      if (!replay.holds(c)) {
        ASSERT_FALSE(slot.fits(c)) << "seed " << seed;
      }
  }
}

SwitchParameters contract_parameters(const std::string& scheduler, std::uint32_t nodes, std::uint32_t slots,
                                     std::uint32_t latency) {
  SwitchParameters p = port_parameters(nodes, slots, latency);
  p.scheduler_name = scheduler;
  return p;
}

/// Checks the contract for the calls of one seed.
void check_contract(const std::string& name, std::uint64_t seed) {
  Random shape(seed);
  const auto n = static_cast<std::uint32_t>(1 + shape.below(seed % 10 == 0 ? 140 : 12));
  // Some with more slots than the model searches one by one.
  const auto k = static_cast<std::uint32_t>(1 + shape.below(5) + (seed % 7 == 0 ? 16 : 0));
  const auto latency = static_cast<std::uint32_t>(shape.below(4));
  SwitchParameters p = contract_parameters(name, n, k, latency);
  p.preload_is_direct = seed % 3 == 1;
  const auto port = make_scheduler_port(p);
  GrantReplay replay(n, k);
  ExpectedRequests expected(n, k, p.scheduler.delay(), p.preload_is_direct);
  const auto see = [&](Time until) {
    std::vector<Grant> grants;
    const Time bound = port->next_change();
    port->advance(until, grants);
    for (const Grant& g : grants) {
      ASSERT_LE(g.at, until);
      ASSERT_GE(g.at, bound) << "earlier than next_change() allowed";
      ASSERT_NO_FATAL_FAILURE(replay.apply(g)) << "seed " << seed;
      if (expected.preloads_at(g.at)) continue;
      const Time edge = g.at - kPortCycle * latency;
      ASSERT_EQ(next_edge(edge, kPortCycle), edge);
      if (expected.all_may_change(edge)) continue;
      ASSERT_EQ(expected.was_requested(g.connection, edge), g.kind == Grant::Kind::established)
          << "seed " << seed;
    }
  };
  Time now{};
  for (const PortCall& call : random_port_calls(seed, n, k)) {
    // Advance to just before the call: without latency, advancing to an edge includes its pass.
    if (call.at > now) {
      ASSERT_NO_FATAL_FAILURE(see(call.at - picoseconds(1)));
    }
    now = call.at;
    make_call(*port, call);
    expected.apply_call(call);
  }
  for (Time t = port->next_change(); t != Time::never(); t = port->next_change())
    ASSERT_NO_FATAL_FAILURE(see(t));
  check_rest(replay, expected, seed);
}

TEST(ModelPortContract, RandomCallsKeepTheContract) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) ASSERT_NO_FATAL_FAILURE(check_contract("greedy", seed));
}

TEST(ModelPortContract, EverySchedulerKeepsTheContract) {
  for (const std::string& name : one_slot_names())
    for (std::uint64_t seed = 1; seed <= 30; ++seed)
      ASSERT_NO_FATAL_FAILURE(check_contract(name, seed)) << name;
}

void check_advancing(const std::string& name, std::uint64_t seed) {
  Random random(seed);
  const std::uint32_t n = 1 + static_cast<std::uint32_t>(random.below(20));
  const std::uint32_t k = 1 + static_cast<std::uint32_t>(random.below(4));
  const auto p = contract_parameters(name, n, k, 1 + static_cast<std::uint32_t>(random.below(3)));
  const auto calls = random_port_calls(seed, n, k);
  const Time end = calls.back().at + microseconds(100);

  std::vector<Grant> in_one_step, step_by_step, at_random;
  const auto a = make_scheduler_port(p);
  for (const PortCall& call : calls) make_call(*a, call);
  a->advance(end, in_one_step);

  const auto b = make_scheduler_port(p);
  for (const PortCall& call : calls) {
    while (b->next_change() < call.at) b->advance(b->next_change(), step_by_step);
    make_call(*b, call);
  }
  while (b->next_change() <= end) b->advance(b->next_change(), step_by_step);

  const auto c = make_scheduler_port(p);
  Time now{};
  for (const PortCall& call : calls) {
    while (now < call.at) {
      now = std::min(call.at, now + picoseconds(static_cast<std::int64_t>(random.below(200'000))));
      c->advance(now, at_random);
    }
    make_call(*c, call);
  }
  c->advance(end, at_random);

  ASSERT_EQ(in_one_step, step_by_step) << "seed " << seed;
  ASSERT_EQ(in_one_step, at_random) << "seed " << seed;
  ASSERT_FALSE(in_one_step.empty());
}

TEST(ModelPortContract, TheStepsOfAdvancingDoNotMatter) {
  for (const std::string& name : one_slot_names())
    for (std::uint64_t seed = 1; seed <= (name == "greedy" ? 60 : 15); ++seed)
      ASSERT_NO_FATAL_FAILURE(check_advancing(name, seed)) << name;
}

}  // namespace
}  // namespace hybrid
