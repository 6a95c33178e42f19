// Hot paths do not allocate memory: after every queue has reached its largest size, a technique needs no
// more.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/testing/allocation_count.h"
#include "emulator/network/technique.h"
#include "emulator/switching/testing/techniques.h"
#include "emulator/traffic/arrivals.h"

namespace hybrid {
namespace {

/// Every node always has a message under way, to each other node in turn: periodic traffic.
class AllToAll final : private TransferListener {
 public:
  explicit AllToAll(const SwitchParameters& p)
      : nodes_(p.nodes), technique_(TechniqueRegistration::make(p.technique, p)), round_(p.nodes, 0) {
    may_send_.reserve(p.nodes);
    for (Port port = 0; port < nodes_; ++port) send(Time{}, port);
  }
  /// Runs until `messages` more messages are delivered.
  void run(std::uint64_t messages) {
    for (const std::uint64_t all = delivered_ + messages; delivered_ < all;) {
      const Time at = technique_->advance(technique_->next_event(), *this);
      for (const Port port : may_send_) send(at, port);
      may_send_.clear();
    }
  }

 private:
  void send(Time at, Port source) {
    const std::uint32_t hop = 1 + round_[source]++ % (nodes_ - 1);
    technique_->send(at, {id_++, {source, (source + hop) % nodes_}, 128});
  }
  void injected(Time, const Message& /*message*/) override {}
  void delivered(Time, const Message& message, bool) override {
    ++delivered_;
    may_send_.push_back(message.connection.source);
  }

  std::uint32_t nodes_;
  std::unique_ptr<Technique> technique_;
  std::vector<std::uint32_t> round_;
  std::vector<Port> may_send_;
  std::uint64_t id_ = 0, delivered_ = 0;
};

class SteadyState : public testing::TestWithParam<std::string> {};

TEST_P(SteadyState, AllocatesNoMemory) {
  SwitchParameters p;
  p.technique = GetParam();
  p.nodes = 16;
  p.buffer = 256;
  AllToAll traffic(p);
  traffic.run(200'000);
  const std::size_t before = allocation_count().calls;
  EXPECT_GT(before, 0U) << "allocations are counted";
  traffic.run(20'000);
  // In the hybrid switch the common period of slots and messages is longer than this run, and sometimes a
  // queue is longer than ever before.
  EXPECT_LE(allocation_count().calls - before, p.technique == "hybrid" ? 200U : 0U);
}

INSTANTIATE_TEST_SUITE_P(Techniques, SteadyState, testing::ValuesIn(user_techniques()), technique_test_name);

class NullListener final : public TransferListener {
  void injected(Time, const Message& /*message*/) override {}
  void delivered(Time, const Message& /*message*/, bool) override {}
};

/// Messages of 128 bytes between random ports, at half of the links' rate.
class Scattered {
 public:
  explicit Scattered(const SwitchParameters& p)
      : nodes_(p.nodes),
        gap_{2 * time_on_link(128, p.link_rate).ps / p.nodes},  // between any two sends
        technique_(TechniqueRegistration::make(p.technique, p)) {}
  void run(std::uint64_t messages) {
    for (const std::uint64_t end = id_ + messages; id_ < end; ++id_) {
      at_ += exponential(random_, gap_);
      while (technique_->next_event() < at_) technique_->advance(technique_->next_event(), listener_);
      const auto source = static_cast<Port>(random_.below(nodes_));
      const auto hop = static_cast<Port>(1 + random_.below(nodes_ - 1));
      technique_->send(at_, {id_, {source, (source + hop) % nodes_}, 128});
    }
  }

 private:
  std::uint32_t nodes_;
  Time gap_;
  std::unique_ptr<Technique> technique_;
  NullListener listener_;
  Random random_{1};  // any seed
  Time at_{};
  std::uint64_t id_ = 0;
};

TEST(Wormhole, ConnectionsShareTheQueuesOfAHalfLoadedSwitch) {
  SwitchParameters p;
  p.technique = "wormhole";
  p.nodes = 64;
  p.buffer = 256;
  Scattered traffic(p);
  traffic.run(40'000);
  const std::size_t before = allocation_count().calls;
  traffic.run(160'000);  // 40 messages on each of 4032 connections
  EXPECT_LE(allocation_count().calls - before, 300U);
}

/// Nearly every message uses one of the 269,880 connections for the first time.
TEST(Tdm, UnusedConnectionsReleaseTheirState) {
  for (const char* technique : {"tdm", "hybrid"}) {
    SwitchParameters p;
    p.technique = technique;
    p.nodes = 520;
    p.slots = 8;
    p.predictor_timeout = microseconds(1);
    p.allocation = "adaptive";  // so that the hybrid switch carries the load
    Scattered traffic(p);
    traffic.run(60'000);
    const std::size_t before = allocation_count().calls;
    traffic.run(60'000);
    EXPECT_LE(allocation_count().calls - before, 500U) << technique;  // some tables still grow
  }
}

}  // namespace
}  // namespace hybrid
