#include <gtest/gtest.h>

#include "core/error.h"
#include "core/random.h"
#include "emulator/topology/routing_stream.h"

namespace hybrid {
namespace {

/// The output of the generator for both addresses and the message's bits.
std::vector<StreamBit> generated(RoutingStreamGenerator& generator, std::uint32_t height, Connection c,
                                 const std::vector<bool>& message, std::size_t clocks) {
  for (std::uint32_t i = height; i-- > 0;)
    generator.load((c.source >> i & 1U) != 0, (c.destination >> i & 1U) != 0);
  std::vector<StreamBit> out;
  for (std::size_t i = 0; i < clocks; ++i) out.push_back(generator.shift(i < message.size() && message[i]));
  return out;
}

/// The expected output: the message bit, the closed form, the message.
std::vector<StreamBit> expected(std::uint32_t height, Connection c, const std::vector<bool>& message) {
  std::vector<StreamBit> all{StreamBit::one};
  const auto stream = routing_stream(height, c);
  all.insert(all.end(), stream.begin(), stream.end());
  for (const bool bit : message) all.push_back(stream_bit(bit));
  return all;
}

TEST(RoutingStreamGenerator, EqualsTheClosedForm) {
  const std::vector<bool> message{true, false, true, true, false};
  for (std::uint32_t height = 1; height <= 5; ++height) {
    RoutingStreamGenerator generator(height);  // one for all messages: no state of earlier ones remains
    for (Port s = 0; s < 1U << height; ++s)
      for (Port d = 0; d < 1U << height; ++d) {
        if (s == d) continue;
        const auto want = expected(height, {s, d}, message);
        EXPECT_EQ(generated(generator, height, {s, d}, message, want.size()), want)
            << height << ": " << s << " to " << d;
      }
  }
}

TEST(RoutingStreamGenerator, EqualsTheClosedFormInTallTrees) {
  Random random(1);
  for (std::uint32_t height = 6; height <= kMostTreeHeight; ++height) {
    RoutingStreamGenerator generator(height);
    for (int i = 0; i < 50; ++i) {
      const auto source = static_cast<Port>(random.below(1U << height));
      // The addresses differ in the bit of the pivot and possibly in lower bits.
      const Port pivot = 1U << random.below(height);
      const Connection c{source, source ^ (pivot | static_cast<Port>(random.below(pivot)))};
      const auto want = expected(height, c, {true, true, false});
      EXPECT_EQ(generated(generator, height, c, {true, true, false}, want.size()), want);
    }
  }
}

TEST(RoutingStreamGenerator, StartsANewStreamAfterAnyNumberOfShifts) {
  RoutingStreamGenerator generator(4);
  for (const std::size_t clocks : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{40}}) {
    generated(generator, 4, {0, 1}, {}, clocks);
    const auto want = expected(4, {3, 12}, {true});
    EXPECT_EQ(generated(generator, 4, {3, 12}, {true}, want.size()), want) << clocks;
  }
}

TEST(RoutingStreamGenerator, IsQuietForEqualAddresses) {
  RoutingStreamGenerator generator(3);
  EXPECT_EQ(generated(generator, 3, {5, 5}, {}, 1).front(), StreamBit::zero);
  EXPECT_EQ(generated(generator, 3, {5, 4}, {}, 1).front(), StreamBit::one);
}

TEST(RoutingStreamGenerator, RefusesInvalidHeights) {
  EXPECT_THROW(RoutingStreamGenerator(0), UserError);
  EXPECT_THROW(RoutingStreamGenerator(kMostTreeHeight + 1), UserError);
}

}  // namespace
}  // namespace hybrid
