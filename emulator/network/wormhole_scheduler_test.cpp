#include "emulator/network/wormhole_scheduler.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/random.h"

namespace hybrid {
namespace {

TEST(WormholeScheduler, GrantsAMaximalPartialPermutationOfWhatIsAsked) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const auto ports = static_cast<std::uint32_t>(2 + random.below(140));
    WormholeScheduler scheduler(ports);
    std::set<Connection> asked, held;
    for (int pass = 0; pass < 8; ++pass) {
      for (std::uint64_t n = random.below(2 * ports); n > 0; --n) {
        const Connection c{static_cast<Port>(random.below(ports)), static_cast<Port>(random.below(ports))};
        if (held.count(c) != 0) continue;
        asked.insert(c);
        scheduler.request(c);
      }
      ASSERT_EQ(scheduler.wanted(), !asked.empty());
      std::set<Port> inputs, outputs;
      for (const Connection c : held) {
        inputs.insert(c.source);
        outputs.insert(c.destination);
      }
      for (const Connection c : scheduler.pass()) {
        ASSERT_EQ(asked.erase(c), 1u);
        ASSERT_TRUE(inputs.insert(c.source).second);
        ASSERT_TRUE(outputs.insert(c.destination).second);
        held.insert(c);
      }
      for (const Connection c : asked)
        ASSERT_TRUE(inputs.count(c.source) != 0 || outputs.count(c.destination) != 0)
            << "could be granted too";
      while (!held.empty() && random.below(3) != 0) {
        scheduler.free(*held.begin());
        held.erase(held.begin());
      }
    }
  }
}

TEST(WormholeScheduler, ServesTheInputsOfAnOutputInTurn) {
  constexpr std::uint32_t kPorts = 100;
  WormholeScheduler scheduler(kPorts);
  std::map<Port, int> served;
  for (int pass = 0; pass < 340; ++pass) {
    for (Port input = 0; input < kPorts; input += 3) scheduler.request({input, 7});  // all keep asking
    const std::vector<Connection> granted = scheduler.pass();
    ASSERT_EQ(granted.size(), 1u);
    ++served[granted[0].source];
    scheduler.free(granted[0]);
  }
  ASSERT_EQ(served.size(), 34u);
  for (const auto& [input, times] : served) EXPECT_EQ(times, 10) << "input " << input;
}

}  // namespace
}  // namespace hybrid
