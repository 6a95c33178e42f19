#include "predictor/destination_line.h"

#include <gtest/gtest.h>

namespace hybrid {
namespace {

std::optional<Port> after(std::initializer_list<Port> sends, std::uint32_t destinations = 10) {
  DestinationLine line(destinations);
  for (const Port d : sends) line.send(d);
  return line.next();
}

TEST(DestinationLine, NeedsTwoEqualSteps) {
  EXPECT_EQ(after({}), std::nullopt);
  EXPECT_EQ(after({3}), std::nullopt);
  EXPECT_EQ(after({3, 5}), std::nullopt);
  EXPECT_EQ(after({1, 2}), std::nullopt) << "no send to 0 before";
  EXPECT_EQ(after({3, 5, 7}), 9u);
  EXPECT_EQ(after({3, 5, 7, 8}), std::nullopt);
  EXPECT_EQ(after({3, 5, 7, 8, 9}), 0u);
}

TEST(DestinationLine, FollowsBothDirectionsAndWrapsAround) {
  EXPECT_EQ(after({2, 1, 0}), 9u);
  EXPECT_EQ(after({8, 9, 0}), 1u);
  EXPECT_EQ(after({1, 8, 5}), 2u);
  EXPECT_EQ(after({4, 4, 4}), std::nullopt) << "a step of 0 is no line";
  EXPECT_EQ(after({0, 0, 0}, 1), std::nullopt);
}

}  // namespace
}  // namespace hybrid
