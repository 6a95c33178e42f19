// n_queue.sv against queues in C++, clock by clock: out, full and empty.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>

#include "VNQueue8.h"
#include "core/random.h"
#include "emulator/rtl/verilated_block.h"

namespace hybrid {
namespace {

constexpr std::uint64_t kQueues = 8, kDepth = 16;

void compare_n_queue(std::uint64_t clocks) {
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
    const bool pushes = rtl->push != 0 && model[rtl->destination].size() < kDepth;
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

TEST(LockStep, NQueueEqualsTheModel) { compare_n_queue(100'000); }
TEST(NightlyLockStep, NQueueEqualsTheModelInTenMillionClocks) { compare_n_queue(10'000'000); }

}  // namespace
}  // namespace hybrid
