// Traffic of D 4.6 and 5.5.2 where the text leaves a choice: the edge of meshes, the order of random rounds,
// random messages on the mesh, shares of the specific destinations, and barriers between phases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "emulator/traffic/grid.h"
#include "emulator/traffic/phase_barrier.h"
#include "emulator/traffic/testing/destinations.h"

namespace hybrid {
namespace {

PatternShape shape_of(std::uint32_t nodes, std::uint64_t messages, double ratio = 0.5) {
  PatternShape shape;
  shape.nodes = nodes;
  shape.messages = messages;
  shape.ratio = ratio;
  return shape;
}

/// D 5.5.2.1: "4 destinations were used per processor".
TEST(Pattern, MeshesThatWrapHaveFourDestinationsPerNode) {
  for (const char* name : {"ordered-mesh", "random-mesh"}) {
    PatternShape shape = shape_of(128, 64);
    shape.torus = true;
    const auto pattern = PatternRegistration::make(name, shape);
    for (Port source = 0; source < 128; ++source) {
      const auto all = destinations(*pattern, source);
      EXPECT_EQ(all.size(), 64u) << "no round without a message";
      EXPECT_EQ((std::set<Port>(all.begin(), all.end()).size()), 4u) << name;
    }
  }
}

TEST(Pattern, PermutedRoundsTakeEachDirectionOnceInFour) {
  PatternShape shape = shape_of(64, 40);
  shape.torus = shape.permuted_rounds = true;
  const auto pattern = PatternRegistration::make("random-mesh", shape);
  std::set<std::vector<Port>> orders;
  for (Port source = 0; source < 64; ++source) {
    const auto all = destinations(*pattern, source);
    for (std::size_t round = 0; round < all.size(); round += 4) {
      const std::vector<Port> four(all.begin() + static_cast<std::ptrdiff_t>(round),
                                   all.begin() + static_cast<std::ptrdiff_t>(round) + 4);
      EXPECT_EQ((std::set<Port>(four.begin(), four.end()).size()), 4u);
      if (source == 9) orders.insert(four);
    }
  }
  EXPECT_GT(orders.size(), 3u) << "the order changes";
}

TEST(Pattern, RandomMessagesCanAvoidTheMesh) {
  for (const char* name : {"mixed", "phases"})
    for (const bool avoids : {false, true}) {
      PatternShape shape = shape_of(64, 256, 0);  // random messages only
      shape.random_avoids_mesh = avoids;
      const auto pattern = PatternRegistration::make(name, shape);
      const Grid mesh(64, Grid::Edge::mesh);
      std::uint64_t hits = 0;
      for (Port source = 0; source < 64; ++source) {
        const auto near = mesh.neighbors(source);
        for (const Port to : destinations(*pattern, source))
          hits += static_cast<std::uint64_t>(std::count(near.begin(), near.end(), to));
      }
      // On average 3.5 of 63 destinations are neighbours.
      EXPECT_EQ(hits == 0, avoids) << name << " " << hits;
    }
  PatternShape small = shape_of(4, 8, 0);
  small.torus = small.random_avoids_mesh = true;
  EXPECT_NO_THROW(PatternRegistration::make("mixed", small)) << "node 0 is no neighbour of node 3";
  small.nodes = 2;
  EXPECT_THROW(PatternRegistration::make("mixed", small), UserError);
}

TEST(Pattern, MixedMessagesCanAlternateEvenly) {
  for (const double ratio : {0.0, 0.05, 0.3, 0.75, 1.0}) {
    PatternShape shape = shape_of(64, 200, ratio);
    shape.torus = shape.random_avoids_mesh = shape.mixes_evenly = true;
    const auto pattern = PatternRegistration::make("mixed", shape);
    const Grid mesh(64, Grid::Edge::torus);
    std::set<std::size_t> firsts;
    for (Port source = 0; source < 64; ++source) {
      const auto near = mesh.neighbors(source);
      const auto all = destinations(*pattern, source);
      std::vector<double> before{0};  // mesh messages
      for (const Port to : all)
        before.push_back(before.back() + (std::find(near.begin(), near.end(), to) != near.end() ? 1 : 0));
      for (std::size_t i = 0; i < before.size(); ++i)
        for (std::size_t j = i; j < before.size(); ++j)
          ASSERT_LE(std::abs(before[j] - before[i] - ratio * static_cast<double>(j - i)), 1 + 1e-6);
      firsts.insert(static_cast<std::size_t>(std::find(before.begin(), before.end(), 1) - before.begin()));
    }
    EXPECT_EQ(firsts.size() > 1, ratio > 0 && ratio < 1) << "not all nodes at once";
  }
}

TEST(Pattern, TheSpecificDestinationsCanHaveOtherShares) {
  PatternShape shape = shape_of(64, 2000, 1);
  shape.first_share = 0.6;
  const auto pattern = PatternRegistration::make("determinism", shape);
  std::uint64_t first = 0, all = 0;
  for (Port source = 0; source < 64; ++source)
    for (const Port to : destinations(*pattern, source)) {
      first += to == (source + 1) % 64 ? 1 : 0;
      ++all;
    }
  EXPECT_NEAR(static_cast<double>(first) / static_cast<double>(all), 0.6, 0.01);
}

TEST(Pattern, SpecificDestinationsInTurns) {
  for (const double ratio : {0.0, 0.3, 0.85, 1.0})
    for (const std::uint32_t nodes : {5u, 64u}) {
      PatternShape shape = shape_of(nodes, 200, ratio);
      shape.specific_turns = {4, 7};
      const auto pattern = PatternRegistration::make("determinism", shape);
      std::vector<Pattern::Known> known;
      while (const auto next = pattern->known(known.size())) known.push_back(*next);
      const auto specific = static_cast<std::uint64_t>(std::llround(200 * ratio));
      ASSERT_EQ(known.size(), (specific + 6) / 7);
      std::vector<std::uint64_t> served(known.size());
      std::set<std::vector<std::size_t>> places;
      for (Port source = 0; source < nodes; ++source) {
        std::uint64_t count = 0;
        std::vector<std::size_t> at;
        std::set<Port> used;
        for (std::size_t i = 0; i < 200; ++i) {
          const Pattern::Send send = pattern->next(source);
          EXPECT_NE(send.destination, source);
          if (send.step == Pattern::kNoStep) continue;
          EXPECT_EQ(send.step, count++ / 7) << "turns in order";
          EXPECT_TRUE(known[send.step].configuration.holds({source, send.destination}));
          EXPECT_EQ(known[send.step].configuration, known[send.step % 4].configuration) << "four, in a cycle";
          ++served[send.step];
          at.push_back(i);
          used.insert(send.destination);
        }
        EXPECT_EQ(count, specific);
        EXPECT_EQ(used.size(), std::min<std::size_t>(4, known.size()));
        places.insert(at);
      }
      for (std::size_t step = 0; step < known.size(); ++step) EXPECT_EQ(served[step], known[step].messages);
      EXPECT_EQ(places.size() == 1, ratio == 0 || ratio == 1) << "at random places";
    }
  PatternShape small = shape_of(4, 8);
  small.specific_turns = {4, 1};
  EXPECT_THROW(PatternRegistration::make("determinism", small), UserError) << "a node is not its own";
}

/// Nodes send in any order as far as the barrier lets them; deliveries come in any order.
TEST(PhaseBarrier, APhaseBeginsWhenAllMessagesOfTheOneBeforeAreDelivered) {
  for (const char* name : {"phases", "two-phase"})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      PatternShape shape = shape_of(16, 40, 0.3);
      shape.phase_length = 10;
      shape.seed = seed;
      const auto rehearsal = PatternRegistration::make(name, shape);
      PhaseBarrier barrier(PatternRegistration::make(name, shape), *rehearsal, 16);
      Random random(seed);
      std::vector<std::uint64_t> left(16);
      std::vector<std::pair<Port, std::uint64_t>> under_way;  // destination, step
      std::uint64_t all = 0, sent = 0, changes = 0;
      for (Port source = 0; source < 16; ++source) all += left[source] = barrier.messages(source);
      std::uint32_t phase = 0;
      while (sent < all || !under_way.empty()) {
        std::vector<Port> ready;
        for (Port source = 0; source < 16; ++source)
          if (left[source] > 0 && barrier.ready(source)) ready.push_back(source);
        ASSERT_FALSE(ready.empty() && under_way.empty()) << name << ": nodes wait for ever";
        if (!ready.empty() && (under_way.empty() || random.below(2) == 0)) {
          const Port source = ready[random.below(ready.size())];
          const Pattern::Send send = barrier.next(source);
          if (send.phase != phase) {
            ASSERT_TRUE(under_way.empty()) << name << ": messages of another phase are under way";
            phase = send.phase;
            ++changes;
          }
          --left[source];
          ++sent;
          under_way.emplace_back(send.destination, send.step);
        } else {
          std::swap(under_way[random.below(under_way.size())], under_way.back());
          const auto [to, step] = under_way.back();
          under_way.pop_back();
          barrier.received(to, step);
        }
      }
      EXPECT_EQ(changes, name == std::string("phases") ? 7u : 1u) << name;
    }
}

}  // namespace
}  // namespace hybrid
