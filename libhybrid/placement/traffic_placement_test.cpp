// Placements to try: the numbers of ranks on the ports, and traffic that stays inside a port or a switch.
#include "libhybrid/placement/traffic_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/random.h"

namespace hybrid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Port> by_traffic(const std::vector<Port>& given, std::uint32_t tree_down,
                             const std::map<Connection, Bytes>& bytes) {
  for (const RankPlacement& p : placements_to_try(given, tree_down, bytes))
    if (p.name == "by traffic") return p.port_of_rank;
  return {};
}

TEST(TrafficPlacement, OnOneSwitchWithARankOnEachPortNoneIsBetter) {
  EXPECT_THAT(placements_to_try({3, 0, 1, 2}, 0, {{{0, 1}, 100}}), IsEmpty());
  EXPECT_THAT(placements_to_try({5, 5, 5}, 0, {{{0, 1}, 100}}), IsEmpty()) << "one port";
  EXPECT_TRUE(placements_are_equal({3, 0, 1, 2}, 0));
  EXPECT_TRUE(placements_are_equal({5, 5, 5}, 2));
  EXPECT_FALSE(placements_are_equal({0, 1, 1}, 0));
  EXPECT_FALSE(placements_are_equal({0, 1, 2}, 2));
}

// Rank r and rank r + 4 exchange most.
TEST(TrafficPlacement, PartnersShareAPort) {
  std::map<Connection, Bytes> bytes;
  for (Port r = 0; r < 4; ++r) {
    bytes[{r, r + 4}] = 1000;
    bytes[{r, (r + 1) % 4}] = 10;
  }
  const std::vector<Port> ports = by_traffic({0, 0, 1, 1, 2, 2, 3, 3}, 0, bytes);
  ASSERT_EQ(ports.size(), 8U);
  for (std::size_t r = 0; r < 4; ++r) EXPECT_EQ(ports[r], ports[r + 4]);
}

// In FT(2, 2, 2) with a rank on each port: pairs share a lower switch.
TEST(TrafficPlacement, PartnersShareASwitchOfATree) {
  const std::vector<Port> ports = by_traffic({0, 1, 2, 3}, 2, {{{0, 2}, 1000}, {{3, 1}, 900}, {{0, 1}, 1}});
  EXPECT_THAT(ports, ElementsAre(0, 2, 1, 3));
}

TEST(TrafficPlacement, APairGetsThePortWithTwoPlaces) {
  EXPECT_THAT(by_traffic({1, 0, 1}, 0, {{{1, 2}, 1000}, {{0, 1}, 1}}), ElementsAre(0, 1, 1));
}

// The switches of FT(3, 2, 2) have the ports 0 and 1, 2 and 3, 4 and 5, 6 and 7.
TEST(TrafficPlacement, FollowsTheSwitchesOfPortsThatDoNotStartAtOne) {
  const std::vector<Port> ports = by_traffic({1, 2, 3, 4}, 2, {{{0, 1}, 1000}, {{2, 3}, 900}});
  ASSERT_EQ(ports.size(), 4U);
  EXPECT_EQ(ports[0] / 2, ports[1] / 2);
  // The other two do not share a lower switch, whatever the placement.
}

// With pairs that exchange messages and a port for each two ranks, all messages stay inside their ports.
TEST(TrafficPlacement, FindsAllPairs) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const auto pairs = static_cast<std::uint32_t>(2 + random.below(20));
    std::vector<Port> ranks(2 * pairs), given(2 * pairs);
    for (std::uint32_t r = 0; r < ranks.size(); ++r) ranks[r] = r, given[r] = r % pairs;
    for (std::size_t r = ranks.size() - 1; r > 0; --r) std::swap(ranks[r], ranks[random.below(r + 1)]);
    std::map<Connection, Bytes> bytes;
    for (std::uint32_t k = 0; k < pairs; ++k) bytes[{ranks[2 * k], ranks[2 * k + 1]}] = 1 + random.below(100);
    std::vector<Port> ports = by_traffic(given, 0, bytes);
    if (ports.empty()) ports = given;  // the given one has them together
    for (const auto& [c, sum] : bytes) EXPECT_EQ(ports[c.source], ports[c.destination]) << seed;
  }
}

TEST(TrafficPlacement, EachPortKeepsItsNumberOfRanks) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    std::vector<Port> given(1 + random.below(40));
    for (Port& port : given) port = static_cast<Port>(random.below(12));
    std::map<Connection, Bytes> bytes;
    for (std::uint64_t k = random.below(100); k > 0; --k)
      bytes[{static_cast<Port>(random.below(given.size())), static_cast<Port>(random.below(given.size()))}] +=
          random.below(1000);
    std::set<std::vector<Port>> seen{given};
    for (const RankPlacement& p :
         placements_to_try(given, static_cast<std::uint32_t>(random.below(4)), bytes)) {
      EXPECT_TRUE(
          std::is_permutation(given.begin(), given.end(), p.port_of_rank.begin(), p.port_of_rank.end()))
          << seed << " " << p.name;
      EXPECT_TRUE(seen.insert(p.port_of_rank).second) << seed << " " << p.name << " twice";
    }
  }
}

}  // namespace
}  // namespace hybrid
