#include "emulator/traffic/exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "emulator/traffic/pattern.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

bool power_of_two(std::uint32_t n) { return (n & (n - 1)) == 0; }

/// Every exchange with every supported number of nodes up to 33 and some larger ones.
template <class Visit>
void for_each_exchange(Visit&& visit) {
  std::vector<std::uint32_t> sizes{64, 100, 128};
  for (std::uint32_t n = 2; n <= 33; ++n) sizes.push_back(n);
  for (const std::string_view name : registered_names("exchange"))
    for (const std::uint32_t nodes : sizes) {
      if (name != "linear" && !power_of_two(nodes)) continue;
      SCOPED_TRACE(std::string(name) + " of " + std::to_string(nodes));
      visit(name, *ExchangeRegistration::make(name, nodes));
    }
}

TEST(Exchange, AllExchangesOfTheCm5AreRegistered) {
  EXPECT_EQ(registered_names("exchange"),
            (std::vector<std::string_view>{"balanced", "linear", "pairwise", "recursive"}));
}

TEST(Exchange, EveryStepIsAFullPermutation) {
  for_each_exchange([](std::string_view, const Exchange& e) {
    for (std::uint32_t step = 0; step < e.steps(); ++step) {
      std::set<Port> partners;
      for (Port node = 0; node < e.nodes(); ++node) {
        const Port partner = e.partner(node, step);
        EXPECT_LT(partner, e.nodes());
        EXPECT_NE(partner, node);
        partners.insert(partner);
      }
      EXPECT_EQ(partners.size(), e.nodes());
      EXPECT_EQ(e.configuration(step).count(), e.nodes());
    }
  });
}

TEST(Exchange, DirectExchangesHaveEveryOrderedPairOnce) {
  std::uint32_t direct = 0;
  for_each_exchange([&](std::string_view, const Exchange& e) {
    if (e.forwards()) return;
    ++direct;
    EXPECT_EQ(e.blocks(), 1u);
    std::map<Connection, int> times;
    for (std::uint32_t step = 0; step < e.steps(); ++step)
      for (const Connection& c : e.configuration(step).connections()) ++times[c];
    EXPECT_EQ(times.size(), std::size_t{e.nodes()} * (e.nodes() - 1));
    for (const auto& [connection, count] : times) EXPECT_EQ(count, 1);
  });
  EXPECT_GT(direct, 35u);
}

TEST(Exchange, AllButLinearPairNodes) {
  for_each_exchange([](std::string_view name, const Exchange& e) {
    bool symmetric = true;
    for (std::uint32_t step = 0; step < e.steps(); ++step)
      for (Port node = 0; node < e.nodes(); ++node)
        symmetric &= e.partner(e.partner(node, step), step) == node;
    EXPECT_EQ(symmetric, name != "linear" || e.nodes() == 2);
  });
}

// Simulates the blocks: in each step a node passes on the blocks with destinations in its partner's half.
TEST(Exchange, TheRecursiveExchangeDeliversEveryBlockInLog2Steps) {
  for (const std::uint32_t nodes : {2u, 4u, 8u, 16u, 64u}) {
    const auto e = ExchangeRegistration::make("recursive", nodes);
    std::vector<std::multiset<Connection>> at(nodes);  // blocks by current node
    for (Port from = 0; from < nodes; ++from)
      for (Port to = 0; to < nodes; ++to) at[from].insert({from, to});
    for (std::uint32_t step = 0; step < e->steps(); ++step) {
      const std::uint32_t bit = nodes >> (step + 1);
      std::vector<std::multiset<Connection>> after(nodes);
      for (Port node = 0; node < nodes; ++node) {
        std::uint32_t carried = 0;
        for (const Connection& block : at[node]) {
          const bool other_half = ((block.destination ^ node) & bit) != 0;
          carried += other_half ? 1 : 0;
          after[other_half ? e->partner(node, step) : node].insert(block);
        }
        EXPECT_EQ(carried, e->blocks()) << nodes << " nodes, step " << step;
      }
      at = std::move(after);
    }
    EXPECT_EQ(1u << e->steps(), nodes);
    for (Port node = 0; node < nodes; ++node) {
      EXPECT_EQ(at[node].size(), nodes);
      for (const Connection& block : at[node]) EXPECT_EQ(block.destination, node);
    }
  }
}

