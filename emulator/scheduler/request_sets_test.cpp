#include "emulator/scheduler/request_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/error.h"
#include "emulator/scheduler/edge_colouring.h"
#include "emulator/scheduler/request_file.h"
#include "emulator/scheduler/schedule_check.h"

namespace hybrid {
namespace {

RequestSet drawn(std::string_view family, const RequestSetShape& shape, std::uint64_t seed = 1) {
  Random random(seed);
  return RequestFamilyRegistration::make(family, shape)->draw(random);
}

TEST(RequestSets, EveryFamilyGivesAValidSetAtEverySize) {
  for (const std::string_view family : registered_names(RequestFamily::kKind))
    for (const std::uint32_t ports : {2U, 3U, 7U, 64U, 200U})
      for (const double density : {0.6, 1.0, 2.0})
        for (const bool random_sizes : {false, true}) {
          const RequestSetShape shape{ports, std::min(density, ports - 1.0), 100, random_sizes};
          const RequestSet set = drawn(family, shape);
          ASSERT_EQ(fault_of(set), "") << family << " " << ports;
          ASSERT_EQ(set.ports, ports);
          ASSERT_FALSE(set.requests.empty()) << family;
          ASSERT_EQ(drawn(family, shape).requests, set.requests) << family;
          for (const Request& r : set.requests) ASSERT_GT(r.bytes, 0u);
        }
}

TEST(RequestSets, DensityIsRequestsPerInput) {
  EXPECT_EQ(drawn("random", {64, 0.125}).requests.size(), 8u);
  EXPECT_EQ(drawn("random", {64, 8}).requests.size(), 512u);
  EXPECT_EQ(drawn("random", {8, 7}).requests.size(), 56u);  // all connections
  EXPECT_EQ(drawn("hotspot", {64, 2}).requests.size(), 128u);
}

TEST(RequestSets, HiddenHoldsACompleteMatching) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RequestSet set = drawn("hidden", {32, 0.5}, seed);
    // 32 requests of the matching and up to 16 more: a maximum matching, by augmenting paths, has all inputs.
    std::vector<Port> input_of(32, kNoPort);
    const auto match_input = [&](auto&& self, Port input, std::set<Port>& seen) -> bool {
      for (const Request& r : set.requests) {
        if (r.connection.source != input || !seen.insert(r.connection.destination).second) continue;
        Port& holder = input_of[r.connection.destination];
        if (holder == kNoPort || self(self, holder, seen)) {
          holder = input;
          return true;
        }
      }
      return false;
    };
    for (Port p = 0; p < 32; ++p) {
      std::set<Port> seen;
      ASSERT_TRUE(match_input(match_input, p, seen)) << "seed " << seed;
    }
  }
}

TEST(RequestSets, HotspotSendsItsShareToPortZero) {
  const auto to_zero = [](const RequestSet& set) {
    return std::count_if(set.requests.begin(), set.requests.end(),
                         [](const Request& r) { return r.connection.destination == 0; });
  };
  RequestSetShape shape{64, 1};
  shape.hotspot = 0.25;
  EXPECT_EQ(to_zero(drawn("hotspot", shape)), 16);
  shape.hotspot = 0;
  EXPECT_EQ(to_zero(drawn("hotspot", shape)), 0);
  shape.hotspot = 1;
  EXPECT_EQ(to_zero(drawn("hotspot", shape)), 63);
  shape.density = 63;  // all connections
  EXPECT_EQ(to_zero(drawn("hotspot", shape)), 63);
}

TEST(RequestSets, PermutationsUseEveryPortOnce) {
  std::set<std::vector<Port>> seen;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RequestSet set = drawn("permutation", {4, 1}, seed);
    std::vector<Port> to;
    for (const Request& r : set.requests) to.push_back(r.connection.destination);
    seen.insert(to);
    std::sort(to.begin(), to.end());
    ASSERT_EQ(to, (std::vector<Port>{0, 1, 2, 3}));
  }
  EXPECT_EQ(seen.size(), 9u) << "4 elements have 9 derangements";
}

TEST(RequestSets, SkewedHasMostBytesInAQuarterOfTheFlows) {
  const RequestSet set = drawn("skewed", {100, 16, 1000});
  std::vector<Bytes> sizes;
  Bytes all = 0;
  for (const Request& r : set.requests) {
    sizes.push_back(r.bytes);
    all += r.bytes;
  }
  std::sort(sizes.rbegin(), sizes.rend());
  Bytes large = 0;
  for (std::size_t i = 0; i < sizes.size() / 4; ++i) large += sizes[i];
  EXPECT_NEAR(static_cast<double>(large) / static_cast<double>(all), 0.7, 0.05);
  EXPECT_NEAR(static_cast<double>(all), 100 * 16 * 1000.0, 100 * 16 * 1000 * 0.06);
}

TEST(RequestSets, DrawDistinctDrawsDifferentNumbers) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const std::uint64_t bound = 1 + random.below(100), count = random.below(bound + 1);
    const std::vector<std::uint64_t> numbers = draw_distinct(count, bound, random);
    ASSERT_EQ(std::set<std::uint64_t>(numbers.begin(), numbers.end()).size(), count);
    for (const std::uint64_t n : numbers) ASSERT_LT(n, bound);
  }
}

TEST(RequestSets, ConnectionsByNumber) {
  std::set<Connection> seen;
  for (std::uint64_t i = 0; i < 5 * 4; ++i) {
    const Connection c = connection_at(i, 5);
    EXPECT_NE(c.source, c.destination);
    EXPECT_EQ(index_of(c, 5), i);
    seen.insert(c);
  }
  EXPECT_EQ(seen.size(), 20u);
}

TEST(RequestSets, RefusesBytesWithATooLargeSum) {
  for (const char* family : {"random", "skewed", "shift"})
    for (const Bytes bytes : {kUnlimited, Bytes{1} << 63, Bytes{1} << 60, kLargestRequest + 1})
      EXPECT_THROW(drawn(family, {8, 1, bytes}), UserError) << family << " " << bytes;
  EXPECT_EQ(drawn("shift", {8, 1, kLargestRequest}).requests[0].bytes, kLargestRequest);
  EXPECT_NO_THROW(drawn("skewed", {8, 4, kLargestRequest}));
  EXPECT_THROW(drawn("all-to-all", {1'100, 1, kLargestRequest}),
               UserError);  // the limit is 2^20 requests of 2^40 bytes
  EXPECT_NO_THROW(drawn("all-to-all", {1'000, 1, kLargestRequest}));
}

TEST(RequestSets, RefusesInvalidShapes) {
  EXPECT_THROW(drawn("random", {1, 1}), UserError);
  EXPECT_THROW(drawn("random", {8, 0}), UserError);
  EXPECT_THROW(drawn("random", {8, 8}), UserError);
  EXPECT_THROW(drawn("random", {8, 0.01}), UserError);
  EXPECT_THROW(drawn("random", {16'384, 16'000}), UserError);
  EXPECT_THROW(drawn("random", {8, 1, 0}), UserError);
  EXPECT_THROW(drawn("hotspot", {8, 1, 1, false, 1.5}), UserError);
  EXPECT_THROW(drawn("all-to-all", {16'384}), UserError);
}

}  // namespace
}  // namespace hybrid
