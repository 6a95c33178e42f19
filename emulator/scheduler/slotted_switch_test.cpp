// Published results of slotted switches with queues at their inputs: cells arrive; in each slot the scheduler
// matches inputs with outputs, and each match carries a cell. There are no delays; the results depend on the
// scheduler alone.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "emulator/scheduler/testing/slots.h"

namespace hybrid {
namespace {

constexpr std::uint32_t kPorts = 32;

struct SlottedSwitch {
  std::string scheduler;
  std::uint32_t steps = 0;
  bool fifo = false;  // one queue per input; otherwise one per input and output
};

struct Flow {
  double throughput = 0;  // cells per port and slot, in the second half of the slots
  double growth = 0;      // of the queue of a port, in cells per slot, in the second half
};

/// Simulates `slots` slots; in each of them every port gets a cell with probability `load`, for a random
/// output.
Flow uniform_load(const SlottedSwitch& s, double load, std::uint64_t slots) {
  Random random(1);
  const auto scheduler = make_one_slot_scheduler(s.scheduler, {kPorts, 1, s.steps});
  std::vector<std::vector<std::uint32_t>> queued(kPorts, std::vector<std::uint32_t>(kPorts, 0));
  std::vector<std::deque<Port>> line(kPorts);  // fifo: the cells of a port
  SlotState state(kPorts);
  std::uint64_t in = 0, out = 0, in_before = 0, out_before = 0;
  for (std::uint64_t slot = 0; slot < slots; ++slot) {
    if (slot == slots / 2) {
      in_before = in;
      out_before = out;
    }
    for (Port u = 0; u < kPorts; ++u) {
      if (random.fraction() >= load) continue;
      ++in;
      const auto v = static_cast<Port>(random.below(kPorts));
      if (s.fifo) {
        if (line[u].empty()) state.requests.set(u, v);
        line[u].push_back(v);
      } else if (queued[u][v]++ == 0) {
        state.requests.set(u, v);
      }
    }
    const auto a = static_cast<Port>(slot % kPorts), b = static_cast<Port>((slot + slot / kPorts) % kPorts);
    for (const Connection c : scheduler->pass(state.pass(0, {a, b}))) {
      ++out;
      if (s.fifo) {
        std::deque<Port>& cells = line[c.source];
        cells.pop_front();
        state.requests.reset(c.source, c.destination);
        if (!cells.empty()) state.requests.set(c.source, cells.front());
      } else if (--queued[c.source][c.destination] == 0) {
        state.requests.reset(c.source, c.destination);
      }
    }
  }
  const double port_slots = kPorts * static_cast<double>(slots - slots / 2);
  const auto moved_out = static_cast<double>(out - out_before),
             moved_in = static_cast<double>(in - in_before);
  return {moved_out / port_slots, (moved_in - moved_out) / port_slots};
}

// Karol, Hluchyj, Morgan 1987: 2 - sqrt(2) = 0.586 in the limit of many ports, more with fewer (0.618 for 8),
// for any scheduler: one cell for each output that is the destination of a queue's first cell.
TEST(SlottedSwitch, OneFifoPerInputSaturatesAtTwoMinusRootTwo) {
  EXPECT_NEAR(uniform_load({"exact", 0, true}, 1, 20'000).throughput, 0.59, 0.01);
  EXPECT_NEAR(uniform_load({"greedy", 0, true}, 1, 20'000).throughput, 0.59, 0.01);
  const Flow below = uniform_load({"exact", 0, true}, 0.57, 20'000);
  EXPECT_NEAR(below.growth, 0, 0.001);
}

// McKeown, Mekkittikul, Anantharam, Walrand, "Achieving 100% throughput in an input-queued switch" (1999):
// with queues per destination, maximum matching carries every uniform load below 1.
TEST(SlottedSwitch, QueuesPerDestinationWithMaximumMatchingReachThroughputOne) {
  for (const double load : {0.8, 0.95, 0.98}) {
    const Flow flow = uniform_load({"exact"}, load, 40'000);
    EXPECT_NEAR(flow.throughput, load, 0.002) << load;
    EXPECT_NEAR(flow.growth, 0, 0.001) << load;
  }
  EXPECT_GT(uniform_load({"exact"}, 1, 20'000).throughput, 0.995);
}

// Nine steps of D 6.4's algorithm and one iteration of iSLIP (McKeown 1999) do so too; one iteration of PIM
// reaches only 1 - 1/e.
TEST(SlottedSwitch, ThroughputOfTheOthersUnderUniformLoad) {
  EXPECT_GT(uniform_load({"matching"}, 1, 20'000).throughput, 0.99);
  EXPECT_GT(uniform_load({"islip", 1}, 1, 40'000).throughput, 0.98);
  EXPECT_GT(uniform_load({"wavefront"}, 1, 20'000).throughput, 0.98);
  EXPECT_NEAR(uniform_load({"pim", 1}, 1, 20'000).throughput, 1 - std::exp(-1), 0.02);
}

}  // namespace
}  // namespace hybrid
