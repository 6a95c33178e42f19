#include "core/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace hybrid {
namespace {

TEST(Random, IsTheSequenceOfTheStandard) {
  // [rand.predef]: the 10000th value of a default-constructed mt19937_64, whose seed is 5489.
  Random random(5489);
  for (int i = 1; i < 10'000; ++i) random.bits();
  EXPECT_EQ(random.bits(), 9981545732273789042ULL);
}

TEST(SmallRandom, IsSplitMix64) {
  // The first values of the published generator for this seed.
  SmallRandom random(1234567);
  for (const std::uint64_t value : {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
                                    4593380528125082431ULL, 16408922859458223821ULL})
    EXPECT_EQ(random.bits(), value);
  EXPECT_EQ(sizeof random, 8u);
}

TEST(Random, ASeedGivesOneSequence) {
  Random a(7), b(7), c(8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto x = a.below(1'000'000);
    EXPECT_EQ(x, b.below(1'000'000));
    differs |= x != c.below(1'000'000);
  }
  EXPECT_TRUE(differs);
}

template <class Source>
class BothSources : public testing::Test {};
using Sources = testing::Types<Random, SmallRandom>;
TYPED_TEST_SUITE(BothSources, Sources);

TYPED_TEST(BothSources, BelowReturnsAllValuesBelowTheBound) {
  TypeParam random(1);
  for (std::uint64_t bound : {1u, 2u, 3u, 7u, 64u, 100u}) {
    std::vector<int> seen(bound);
    for (std::uint64_t i = 0; i < 200 * bound; ++i) {
      const auto value = random.below(bound);
      ASSERT_LT(value, bound);
      ++seen[value];
    }
    for (int n : seen) EXPECT_GT(n, 0);
  }
  for (int i = 0; i < 1000; ++i) ASSERT_LT(random.below(~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_THROW(TypeParam(1).below(0), std::invalid_argument);
}

// Bound of 3/4 of the range: the plain remainder would return values of the lower third twice as often as
// others.
TYPED_TEST(BothSources, BelowIsUnbiasedIfTheRemainderIsBiased) {
  TypeParam random(2);
  const std::uint64_t third = std::uint64_t{1} << 62, bound = 3 * third;
  std::array<int, 3> count{};
  constexpr int kDraws = 90'000;
  for (int i = 0; i < kDraws; ++i) ++count[random.below(bound) / third];
  const double sigma = std::sqrt(kDraws * (1.0 / 3) * (2.0 / 3));
  for (int n : count) EXPECT_NEAR(n, kDraws / 3.0, 5 * sigma);
}

TYPED_TEST(BothSources, BelowIsUniformOverSmallBounds) {
  TypeParam random(3);
  for (std::uint64_t bound : {6u, 10u}) {
    std::vector<int> count(bound);
    constexpr int kDraws = 60'000;
    for (int i = 0; i < kDraws; ++i) ++count[random.below(bound)];
    double chi2 = 0;
    const double expected = kDraws / static_cast<double>(bound);
    for (int n : count) chi2 += (n - expected) * (n - expected) / expected;
    EXPECT_LT(chi2, 35) << "9 degrees of freedom exceed this once in 20000";
  }
}

TEST(Random, FractionsAreUniformAndBelowOne) {
  Random random(4);
  double sum = 0;
  std::array<int, 10> count{};
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.fraction();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    ++count[static_cast<std::size_t>(x * 10)];
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 0.005);
  for (int n : count) EXPECT_NEAR(n, kDraws / 10.0, 500);
}

}  // namespace
}  // namespace hybrid
