#include "core/hints/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"

namespace hybrid {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::vector<Connection> connections(std::string_view name, std::uint32_t ranks,
                                    const std::vector<std::int64_t>& given) {
  const auto pattern = HintPatternRegistration::make(name);
  const auto dimensions = pattern->complete(given, ranks);
  std::vector<Connection> all;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    std::vector<std::uint32_t> to;
    pattern->destinations(rank, ranks, dimensions, to);
    for (const std::uint32_t d : to)
      if (d != rank) all.push_back({rank, d});
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::string error_of(std::string_view name, std::uint32_t ranks, const std::vector<std::int64_t>& given) {
  try {
    HintPatternRegistration::make(name)->complete(given, ranks);
  } catch (const UserError& e) {
    return e.what();
  }
  return "not rejected";
}

TEST(HintPattern, HasItsConnections) {
  const auto from = [](std::string_view name, std::uint32_t rank, std::uint32_t ranks,
                       const std::vector<std::int64_t>& given) {
    std::vector<std::uint32_t> to;
    for (const Connection& c : connections(name, ranks, given))
      if (c.source == rank) to.push_back(c.destination);
    return to;
  };
  EXPECT_THAT(from("mesh2d", 4, 12, {}), UnorderedElementsAre(1, 3, 5, 7)) << "4 x 3";
  EXPECT_THAT(from("mesh2d", 3, 12, {3, 4}), UnorderedElementsAre(2, 7));
  EXPECT_THAT(from("torus2d", 3, 12, {3, 4}), UnorderedElementsAre(0, 2, 7, 11));
  EXPECT_THAT(from("mesh3d", 0, 8, {}), UnorderedElementsAre(1, 2, 4));
  EXPECT_THAT(from("torus3d", 0, 27, {}), UnorderedElementsAre(1, 2, 3, 6, 9, 18));
  EXPECT_EQ(from("stencil3d", 13, 27, {}).size(), 26u);
  EXPECT_THAT(from("stencil2d", 0, 9, {}), UnorderedElementsAre(1, 3, 4));
  EXPECT_THAT(from("ring", 0, 5, {}), UnorderedElementsAre(1, 4));
  EXPECT_THAT(from("line", 0, 5, {}), UnorderedElementsAre(1));
  EXPECT_THAT(from("hypercube", 5, 8, {}), UnorderedElementsAre(1, 4, 7));
  EXPECT_THAT(from("transpose", 1, 9, {}), UnorderedElementsAre(3));
  EXPECT_THAT(from("tree", 1, 6, {}), UnorderedElementsAre(0, 3, 4));
  EXPECT_THAT(from("pairwise", 3, 6, {}), UnorderedElementsAre(2));
  EXPECT_THAT(from("scatter", 2, 4, {2}), UnorderedElementsAre(0, 1, 3));
  EXPECT_TRUE(from("scatter", 1, 4, {2}).empty());
  EXPECT_THAT(from("gather", 1, 4, {2}), UnorderedElementsAre(2));
  EXPECT_THAT(from("shift", 3, 4, {}), UnorderedElementsAre(0));
  EXPECT_THAT(from("shift", 0, 4, {-1}), UnorderedElementsAre(3));
}

TEST(HintPattern, RejectsAnImpossibleNumberOfRanks) {
  EXPECT_EQ(error_of("mesh2d", 16, {3, 4}),
            "pattern mesh2d of 3x4 has a different number of places; the job has 16 ranks");
  EXPECT_EQ(error_of("mesh3d", 16, {4, 4}), "pattern mesh3d has 3 dimensions, not 2");
  EXPECT_EQ(error_of("torus2d", 16, {-4, -4}),
            "pattern torus2d of -4x-4 has a different number of places; the job has 16 ranks");
  EXPECT_EQ(error_of("hypercube", 12, {}), "pattern hypercube needs a power of two; the job has 12 ranks");
  EXPECT_EQ(error_of("hypercube", 8, {8}), "pattern hypercube takes no dimensions");
  EXPECT_EQ(error_of("transpose", 12, {}), "pattern transpose needs a square number; the job has 12 ranks");
  EXPECT_EQ(error_of("pairwise", 5, {}), "pattern pairwise needs an even number; the job has 5 ranks");
  EXPECT_EQ(error_of("scatter", 4, {4}), "pattern scatter has the root 4; the job has 4 ranks");
  EXPECT_EQ(error_of("gather", 4, {-1}), "pattern gather has the root -1; the job has 4 ranks");
  EXPECT_THAT(error_of("gather", 4, {1, 2}), HasSubstr("takes one number, the root"));
}

TEST(HintPattern, IsRecognisedFromItsConnections) {
  for (const std::string_view name : registered_names(HintPattern::kKind)) {
    if (name == "butterfly") continue;  // the same connections as hypercube
    for (const std::uint32_t ranks : {16u, 64u}) {
      if (name.ends_with("3d") && ranks == 16) continue;  // 4 x 2 x 2 is a 2d torus in two ways
      const std::string recognised = recognize_pattern(connections(name, ranks, {}), ranks);
      if (name == "torus2d" && ranks == 16)
        EXPECT_EQ(recognised, "torus2d 4x4");
      else if (name == "torus3d" && ranks == 64)
        EXPECT_EQ(recognised, "torus3d 4x4x4");
      else
        EXPECT_TRUE(recognised.starts_with(name)) << name << " " << ranks << ": " << recognised;
    }
  }
  EXPECT_EQ(recognize_pattern(connections("mesh2d", 12, {2, 6}), 12), "mesh2d 2x6");
  EXPECT_EQ(recognize_pattern(connections("scatter", 7, {3}), 7), "scatter 3");
  EXPECT_EQ(recognize_pattern(connections("shift", 16, {5}), 16), "shift 5");
  EXPECT_EQ(recognize_pattern(connections("ring", 16, {}), 16), "ring");
}

TEST(HintPattern, IsNotRecognisedIfOneConnectionDiffers) {
  auto set = connections("mesh2d", 16, {});
  set.pop_back();
  EXPECT_EQ(recognize_pattern(set, 16), "");
  EXPECT_EQ(recognize_pattern({}, 16), "");
  set = connections("ring", 16, {});
  set.push_back({15, 7});
  std::sort(set.begin(), set.end());
  EXPECT_EQ(recognize_pattern(set, 16), "");
}

}  // namespace
}  // namespace hybrid