TEST(Exchange, PartnersByHand) {
  const auto partners = [](const char* name, std::uint32_t nodes, std::uint32_t step) {
    const auto e = ExchangeRegistration::make(name, nodes);
    std::vector<Port> all;
    for (Port node = 0; node < nodes; ++node) all.push_back(e->partner(node, step));
    return all;
  };
  EXPECT_EQ(partners("linear", 5, 1), (std::vector<Port>{2, 3, 4, 0, 1}));
  EXPECT_EQ(partners("pairwise", 8, 2), (std::vector<Port>{3, 2, 1, 0, 7, 6, 5, 4}));
  // Numbers shifted by one: 7 0 | 1 2 | 3 4 | 5 6 are partners in the first step.
  EXPECT_EQ(partners("balanced", 8, 0), (std::vector<Port>{7, 2, 1, 4, 3, 6, 5, 0}));
  EXPECT_EQ(partners("recursive", 8, 0), (std::vector<Port>{4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(partners("recursive", 8, 2), (std::vector<Port>{1, 0, 3, 2, 5, 4, 7, 6}));
}

// Number of pairs of a step in different groups of four nodes, the lowest level of the CM-5's fat tree.
std::vector<int> far_pairs(const char* name) {
  const auto e = ExchangeRegistration::make(name, 16);
  std::vector<int> far;
  for (std::uint32_t step = 0; step < e->steps(); ++step) {
    far.push_back(0);
    for (Port node = 0; node < 16; ++node) far.back() += node / 4 != e->partner(node, step) / 4 ? 1 : 0;
    far.back() /= 2;
  }
  return far;
}

TEST(Exchange, TheBalancedExchangeSpreadsTheTrafficBetweenGroups) {
  EXPECT_EQ(far_pairs("pairwise"), (std::vector<int>{0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8}));
  EXPECT_EQ(far_pairs("balanced"), (std::vector<int>{4, 4, 4, 8, 6, 6, 6, 8, 8, 8, 8, 8, 6, 6, 6}));
}

TEST(Exchange, ExchangesThatPairByBitsNeedAPowerOfTwo) {
  for (const char* name : {"pairwise", "balanced", "recursive"})
    for (const std::uint32_t nodes : {3u, 6u, 12u, 100u}) {
      try {
        ExchangeRegistration::make(name, nodes);
        ADD_FAILURE() << name << " accepted " << nodes;
      } catch (const UserError& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("needs a power of two"), std::string::npos) << text;
        const std::string fix = nodes == 3    ? "2 or 4"
                                : nodes == 6  ? "4 or 8"
                                : nodes == 12 ? "8 or 16"
                                              : "64 or 128";
        EXPECT_NE(text.find(fix), std::string::npos) << text;
      }
    }
  EXPECT_NO_THROW(ExchangeRegistration::make("linear", 12));
}

SwitchParameters preloaded(const char* technique, std::uint32_t slots) {
  SwitchParameters p;
  p.technique = technique;
  p.nodes = 16;
  p.slots = p.preload = slots;
  return p;
}

TrafficOptions all_to_all(const std::string& exchange) {
  TrafficOptions o;
  o.pattern = "all-to-all";
  o.message = 512;
  o.exchange = exchange;
  return o;
}

TEST(Exchange, PreloadedConfigurationsFollowTheSteps) {
  for (const std::string_view name : registered_names("exchange"))
    for (const char* technique : {"tdm", "hybrid"}) {
      const TrafficOptions o = all_to_all(std::string(name));
      const Measures m = simulate(preloaded(technique, 4), o);
      const auto e = ExchangeRegistration::make(name, 16);
      EXPECT_EQ(m.messages, 16 * e->steps()) << name;
      EXPECT_EQ(m.bytes, Bytes{16} * e->steps() * e->blocks() * 512) << name;
      // A step is not loaded if worms have carried all its messages before its turn.
      EXPECT_LE(m.statistics.preloads, e->steps()) << name;
      EXPECT_GE(m.statistics.preloads, technique[0] == 't' ? e->steps() : 4) << name;
      // All steps are preloaded from the start.
      EXPECT_EQ(m.hit_rate == 1, e->steps() <= 4) << name;
    }
}

TEST(Exchange, TheDefaultIsLinear) {
  const auto sends = [](std::string_view exchange) {
    const auto pattern =
        PatternRegistration::make("all-to-all", PatternShape{.nodes = 8, .exchange = exchange});
    std::vector<Port> destinations;
    for (Port node = 0; node < 8; ++node)
      for (std::uint64_t m = pattern->messages(node); m > 0; --m)
        destinations.push_back(pattern->next(node).destination);
    return destinations;
  };
  EXPECT_EQ(sends(""), sends("linear"));
  EXPECT_NE(sends(""), sends("pairwise"));
}

// A node of a forwarding exchange waits for the data that it forwards: one step after the other.
TEST(Exchange, ForwardedDataHasArrived) {
  TrafficOptions o = all_to_all("recursive");
  o.messages = 1;
  const Time one = simulate(preloaded("wormhole", 4), o).time;
  o.messages = 4;
  // All nodes behave alike: four steps of equal length.
  EXPECT_GT(simulate(preloaded("wormhole", 4), o).time, one * 4 - nanoseconds(4 * 80));
  EXPECT_EQ(simulate(preloaded("wormhole", 4), o).messages, 64u);
}

TEST(Exchange, InvalidOptionsAreRefused) {
  TrafficOptions o = all_to_all("recursive");
  o.load = 0.5;
  EXPECT_THROW(check(o), UserError);
  o.exchange = "balanced";
  EXPECT_NO_THROW(check(o));
  o.pattern = "uniform";
  EXPECT_THROW(check(o), UserError);
  o = all_to_all("lineal");
  EXPECT_THROW(check(o), UserError);
}

}  // namespace
}  // namespace hybrid
