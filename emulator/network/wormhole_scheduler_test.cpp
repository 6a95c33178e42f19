#include "emulator/network/wormhole_scheduler.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "core/random.h"

namespace hybrid {
namespace {

TEST(WormholeScheduler, GrantsAMaximalPartialPermutationOfTheRequests) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const auto ports = static_cast<std::uint32_t>(2 + random.below(140));
    WormholeScheduler scheduler(ports);
    std::set<Connection> requested, held;
    for (int pass = 0; pass < 8; ++pass) {
      for (std::uint64_t n = random.below(2 * ports); n > 0; --n) {
        const Connection c{static_cast<Port>(random.below(ports)), static_cast<Port>(random.below(ports))};
        if (held.count(c) != 0) continue;
        requested.insert(c);
        scheduler.request(c);
      }
      ASSERT_EQ(scheduler.has_requests(), !requested.empty());
      std::set<Port> inputs, outputs;
      for (const Connection c : held) {
        inputs.insert(c.source);
        outputs.insert(c.destination);
      }
      for (const Connection c : scheduler.run_pass()) {
        ASSERT_EQ(requested.erase(c), 1u);
        ASSERT_TRUE(inputs.insert(c.source).second);
        ASSERT_TRUE(outputs.insert(c.destination).second);
        held.insert(c);
      }
      for (const Connection c : requested)
        ASSERT_TRUE(inputs.count(c.source) != 0 || outputs.count(c.destination) != 0)
            << "can be granted, too";
      while (!held.empty() && random.below(3) != 0) {
        scheduler.release_ports(*held.begin());
        held.erase(held.begin());
      }
    }
  }
}

/// The rule of the header, implemented with sets.
class PassAsWritten {
 public:
  explicit PassAsWritten(std::uint32_t ports) : ports_(ports), pointer_(ports, 0) {}
  void request(Connection c) { requested_[c.destination].insert(c.source); }
  bool has_requests() const { return !requested_.empty(); }
  void release_ports(Connection c) {
    busy_inputs_.erase(c.source);
    busy_outputs_.erase(c.destination);
  }
  std::vector<Connection> run_pass() {
    std::vector<Connection> granted;
    for (std::uint32_t k = 0; k < ports_; ++k) {
      const Port output = (first_ + k) % ports_;
      const auto requested = requested_.find(output);
      if (busy_outputs_.count(output) != 0 || requested == requested_.end()) continue;
      for (std::uint32_t i = 0; i < ports_; ++i) {
        const Port input = (pointer_[output] + i) % ports_;
        if (busy_inputs_.count(input) != 0 || requested->second.erase(input) == 0) continue;
        if (requested->second.empty()) requested_.erase(requested);
        busy_inputs_.insert(input);
        busy_outputs_.insert(output);
        pointer_[output] = (input + 1) % ports_;
        granted.push_back({input, output});
        break;
      }
    }
    if (!granted.empty()) first_ = (first_ + 1) % ports_;
    return granted;
  }

 private:
  std::uint32_t ports_;
  std::vector<Port> pointer_;
  Port first_ = 0;
  std::map<Port, std::set<Port>> requested_;  // by output
  std::set<Port> busy_inputs_, busy_outputs_;
};

TEST(WormholeScheduler, GrantsByTheRuleInItsOrder) {
  Random random(2);
  for (int round = 0; round < 60; ++round) {
    // Some schedulers have rows of many words, and one has more words per row than bits in a word.
    const auto ports = static_cast<std::uint32_t>(2 + random.below(round % 10 == 0 ? 1000 : 140) +
                                                  (round == 30 ? kWordBits * kWordBits : 0));
    const std::uint64_t new_requests =
        1 + random.below(round % 3 == 0 ? 4 : 2 * ports);  // mostly one per output, or many
    WormholeScheduler scheduler(ports);
    PassAsWritten written(ports);
    std::vector<Connection> held;
    const int passes = ports < kWordBits * kWordBits ? 40 : 3;
    for (int pass = 0; pass < passes; ++pass) {
      for (std::uint64_t n = 0; n < new_requests; ++n) {
        const Connection c{static_cast<Port>(random.below(ports)), static_cast<Port>(random.below(ports))};
        scheduler.request(c);
        written.request(c);
      }
      const std::vector<Connection> granted = scheduler.run_pass();
      ASSERT_EQ(granted, written.run_pass()) << ports << " ports, pass " << pass;
      held.insert(held.end(), granted.begin(), granted.end());
      while (!held.empty() && random.below(4) != 0) {
        scheduler.release_ports(held.back());
        written.release_ports(held.back());
        held.pop_back();
      }
    }
  }
}

/// The storage of requesters depends on their number (wormhole_scheduler.h).
TEST(WormholeScheduler, GrowingAndShrinkingSetsOfRequestersAreServedByTheRule) {
  for (const std::uint32_t ports : {20u, 128u, 129u, 700u}) {
    Random random(ports);
    WormholeScheduler scheduler(ports);
    PassAsWritten written(ports);
    std::vector<Connection> held;
    for (int pass = 0; pass < 600; ++pass) {
      // For three outputs, 60 passes with more requests than can be granted alternate with 60 without any.
      for (std::uint64_t n = pass / 60 % 2 == 0 ? random.below(10) : 0; n > 0; --n) {
        const Connection c{static_cast<Port>(random.below(ports)),
                           static_cast<Port>(random.below(3) * ports / 3)};
        scheduler.request(c);
        written.request(c);
      }
      const std::vector<Connection> granted = scheduler.run_pass(pass % 2 == 0);
      ASSERT_EQ(granted, written.run_pass()) << ports << " ports, pass " << pass;
      ASSERT_EQ(scheduler.has_requests(), written.has_requests());
      held.insert(held.end(), granted.begin(), granted.end());
      while (!held.empty() && random.below(3) != 0) {
        scheduler.release_ports(held.back());
        written.release_ports(held.back());
        held.pop_back();
      }
    }
  }
}

TEST(WormholeScheduler, ServesTheRequestersOfAnOutputInTurn) {
  constexpr std::uint32_t kPorts = 100;
  WormholeScheduler scheduler(kPorts);
  std::map<Port, int> served;
  for (int pass = 0; pass < 340; ++pass) {
    for (Port input = 0; input < kPorts; input += 3) scheduler.request({input, 7});  // all request again
    const std::vector<Connection> granted = scheduler.run_pass();
    ASSERT_EQ(granted.size(), 1u);
    ++served[granted[0].source];
    scheduler.release_ports(granted[0]);
  }
  ASSERT_EQ(served.size(), 34u);
  for (const auto& [input, times] : served) EXPECT_EQ(times, 10) << "input " << input;
}

/// With every pass other requests come: output 0 serves input 0, and then input 2 while another output takes
/// input 1.
TEST(WormholeScheduler, ARequestWaitsWhileOtherOutputsTakeItsInput) {
  WormholeScheduler scheduler(3);
  const Connection waits{1, 0};
  scheduler.request(waits);
  for (int pass = 0; pass < 300; ++pass) {
    const auto first = static_cast<Port>(pass % 3);  // p
    scheduler.request({first == 0 ? Port{0} : Port{2}, 0});
    if (first != 0) scheduler.request({1, first});
    for (const Connection granted : scheduler.run_pass()) {
      ASSERT_NE(granted, waits) << "pass " << pass;
      scheduler.release_ports(granted);
    }
  }
  scheduler.run_pass();
  EXPECT_FALSE(scheduler.has_requests()) << "nothing else is requested";
}

}  // namespace
}  // namespace hybrid
