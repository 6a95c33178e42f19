#include "predictor/belady.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/random.h"

namespace hybrid {
namespace {

// The largest number of hits of any demand policy without bypass, by trying every victim: all reachable held
// sets, each with the largest number of hits so far.
std::uint64_t most_hits(const std::vector<Port>& sends, std::size_t capacity) {
  std::map<std::set<Port>, std::uint64_t> reached{{{}, 0}};
  for (Port d : sends) {
    std::map<std::set<Port>, std::uint64_t> after;
    const auto reach = [&after](std::set<Port> held, std::uint64_t hits) {
      auto& most = after[std::move(held)];
      most = std::max(most, hits);
    };
    for (const auto& [held, hits] : reached) {
      if (held.contains(d)) {
        reach(held, hits + 1);
        continue;
      }
      std::set<Port> with = held;
      with.insert(d);
      if (with.size() <= capacity) {
        reach(with, hits);
        continue;
      }
      for (Port victim : held) {
        std::set<Port> without = with;
        without.erase(victim);
        reach(std::move(without), hits);
      }
    }
    reached = std::move(after);
  }
  std::uint64_t most = 0;
  for (const auto& [held, hits] : reached) most = std::max(most, hits);
  return most;
}

BeladyBound bound_of(const std::vector<Port>& sends) {
  BeladyBound bound;
  Time at{};
  for (Port d : sends) bound.send(at += nanoseconds(10), d);
  return bound;
}

// Example in the manner of Belady. With three places: 7 0 1 miss; 2 drops 7, needed last; 0 hits; 3 drops 1
// (needed at the end, 2 and 0 before); 0 hits; 4 drops 0 (next used at send 10, after 2 and 3); 2 3 hit; 0
// misses.
TEST(Belady, FollowsAHandWorkedExample) {
  const PredictorScore s = bound_of({7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0}).score(3);
  EXPECT_EQ(s.predictor, "belady");
  EXPECT_EQ(s.capacity, 3u);
  EXPECT_EQ(s.sends, 11u);
  EXPECT_EQ(s.hits, 4u);
  EXPECT_EQ(s.requests, 7u);
  // 0 from send 1 to 6, 2 from 3 to 8, 3 from 5 to 9.
  EXPECT_EQ(s.held, nanoseconds(10 * (5 + 5 + 4)));
  EXPECT_EQ(s.held_unused, Time{});
}

// A round over n destinations in k places: MIN keeps k - 1 of them from round to round.
TEST(Belady, KeepsAPartOfARoundThatIsLongerThanItsCapacity) {
  std::vector<Port> sends;
  for (int round = 0; round < 101; ++round)
    for (Port d = 0; d < 6; ++d) sends.push_back(d);
  EXPECT_EQ(bound_of(sends).score(1).hits, 0u);
  // Every hit shifts the kept ones: of n - 1 sends in a row k - 1 hit.
  EXPECT_EQ(bound_of(sends).score(4).hits, 360u);
  EXPECT_EQ(bound_of(sends).score(6).hits, 600u);
  EXPECT_EQ(bound_of(sends).score(0).hits, 600u);
}

TEST(Belady, LosesEverythingAtAFlush) {
  BeladyBound bound;
  for (int part = 0; part < 3; ++part) {
    bound.flush({});
    for (Port d : {1, 2, 1}) bound.send(nanoseconds(1), d);
  }
  for (std::uint32_t capacity : {0u, 2u}) {
    const PredictorScore s = bound.score(capacity);
    EXPECT_EQ(s.hits, 3u) << capacity;
    EXPECT_EQ(s.requests, 6u) << capacity;
  }
  EXPECT_EQ(bound.score(1).hits, 0u);
}

TEST(Belady, AnEmptyStreamScoresNothing) {
  BeladyBound bound;
  bound.flush({});
  const PredictorScore s = bound.score(4);
  EXPECT_EQ(s.sends + s.hits + s.requests, 0u);
  EXPECT_EQ(s.hit_rate(), 0.0);
}

TEST(Belady, ATimeBeforeThePreviousOneCountsAsThePreviousOne) {
  BeladyBound bound;
  bound.send(nanoseconds(50), 1);
  bound.send(nanoseconds(20), 1);
  EXPECT_EQ(bound.score(1).held, Time{});
}

TEST(Belady, EqualsExhaustiveSearch) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const std::uint64_t destinations = 2 + random.below(5);
    std::vector<Port> sends(1 + random.below(40));
    for (Port& d : sends) d = static_cast<Port>(random.below(destinations));
    for (std::uint32_t capacity = 1; capacity <= 4; ++capacity) {
      const PredictorScore s = bound_of(sends).score(capacity);
      ASSERT_EQ(s.hits, most_hits(sends, capacity)) << "seed " << seed << ", capacity " << capacity;
      ASSERT_EQ(s.hits + s.requests, s.sends);
    }
  }
}

// On long streams, compared with MIN by its definition.
TEST(Belady, DropsTheDestinationWithTheLatestNextUse) {
  Random random(5);
  std::vector<Port> sends(3'000);
  for (Port& d : sends) d = static_cast<Port>(random.below(1 + random.below(60)));
  for (std::size_t capacity : {2u, 5u, 16u, 40u}) {
    std::set<Port> held;
    std::uint64_t hits = 0;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      hits += held.contains(sends[i]) ? 1 : 0;
      if (!held.contains(sends[i]) && held.size() == capacity) {
        const auto next = [&](Port d) {
          return std::find(sends.begin() + static_cast<std::ptrdiff_t>(i), sends.end(), d) - sends.begin();
        };
        held.erase(
            *std::max_element(held.begin(), held.end(), [&](Port a, Port b) { return next(a) < next(b); }));
      }
      held.insert(sends[i]);
    }
    EXPECT_EQ(bound_of(sends).score(static_cast<std::uint32_t>(capacity)).hits, hits) << capacity;
  }
}

// No predictor that requests on demand has more hits, and no predictor makes fewer requests.
TEST(Belady, BoundsEveryPredictor) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed);
    std::vector<Port> sends;
    for (int part = 0; part < 20; ++part) {
      const Port base = static_cast<Port>(random.below(20));
      const std::uint64_t length = 2 + random.below(9);
      for (int i = 0; i < 60; ++i)
        sends.push_back(base + (random.below(8) == 0 ? static_cast<Port>(random.below(9))
                                                     : static_cast<Port>(i) % static_cast<Port>(length)));
    }
    for (std::uint32_t capacity : {1u, 2u, 4u, 8u, 16u}) {
      const PredictorScore best = bound_of(sends).score(capacity);
      for (std::string_view name : registered_names(Predictor::kKind)) {
        PredictorEvaluation e(std::string(name), {.destinations = 32, .capacity = capacity, .future = sends});
        Time at{};
        for (Port d : sends) e.send(at += nanoseconds(10), d, 8, 0);
        const PredictorScore s = e.finish(at);
        if (name == "lru" || name == "counter" || name == "timeout") {
          EXPECT_LE(s.hits, best.hits) << name << capacity;
        }
        if (name != "none") {
          EXPECT_GE(s.requests, best.requests) << name << capacity;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hybrid
