#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/error.h"
#include "emulator/claims/reproduction.h"
#include "emulator/claims/sweep.h"
#include "emulator/claims/tree_points.h"

namespace hybrid {
namespace {

Figure example() {
  return {"example",
          "A < B",
          "message (bytes)",
          "utilisation, share",
          Figure::Scale::logarithmic,
          {8, 16, 32},
          {{"circuit", {0.25, 0.5, 0.75}},
           {"say \"tdm\"", {1, std::numeric_limits<double>::quiet_NaN(), 0.125}}}};
}

TEST(ClaimFigure, CsvQuotesAndKeepsEveryDigit) {
  EXPECT_EQ(to_csv(example()),
            "message (bytes),circuit,\"say \"\"tdm\"\"\"\n"
            "8,0.25,1\n16,0.5,nan\n32,0.75,0.125\n");
}

TEST(ClaimFigure, SvgEscapesAndDrawsEachPointThatIsANumber) {
  const std::string svg = to_svg(example());
  EXPECT_NE(svg.find("A &lt; B"), std::string::npos);
  std::size_t markers = 0;
  for (std::size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1))
    ++markers;
  EXPECT_EQ(markers, 5u);
  // Equal ratios are equal distances, and the largest value is at the top.
  EXPECT_NE(svg.find("cx=\"300.0\""), std::string::npos) << svg;
}

TEST(ClaimFigure, AnUnknownCurveIsALogicError) { EXPECT_THROW(example().curve("wave"), std::logic_error); }

Figure small_sweep(unsigned threads) {
  Variant variant = variant_of("ch5", "wormhole", "wormhole");
  variant.parameters.nodes = 8;
  variant.traffic.messages = 20;
  Figure figure = message_size_figure("small", "small");
  sweep({.seed = 3, .repeats = 2, .threads = threads, .progress = {}}, figure, {variant}, set_message);
  return figure;
}

TEST(ClaimSweep, DoesNotDependOnTheThreads) {
  const Figure one = small_sweep(1), four = small_sweep(4);
  ASSERT_EQ(one.curves.at(0).y.size(), 9u);
  EXPECT_EQ(one.curves[0].y, four.curves[0].y);
  EXPECT_GT(at(one, "wormhole", 2048), at(one, "wormhole", 8));
}

TEST(ClaimSweep, ChecksShowWhereTheyDoNotHold) {
  const Figure f = example();
  EXPECT_TRUE(
      check_points("grows", f, {"circuit"}, f.x, [&](double x) { return at(f, "circuit", x) > 0.2; }).holds);
  const ClaimCheck check = check_points("is above a half", f, {"circuit"}, f.x,
                                        [&](double x) { return at(f, "circuit", x) > 0.5; });
  EXPECT_FALSE(check.holds);
  EXPECT_EQ(check.figures, "not at 2 of 3 points: at 8: circuit 0.250; at 16: circuit 0.500");
}

TEST(ClaimTreePoints, DoNotDependOnTheThreadsAndPairThePermutations) {
  const auto run = [](unsigned threads) {
    TreePoints points;
    for (const char* algorithm : {"local-random", "level-wise", "optimal"})
      points.add({3, 4, 4}, algorithm, 6);
    points.run({.seed = 7, .repeats = 1, .threads = threads, .progress = {}});
    return points;
  };
  const TreePoints one = run(1), four = run(4);
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_EQ(one.at(p).mean, four.at(p).mean);
    EXPECT_LE(one.at(p).min, one.at(p).mean);
    EXPECT_LE(one.at(p).mean, one.at(p).max);
  }
  EXPECT_LT(one.at(0).mean, one.at(1).mean);
  EXPECT_EQ(one.at(2).min, 1);
  EXPECT_EQ(one.at(2).mean, 1);
}

TEST(Claims, AreAllThereInThePapersOrder) {
  const auto names = claim_names();
  const std::vector<std::string> order{"C1", "C2",  "C3",  "C4",  "C5",  "C6",  "C7", "C8",
                                       "C9", "C10", "C11", "C12", "C19", "C20", "R1", "R2"};
  EXPECT_EQ(std::vector<std::string>(names.begin(), names.end()), order);
  EXPECT_THROW(reproduce("C0", {}), UserError);
}

TEST(Claims, LongerCablesSlowCircuitSwitchingDown) {
  const Reproduced c2 = reproduce("C2", {.seed = 1, .repeats = 1, .threads = 2, .progress = {}});
  EXPECT_EQ(c2.place, "D 8.5");
  ASSERT_FALSE(c2.result.checks.empty());
  EXPECT_TRUE(c2.result.checks[0].holds) << c2.result.checks[0].figures;
  const std::string page = reproduction_page({c2}, "pictures", "hybrid reproduce C2");
  EXPECT_NE(page.find("pictures/c2-cables.svg"), std::string::npos);
  EXPECT_NE(page.find("| [C2](#c2) | D 8.5 |"), std::string::npos);
}

TEST(Claims, RoutingStreamsLeadAndArriveTogether) {
  const Reproduced c20 = reproduce("C20", {.seed = 2, .repeats = 1, .threads = 1, .progress = {}});
  EXPECT_EQ(c20.place, "I 2, 3");
  for (const ClaimCheck& check : c20.result.checks)
    EXPECT_TRUE(check.holds) << check.statement << check.figures;
  // Through the root there is nobody to wait for.
  const Figure& arrival = c20.result.figures.at(0);
  EXPECT_EQ(at(arrival, "mid-stream", 1), at(arrival, "none", 10));
}

TEST(Claims, NightlyGreedyDeliveryTakesAboutThreeLoadFactors) {
  const ClaimContext context{.seed = 2, .repeats = 1, .threads = 1, .progress = {}};
  const Reproduced c19 = reproduce("C19", context);
  EXPECT_TRUE(c19.result.holds());
  const Figure& cycles = c19.result.figures.at(0);
  for (const Curve& curve : cycles.curves)
    for (std::size_t i = 0; i < cycles.x.size(); ++i)
      EXPECT_GE(curve.y[i], cycles.x[i]) << "fewer cycles than the load factor: " << curve.name;
  EXPECT_EQ(to_csv(cycles), to_csv(reproduce("C19", context).result.figures.at(0)));
}

TEST(Claims, MatchingStepsDoNotDependOnTheThreads) {
  const Reproduced one = reproduce("C11", {.seed = 1, .repeats = 1, .threads = 1, .progress = {}});
  const Reproduced two = reproduce("C11", {.seed = 1, .repeats = 1, .threads = 2, .progress = {}});
  ASSERT_EQ(one.result.figures.size(), 8u);
  for (std::size_t i = 0; i < one.result.figures.size(); ++i)
    EXPECT_EQ(to_csv(one.result.figures[i]), to_csv(two.result.figures[i]));
  for (const ClaimCheck& check : one.result.checks)
    if (check.statement.starts_with("K = ")) {
      EXPECT_TRUE(check.holds) << check.statement << ": " << check.figures;
    }
  EXPECT_EQ(one.result.checks.back().statement, "K = 2N - 1 is exact");
}

}  // namespace
}  // namespace hybrid
