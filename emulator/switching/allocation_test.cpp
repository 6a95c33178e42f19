// Hot paths do not allocate: once every queue has been as long as it gets, a technique needs no more memory.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/testing/allocation_count.h"
#include "emulator/switching/technique.h"
#include "emulator/traffic/arrivals.h"

namespace hybrid {
namespace {

/// Every node always has a message on its way, to each other one in turn: a rhythm that comes again.
class AllToAll final : private TransferListener {
 public:
  explicit AllToAll(const SwitchParameters& p)
      : nodes_(p.nodes), technique_(TechniqueRegistration::make(p.technique, p)), round_(p.nodes, 0) {
    may_send_.reserve(p.nodes);
    for (Port port = 0; port < nodes_; ++port) send(Time{}, port);
  }
  /// Runs until so many more are delivered.
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

class SteadyState : public testing::TestWithParam<const char*> {};

TEST_P(SteadyState, AllocatesNothing) {
  SwitchParameters p;
  p.technique = GetParam();
  p.nodes = 16;
  p.buffer = 256;
  AllToAll traffic(p);
  traffic.run(200'000);
  const std::size_t before = allocation_count().calls;
  EXPECT_GT(before, 0U);  // they are counted
  traffic.run(20'000);
  // In the hybrid switch the rhythm of slots against that of messages takes longer than this to come again,
  // and now and then a queue is longer than ever before.
  EXPECT_LE(allocation_count().calls - before, p.technique == "hybrid" ? 200U : 0U);
}

INSTANTIATE_TEST_SUITE_P(Techniques, SteadyState,
                         testing::Values("packet", "wormhole", "circuit", "tdm", "hybrid", "wave", "coll",
                                         "chen-liu"));

class Nobody final : public TransferListener {
  void injected(Time, const Message& /*message*/) override {}
  void delivered(Time, const Message& /*message*/, bool) override {}
};

TEST(Wormhole, ConnectionsShareTheQueuesOfAHalfLoadedSwitch) {
  SwitchParameters p;
  p.technique = "wormhole";
  p.nodes = 64;
  p.buffer = 256;
  const auto technique = TechniqueRegistration::make(p.technique, p);
  Nobody nobody;
  Random random(1);
  const Time gap{2 * time_on_link(128, p.link_rate).ps / p.nodes};  // between any two sends
  Time at{};
  std::uint64_t id = 0;
  const auto run = [&](std::uint64_t messages) {
    for (const std::uint64_t end = id + messages; id < end; ++id) {
      at += exponential(random, gap);
      while (technique->next_event() < at) technique->advance(technique->next_event(), nobody);
      const auto source = static_cast<Port>(random.below(p.nodes));
      const auto hop = static_cast<Port>(1 + random.below(p.nodes - 1));
      technique->send(at, {id, {source, (source + hop) % p.nodes}, 128});
    }
  };
  run(40'000);
  const std::size_t before = allocation_count().calls;
  run(160'000);  // 40 messages of each of 4032 connections
  EXPECT_LE(allocation_count().calls - before, 300U);
}

}  // namespace
}  // namespace hybrid
