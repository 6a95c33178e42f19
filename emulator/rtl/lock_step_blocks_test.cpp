// Clocked blocks of RTL against their C++ models, clock by clock. A comparison serves all blocks with the
// same ports: a queue, a wormhole scheduler, a TDM cycle controller, a scheduler with its slots. The blocks
// are those that hybrid_block() of CMakeLists.txt registers for it. The one-slot schedulers are in
// lock_step_test.cpp, whole switches in lock_step_network_test.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "emulator/network/wormhole_scheduler.h"
#include "emulator/rtl/lock_step.h"
#include "emulator/scheduler/model_port.h"
#include "emulator/tdm/allocation.h"

namespace hybrid {
namespace {

/// A block after a reset, with the clock and the first difference.
struct BlockRun {
  RtlBlock& rtl;
  std::uint64_t clocks;
  std::uint64_t clock = 0;
  std::uint64_t events = 0;  // that a block must cause: words, grants, slots
  std::optional<Difference> difference{};

  /// Whether the run goes on to another clock.
  bool goes_on() const { return !difference && clock < clocks; }
  template <class Value>
  void compare(std::string_view signal, const Value& actual, const Value& expected) {
    if (!difference && actual != expected)
      difference = Difference{static_cast<std::int64_t>(clock), std::string(signal),
                              fmt::format("{}", actual), fmt::format("{}", expected)};
  }
};

/// Row u of a matrix of N x N bits.
std::vector<std::uint64_t> rows(const Signal& matrix, std::size_t ports, std::size_t first = 0) {
  std::vector<std::uint64_t> rows(ports);
  for (std::size_t u = 0; u < ports; ++u) rows[u] = bits(matrix, (first + u) * ports, ports);
  return rows;
}
std::uint64_t bit(Port port) { return std::uint64_t{1} << port; }
void set_connection(Signal& matrix, std::size_t ports, Connection c) {
  set_bits(matrix, c.source * ports + c.destination, 1, 1);
}

/// `fifo`: N queues of DEPTH words of up to 57 bits each, against std::deque. Phases that fill and phases
/// that drain.
void compare_queues(const RtlDesign& design, BlockRun& run) {
  const std::uint32_t queues = design.parameter("N"), depth = design.parameter("DEPTH");
  Random random(1);
  RtlBlock& rtl = run.rtl;
  std::vector<std::deque<std::uint64_t>> model(queues);
  for (; run.goes_on(); ++run.clock) {
    const std::uint64_t filling = (run.clock >> 10) % 9;
    const bool push = random.below(8) < filling, pull = random.below(8) < 8 - filling;
    const auto to = static_cast<std::uint32_t>(random.below(queues)),
               from = static_cast<std::uint32_t>(random.below(queues));
    const std::uint64_t word = random.below(bit(design.parameter("WIDTH")));
    rtl.push = push ? 1 : 0;
    rtl.pull = pull ? 1 : 0;
    rtl.destination = to;
    rtl.source = from;
    rtl.in = word;
    rtl.cycle();
    const bool pulls = pull && !model[from].empty();
    const bool pushes = push && (model[to].size() < depth || (pulls && from == to));
    if (pulls) {
      run.compare("out", bits(rtl.out, 0, design.parameter("WIDTH")), model[from].front());
      model[from].pop_front();
      ++run.events;
    }
    if (pushes) model[to].push_back(word);
    std::uint64_t full = 0, empty = 0;
    for (std::uint32_t q = 0; q < queues; ++q) {
      full |= model[q].size() == depth ? bit(q) : 0;
      empty |= model[q].empty() ? bit(q) : 0;
    }
    run.compare("full", bits(rtl.full, 0, queues), full);
    run.compare("empty", bits(rtl.empty, 0, queues), empty);
  }
}

/// `round-robin`: WormholeScheduler. Requests and releases come at random, from a few to more than the
/// outputs can serve; each clock has a pass or none.
void compare_wormhole_schedulers(const RtlDesign& design, BlockRun& run) {
  const Port ports = design.parameter("N");
  Random random(2);
  RtlBlock& rtl = run.rtl;
  WormholeScheduler model(ports);
  std::vector<Connection> held;
  std::vector<std::uint64_t> requests(ports), grants(ports);  // rows
  for (; run.goes_on(); ++run.clock) {
    rtl.request = 0;
    for (std::uint64_t i = random.below(1 + (run.clock >> 9) % 8); i > 0; --i) {
      const Connection c{static_cast<Port>(random.below(ports)), static_cast<Port>(random.below(ports))};
      model.request(c);
      set_connection(rtl.request, ports, c);
      requests[c.source] |= bit(c.destination);
    }
    std::uint64_t release_inputs = 0, release_outputs = 0;
    std::erase_if(held, [&](Connection c) {
      if (random.below(4) != 0) return false;
      model.release_ports(c);
      release_inputs |= bit(c.source);
      release_outputs |= bit(c.destination);
      return true;
    });
    rtl.release_inputs = release_inputs;
    rtl.release_outputs = release_outputs;
    const bool pass = random.below(4) != 0;
    rtl.pass = pass ? 1 : 0;
    rtl.cycle();
    if (pass) {
      std::ranges::fill(grants, 0);
      for (const Connection c : model.run_pass()) {
        grants[c.source] |= bit(c.destination);
        requests[c.source] &= ~bit(c.destination);
        held.push_back(c);
        ++run.events;
      }
      run.compare("grant", rows(rtl.grant, ports), grants);
    }
    run.compare("requests", rows(rtl.requests, ports), requests);
  }
}

/// An allocation by its name. Slots become occupied and empty, and traffic comes and goes, at random.
void compare_allocations(const RtlDesign& design, BlockRun& run) {
  const std::uint32_t slots = design.parameter("K"), slot_length = 3, wormhole_slot_length = 7;  // clocks
  Random random(3);
  RtlBlock& rtl = run.rtl;
  SwitchParameters p;
  p.slots = slots;
  p.slot_length = picoseconds(slot_length);  // a clock is 1 ps
  if (uses_option(Allocation::kKind, design.model, "wormhole-slot-length"))
    p.wormhole_slot_length = picoseconds(wormhole_slot_length);
  const auto model = AllocationRegistration::make(design.model, p);
  rtl.num_p = slot_length;
  rtl.num_w = wormhole_slot_length;
  rtl.initialize();
  PortSet occupied(slots), wanted(slots);
  const std::vector<std::uint32_t> none(slots + 1, 0);
  bool worms = false;
  std::uint32_t previous = slots, previous_predictive = slots - 1;
  std::uint64_t boundary = 0;
  for (; run.goes_on(); ++run.clock) {
    if (random.below(3) == 0) {
      const std::size_t s = random.below(slots);
      if (random.below(2 + (run.clock >> 8) % 4) == 0)
        occupied.set(s);
      else
        occupied.reset(s);
    }
    if (random.below(4) == 0) worms = random.below(2) == 0;
    if (random.below(4) == 0) {
      wanted.clear();
      if (random.below(2) == 0) wanted.set(random.below(slots));
    }
    rtl.occupied = occupied.words()[0];
    rtl.worms = worms ? 1 : 0;
    rtl.wanted = wanted.any() ? 1 : 0;
    rtl.cycle();
    const bool begins = run.clock == boundary;
    run.compare("begins", rtl.begins != 0, begins);
    if (!begins) continue;
    const SlotChoice choice = model->choose_slot({.slots = slots,
                                                  .wormhole_slot = true,
                                                  .occupied = occupied,
                                                  .wormhole_buffered = worms,
                                                  .previous = previous,
                                                  .previous_predictive = previous_predictive,
                                                  .wanted = wanted,
                                                  .wanted_connections = none,
                                                  .passed_over = none,
                                                  .traffic = {}});
    boundary += static_cast<std::uint64_t>(choice.length.ps);
    run.compare("idle", rtl.idle != 0, choice.slot == kIdleSlot);
    if (choice.slot == kIdleSlot) continue;
    run.compare<std::uint32_t>("slot", rtl.slot, choice.slot);
    previous = choice.slot;
    if (choice.slot < slots) previous_predictive = choice.slot;
    ++run.events;
  }
}

/// A scheduler by its name, with K slots, behind the scheduler port of the emulator. Random commands, one a
/// clock or none: the slots after every clock.
void compare_slot_schedulers(const RtlDesign& design, BlockRun& run) {
  constexpr Time kCycle = nanoseconds(80);
  const Port ports = design.parameter("N");
  const std::uint32_t slots = design.parameter("K");
  Random random(ports);
  RtlBlock& rtl = run.rtl;
  SwitchParameters p;
  p.nodes = ports;
  p.slots = slots;
  p.scheduler_name = design.model;
  p.scheduler.cycle = kCycle;
  p.scheduler.latency = 1;
  p.pass_fills_all_slots = false;
  p.preload_is_direct = false;
  const auto model = make_scheduler_port(p);
  rtl.pass = 1;
  rtl.initialize();
  std::vector<Configuration> expected(slots, Configuration(ports));
  std::vector<std::uint64_t> expected_rows(ports);
  std::vector<Grant> grants;
  const auto any_port = [&] { return static_cast<Port>(random.below(ports)); };
  for (; run.goes_on(); ++run.clock) {
    const Time now = kCycle * static_cast<std::int64_t>(run.clock);
    const Connection c{any_port(), any_port()};
    const auto s = static_cast<std::uint32_t>(random.below(slots));
    rtl.flush = 0;
    rtl.preload = 0;
    rtl.s = s;
    rtl.request = 0;
    rtl.release_ = 0;
    // Phases with many requests, many releases, and none.
    const std::uint64_t kind = random.below(400), phase = (run.clock >> 8) % 4;
    if (kind == 0) {
      rtl.flush = bit(ports) - 1;
      model->flush(now);
    } else if (kind < 4) {
      rtl.flush = bit(c.source);
      model->flush(now, c.source);
    } else if (kind < 8) {
      Configuration wanted(ports);
      for (std::uint64_t i = random.below(ports); i > 0; --i) wanted.add({any_port(), any_port()});
      rtl.preload = 1;
      rtl.configuration = 0;
      for (const Connection held : wanted.connections()) set_connection(rtl.configuration, ports, held);
      model->preload(now, s, wanted);
    } else if (kind < 8 + 90 * phase) {
      set_connection(rtl.request, ports, c);
      model->request(now, c);
    } else if (kind < 360) {
      set_connection(rtl.release_, ports, c);
      model->release(now, c);
    }
    rtl.cycle();
    grants.clear();
    model->advance(now + kCycle, grants);
    for (const Grant& grant : grants) {
      const bool up = grant.kind == Grant::Kind::established;
      run.events += up ? 1 : 0;
      EXPECT_TRUE(up ? expected[grant.slot].add(grant.connection)
                     : expected[grant.slot].remove(grant.connection));
    }
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      for (Port u = 0; u < ports; ++u) {
        const Port v = expected[slot].destination_of(u);
        expected_rows[u] = v == kNoPort ? 0 : bit(v);
      }
      run.compare("slots", rows(rtl.slots, ports, std::size_t{slot} * ports), expected_rows);
    }
  }
}

/// How blocks are compared, and the signals that are.
struct BlockComparison {
  void (*run)(const RtlDesign&, BlockRun&);
  std::map<std::string, Signal RtlBlock::*> signals;
};
const std::map<std::string_view, BlockComparison>& block_comparisons() {
  static const std::map<std::string_view, BlockComparison> kComparisons{
      {"queue",
       {&compare_queues, {{"full", &RtlBlock::full}, {"empty", &RtlBlock::empty}, {"out", &RtlBlock::out}}}},
      {"wormhole-scheduler",
       {&compare_wormhole_schedulers, {{"grant", &RtlBlock::grant}, {"requests", &RtlBlock::requests}}}},
      {"allocation",
       {&compare_allocations,
        {{"begins", &RtlBlock::begins}, {"idle", &RtlBlock::idle}, {"slot", &RtlBlock::slot}}}},
      {"slot-scheduler", {&compare_slot_schedulers, {{"slots", &RtlBlock::slots}}}}};
  return kComparisons;
}

class BlockLockStep : public testing::TestWithParam<std::string_view> {
 protected:
  BlockLockStep()
      : design_(*RtlDesignRegistration::make(GetParam())),
        comparison_(block_comparisons().at(design_.comparison)) {}

