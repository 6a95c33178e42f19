#include "core/configuration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "core/random.h"

namespace hybrid {
namespace {

void expect_equal(const Configuration& c, const std::set<Connection>& model, std::size_t ports) {
  ASSERT_EQ(c.count(), model.size());
  ASSERT_EQ(c.empty(), model.empty());
  ASSERT_EQ(c.connections(), std::vector<Connection>(model.begin(), model.end()));
  for (Port p = 0; p < ports; ++p) {
    const auto from = std::find_if(model.begin(), model.end(), [&](Connection k) { return k.source == p; });
    const auto to =
        std::find_if(model.begin(), model.end(), [&](Connection k) { return k.destination == p; });
    ASSERT_EQ(c.destination_of(p), from == model.end() ? kNoPort : from->destination);
    ASSERT_EQ(c.source_of(p), to == model.end() ? kNoPort : to->source);
    ASSERT_EQ(c.inputs().test(p), from != model.end());
    ASSERT_EQ(c.outputs().test(p), to != model.end());
  }
}

TEST(Configuration, IsAPartialPermutation) {
  for (std::size_t ports :
       {std::size_t{1}, std::size_t{4}, std::size_t{64}, std::size_t{65}, std::size_t{130}}) {
    Random random(ports);
    Configuration c(ports);
    std::set<Connection> model;
    EXPECT_EQ(c.ports(), ports);
    for (int i = 0; i < 2'000; ++i) {
      const Connection k{static_cast<Port>(random.below(ports)), static_cast<Port>(random.below(ports))};
      const bool fits = std::none_of(model.begin(), model.end(), [&](Connection m) {
        return m.source == k.source || m.destination == k.destination;
      });
      ASSERT_EQ(c.fits(k), fits);
      ASSERT_EQ(c.holds(k), model.contains(k));
      if (random.below(3) != 0) {
        ASSERT_EQ(c.add(k), fits);
        if (fits) model.insert(k);
      } else if (random.below(2) == 0) {
        ASSERT_EQ(c.remove(k), model.erase(k) == 1);
      } else if (!model.empty()) {
        const Connection held = *model.begin();
        ASSERT_TRUE(c.remove(held));
        model.erase(held);
      }
      if (random.below(500) == 0) {
        c.clear();
        model.clear();
      }
      if (i % 50 == 0) expect_equal(c, model, ports);
    }
    expect_equal(c, model, ports);
  }
}

TEST(Configuration, EqualIfTheConnectionsAreEqual) {
  Configuration a(8), b(8);
  EXPECT_EQ(a, b);
  ASSERT_TRUE(a.add({1, 2}));
  EXPECT_FALSE(a == b);
  ASSERT_TRUE(b.add({3, 4}));
  ASSERT_TRUE(b.add({1, 2}));
  ASSERT_TRUE(b.remove({3, 4}));
  EXPECT_EQ(a, b);
  EXPECT_FALSE(Configuration(4) == Configuration(8));
}

TEST(Configuration, RejectsTakenPortsWithoutAChange) {
  Configuration c(4);
  ASSERT_TRUE(c.add({0, 1}));
  EXPECT_FALSE(c.add({0, 1}));
  EXPECT_FALSE(c.add({0, 2}));
  EXPECT_FALSE(c.add({3, 1}));
  EXPECT_FALSE(c.remove({0, 2}));
  EXPECT_TRUE(c.add({1, 0}));
  EXPECT_EQ(c.connections(), (std::vector<Connection>{{0, 1}, {1, 0}}));
}

TEST(Connection, HashesDiffer) {
  std::unordered_set<std::size_t> hashes;
  for (Port s = 0; s < 200; ++s)
    for (Port d = 0; d < 200; ++d) hashes.insert(std::hash<Connection>{}({s, d}));
  EXPECT_EQ(hashes.size(), 40'000u);
}

TEST(Connection, IsOrderedBySourceFirst) {
  EXPECT_LT((Connection{1, 9}), (Connection{2, 0}));
  EXPECT_LT((Connection{1, 1}), (Connection{1, 2}));
  EXPECT_EQ((Connection{1, 1}), (Connection{1, 1}));
}

}  // namespace
}  // namespace hybrid
