// Clocked blocks of the switch against their C++ models, clock by clock: the scheduler with its slots, the
// N-queue, the wormhole scheduler, the TDM cycle controllers. The one-slot schedulers are in
// lock_step_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "VNQueue8.h"
#include "VSlotScheduler16.h"
#include "VSlotScheduler8.h"
#include "VTdmController0.h"
#include "VTdmController1.h"
#include "VTdmController2.h"
#include "VTdmController3.h"
#include "VWormholeScheduler16.h"
#include "core/random.h"
#include "emulator/network/wormhole_scheduler.h"
#include "emulator/rtl/lock_step_block.h"
#include "emulator/rtl/slot_bits.h"
#include "emulator/rtl/verilated_block.h"
#include "emulator/scheduler/model_port.h"
#include "emulator/tdm/allocation.h"

namespace hybrid {
namespace {

void compare_n_queue(std::uint64_t clocks) {
  constexpr std::uint64_t kQueues = 8, kDepth = 16;
  Random random(1);
  VerilatedBlock<VNQueue8> rtl;
  std::array<std::deque<std::uint64_t>, kQueues> model;
  rtl->reset = 1;
  rtl.clock(rtl->clk);
  rtl->reset = 0;
  for (std::uint64_t clock = 0; clock < clocks; ++clock) {
    unsigned full = 0, empty = 0;
    for (unsigned q = 0; q < kQueues; ++q) {
      full |= static_cast<unsigned>(model[q].size() == kDepth) << q;
      empty |= static_cast<unsigned>(model[q].empty()) << q;
    }
    rtl->push = random.below(8) < (clock >> 10) % 9 ? 1 : 0;  // phases that fill and phases that drain
    rtl->pull = random.below(8) < 8 - (clock >> 10) % 9 ? 1 : 0;
    rtl->destination = static_cast<CData>(random.below(kQueues));
    rtl->source = static_cast<CData>(random.below(kQueues));
    rtl->in = random.below(~std::uint64_t{0});
    const bool pulls = rtl->pull != 0 && !model[rtl->source].empty();
    const std::uint64_t expected = pulls ? model[rtl->source].front() : 0;
    const bool pushes = rtl->push != 0 && (model[rtl->destination].size() < kDepth ||
                                           (pulls && rtl->source == rtl->destination));
    if (pulls) model[rtl->source].pop_front();
    if (pushes) model[rtl->destination].push_back(rtl->in);
    ASSERT_EQ(rtl->full, full) << "clock " << clock << ", signal full";
    ASSERT_EQ(rtl->empty, empty) << "clock " << clock << ", signal empty";
    rtl.clock(rtl->clk);
    if (pulls) {
      ASSERT_EQ(rtl->out, expected) << "clock " << clock << ", signal out";
    }
  }
}

/// Requests and releases come at random, from a few to more than the outputs can serve; each clock has a pass
/// or none.
void compare_wormhole_scheduler(std::uint64_t clocks) {
  constexpr Port kPorts = 16;
  using Bits = SlotBits<kPorts>;
  Random random(2);
  VerilatedBlock<VWormholeScheduler16> rtl;
  WormholeScheduler model(kPorts);
  rtl->reset = 1;
  rtl.clock(rtl->clk);
  rtl->reset = 0;
  std::vector<Connection> held;
  // By input and output.
  const std::vector<std::string> none(kPorts, std::string(kPorts, '.'));
  std::vector<std::string> requests = none;
  const auto listed = [&](auto& matrix) {
    std::vector<std::string> bits = none;
    for (Port u = 0; u < kPorts; ++u) Bits::for_each(matrix, u, [&](Port v) { bits[u][v] = '1'; });
    return bits;
  };
  std::uint64_t grants = 0;
  for (std::uint64_t clock = 0; clock < clocks; ++clock) {
    std::memset(&rtl->request, 0, sizeof rtl->request);
    rtl->release_inputs = rtl->release_outputs = 0;
    const std::uint64_t load = 1 + (clock >> 9) % 8;
    for (std::uint64_t i = random.below(load); i > 0; --i) {
      const Connection c{static_cast<Port>(random.below(kPorts)), static_cast<Port>(random.below(kPorts))};
      model.request(c);
      Bits::set(rtl->request, c.source, c.destination);
      requests[c.source][c.destination] = '1';
    }
    std::erase_if(held, [&](Connection c) {
      if (random.below(4) != 0) return false;
      model.release_ports(c);
      rtl->release_inputs |= static_cast<SData>(1U << c.source);
      rtl->release_outputs |= static_cast<SData>(1U << c.destination);
      return true;
    });
    rtl->pass = random.below(4) != 0 ? 1 : 0;
    rtl.clock(rtl->clk);
    if (rtl->pass != 0) {
      std::vector<std::string> expected = none;
      for (const Connection c : model.run_pass()) {
        expected[c.source][c.destination] = '1';
        requests[c.source][c.destination] = '.';
        held.push_back(c);
        ++grants;
      }
      ASSERT_EQ(listed(rtl->grant), expected) << "clock " << clock << ", signal grant";
    }
    ASSERT_EQ(listed(rtl->requests), requests) << "clock " << clock << ", signal requests";
    ASSERT_EQ(model.has_requests(), requests != none);
  }
  EXPECT_GT(grants, clocks / 4);
}

template <class Block>
void compare_tdm_controller(const std::string& allocation_name, std::uint64_t clocks) {
  constexpr std::uint32_t kSlots = 4;
  Random random(3);
  SwitchParameters p;
  p.slots = kSlots;
  p.slot_length = picoseconds(3);  // a clock is 1 ps
  p.wormhole_slot_length = allocation_name == "sla" ? picoseconds(7) : Time{};
  const auto model = AllocationRegistration::make(allocation_name, p);
  VerilatedBlock<Block> rtl;
  rtl->num_p = 3;
  rtl->num_w = 7;
  rtl->reset = 1;
  rtl.clock(rtl->clk);
  rtl->reset = 0;
  PortSet occupied(kSlots), wanted(kSlots);
  const std::vector<std::uint32_t> none(kSlots + 1, 0);
  bool worms = false;
  std::uint32_t previous = kSlots, previous_predictive = kSlots - 1;
  std::uint64_t boundary = 0, chosen = 0;
  for (std::uint64_t clock = 0; clock < clocks; ++clock) {
    if (random.below(3) == 0) {
      const std::size_t s = random.below(kSlots);
      if (random.below(2 + (clock >> 8) % 4) == 0)
        occupied.set(s);
      else
        occupied.reset(s);
    }
    if (random.below(4) == 0) worms = random.below(2) == 0;
    if (random.below(4) == 0) {
      wanted.clear();
      if (random.below(2) == 0) wanted.set(random.below(kSlots));
    }
    rtl->occupied = static_cast<CData>(occupied.words()[0]);
    rtl->worms = worms ? 1 : 0;
    rtl->wanted = wanted.any() ? 1 : 0;
    rtl.clock(rtl->clk);
    ASSERT_EQ(rtl->begins != 0, clock == boundary)
        << allocation_name << ", clock " << clock << ", signal begins";
    if (clock != boundary) continue;
    const SlotChoice choice = model->choose_slot({.slots = kSlots,
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
    ASSERT_EQ(rtl->idle != 0, choice.slot == kIdleSlot)
        << allocation_name << ", clock " << clock << ", signal idle";
    if (choice.slot == kIdleSlot) continue;
    ASSERT_EQ(rtl->slot, choice.slot) << allocation_name << ", clock " << clock << ", signal slot";
    previous = choice.slot;
    if (choice.slot < kSlots) previous_predictive = choice.slot;
    ++chosen;
  }
  EXPECT_GT(chosen, clocks / 10) << allocation_name;
}

void compare_tdm_controllers(std::uint64_t clocks) {
  compare_tdm_controller<VTdmController0>("none", clocks);
  compare_tdm_controller<VTdmController1>("ses", clocks);
  compare_tdm_controller<VTdmController2>("sla", clocks);
  compare_tdm_controller<VTdmController3>("preempt", clocks);
}

/// Random commands, one a clock or none, against the scheduler port of the emulator: the slots after every
/// clock.
template <class Block, Port kPorts>
void compare_slot_scheduler(std::uint32_t slots, std::uint64_t clocks) {
  using Bits = SlotBits<kPorts>;
  using Inputs = std::remove_reference_t<decltype(std::declval<Block>().flush)>;
  constexpr Time kCycle = nanoseconds(80);
  Random random(kPorts);
  SwitchParameters p;
  p.nodes = kPorts;
  p.slots = slots;
  p.scheduler.cycle = kCycle;
  p.scheduler.latency = 1;
  p.pass_fills_all_slots = false;
  p.preload_is_direct = false;
  const auto model = make_scheduler_port(p);
  VerilatedBlock<Block> rtl;
  rtl->pass = 1;
  rtl->reset = 1;
  rtl.clock(rtl->clk);
  rtl->reset = 0;
  std::vector<Configuration> expected(slots, Configuration(kPorts));
  std::vector<Grant> grants;
  const auto any_port = [&] { return static_cast<Port>(random.below(kPorts)); };
  std::uint64_t established = 0;
  for (std::uint64_t clock = 0; clock < clocks; ++clock) {
    const Time now = kCycle * static_cast<std::int64_t>(clock);
    const Connection c{any_port(), any_port()};
    rtl->flush = 0;
    rtl->preload = 0;
    rtl->s = static_cast<CData>(random.below(slots));
    std::memset(&rtl->request, 0, sizeof rtl->request);
    std::memset(&rtl->release_, 0, sizeof rtl->release_);
    // Phases with many requests, many releases, and none.
    const std::uint64_t kind = random.below(400), phase = (clock >> 8) % 4;
    if (kind == 0) {
      rtl->flush = static_cast<Inputs>((1U << kPorts) - 1);
      model->flush(now);
    } else if (kind < 4) {
      rtl->flush = static_cast<Inputs>(1U << c.source);
      model->flush(now, c.source);
    } else if (kind < 8) {
      Configuration wanted(kPorts);
      for (std::uint64_t i = random.below(kPorts); i > 0; --i) wanted.add({any_port(), any_port()});
      rtl->preload = 1;
      std::memset(&rtl->configuration, 0, sizeof rtl->configuration);
      for (const Connection held : wanted.connections())
        Bits::set(rtl->configuration, held.source, held.destination);
      model->preload(now, rtl->s, wanted);
    } else if (kind < 8 + 90 * phase) {
      Bits::set(rtl->request, c.source, c.destination);
      model->request(now, c);
    } else if (kind < 360) {
      Bits::set(rtl->release_, c.source, c.destination);
      model->release(now, c);
    }
    rtl.clock(rtl->clk);
    grants.clear();
    model->advance(now + kCycle, grants);
    for (const Grant& grant : grants) {
      const bool up = grant.kind == Grant::Kind::established;
      established += up ? 1 : 0;
      ASSERT_TRUE(up ? expected[grant.slot].add(grant.connection)
                     : expected[grant.slot].remove(grant.connection));
    }
    for (std::uint32_t s = 0; s < slots; ++s)
      for (Port u = 0; u < kPorts; ++u) {
        Port actual = kNoPort;
        Bits::for_each(rtl->slots, s * kPorts + u, [&](Port v) { actual = v; });
        ASSERT_EQ(actual, expected[s].destination_of(u))
            << kPorts << " ports, clock " << clock << ", signal slots, slot " << s << ", input " << u;
      }
  }
  EXPECT_GT(established, clocks / 20);
}

void compare_slot_schedulers(std::uint64_t clocks) {
  compare_slot_scheduler<VSlotScheduler8, 8>(4, clocks);
  compare_slot_scheduler<VSlotScheduler16, 16>(2, clocks / 2);
}

const LockStepBlock kNQueue{"NQueue", &compare_n_queue};
const LockStepBlock kWormholeScheduler{"WormholeScheduler", &compare_wormhole_scheduler};
const LockStepBlock kTdmControllers{"TdmControllers", &compare_tdm_controllers};
const LockStepBlock kSlotScheduler{"SlotScheduler", &compare_slot_schedulers};

}  // namespace
}  // namespace hybrid