  BlockRun run(std::uint64_t clocks, const RtlBlock::Fault& fault = {}, const std::string& waveform = {}) {
    const auto rtl = design_.models.node(waveform, fault);
    rtl->initialize();
    BlockRun run{*rtl, clocks};
    comparison_.run(design_, run);
    return run;
  }
  /// As run(). After a difference the same clocks again with a waveform.
  BlockRun run_with_waveform(std::uint64_t clocks, const RtlBlock::Fault& fault = {}) {
    BlockRun compared = run(clocks, fault);
    if (compared.difference) run(clocks, fault, waveform());
    return compared;
  }
  void expect_equal(std::uint64_t clocks) {
    const BlockRun compared = run_with_waveform(clocks);
    if (const auto& found = compared.difference)
      ADD_FAILURE() << GetParam() << ", clock " << found->clock << ", signal " << found->signal << ": RTL "
                    << found->rtl << ", model " << found->model << "\nWaveform: " << waveform();
    else
      EXPECT_GT(compared.events, clocks / 20);
  }
  std::string waveform() const { return testing::TempDir() + "lock_step_" + identifier(GetParam()) + ".fst"; }

  RtlDesign design_;
  const BlockComparison& comparison_;
};

TEST_P(BlockLockStep, EqualsTheModel) { expect_equal(50'000); }
TEST_P(BlockLockStep, NightlyEqualsTheModel) { expect_equal(10'000'000); }
TEST_P(BlockLockStep, FindsAFaultOfEachSignal) {
  for (const auto& [name, signal] : comparison_.signals) {
    int found = 0;  // of: all bits 0, all bits 1; that of a register may show in another signal first
    for (const std::uint64_t stuck_at : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      const BlockRun compared =
          run_with_waveform(20'000, [=, signal = signal](RtlBlock& block) { block.*signal = stuck_at; });
      if (!compared.difference) continue;
      EXPECT_GT(std::filesystem::file_size(waveform()), 0U);
      found += compared.difference->signal == name ? 1 : 0;
    }
    EXPECT_GT(found, 0) << name;
  }
}

std::vector<std::string_view> block_names() {
  std::vector<std::string_view> names;
  for (const std::string_view name : registered_names(RtlDesign::kKind))
    if (!name.starts_with("switch/")) names.push_back(name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Rtl, BlockLockStep, testing::ValuesIn(block_names()),
                         [](const auto& test) { return identifier(test.param); });

}  // namespace
}  // namespace hybrid
