#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <variant>

#include "core/error.h"
#include "core/temporary_directory.h"
#include "emulator/claims/allocation_grid.h"
#include "emulator/claims/reproduction.h"
#include "emulator/claims/sweep.h"
#include "emulator/claims/tree_points.h"
#include "emulator/network/technique.h"

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

TEST(ClaimFigure, CsvQuotesTextAndKeepsEveryDigit) {
  EXPECT_EQ(to_csv(example()),
            "message (bytes),circuit,\"say \"\"tdm\"\"\"\n"
            "8,0.25,1\n16,0.5,nan\n32,0.75,0.125\n");
}

std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::size_t occurrences(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(ClaimFigure, PicturesShowEveryPointThatIsANumberAndTextAsItIs) {
  ASSERT_TRUE(draws_figures()) << "the tests need gnuplot (.ci/dependencies test)";
  const TemporaryDirectory directory;
  Figure hostile = example();
  hostile.title = "O'Brien's `id` _a_ {b} @c & \"d\"";
  hostile.curves.push_back({"no number", std::vector<double>(3, std::numeric_limits<double>::quiet_NaN())});
  draw(to_gnuplot(hostile, directory.path() + "/it's.svg") +
       to_gnuplot(example(), directory.path() + "/b.svg"));
  const std::string svg = read_text(directory.path() + "/it's.svg");
  EXPECT_THAT(svg, testing::HasSubstr("O'Brien's `id` _a_ {b} @c &amp; \"d\""));
  EXPECT_THAT(svg, testing::HasSubstr("utilisation, share"));
  EXPECT_THAT(svg, testing::Not(testing::HasSubstr("no number")));
  EXPECT_THAT(read_text(directory.path() + "/b.svg"), testing::HasSubstr("A &lt; B"));
  // A marker for each of the five numbers, and one for each of the two curves in the legend.
  EXPECT_EQ(occurrences(svg, "xlink:href='#gpPt6'"), 5u + 2u) << svg;
}

TEST(ClaimFigure, CurvesOfOneColourHaveDifferentDashes) {
  Figure f = example();
  f.curves.assign(9, {"", {1, 1, 1}});
  for (std::size_t i = 0; i < 9; ++i) f.curves[i].name = "curve" + std::to_string(i);
  const std::string script = to_gnuplot(f, "f.svg");
  EXPECT_THAT(script, testing::ContainsRegex("'curve0'.* rgb '#0b5fa5' dashtype 1"));
  EXPECT_THAT(script, testing::ContainsRegex("'curve8'.* rgb '#0b5fa5' dashtype 2"));
}

TEST(ClaimFigure, AFailureOfGnuplotIsAnError) { EXPECT_THROW(draw("plot nothing here\n"), RunError); }

TEST(ClaimFigure, AnUnknownCurveIsALogicError) { EXPECT_THROW(example().curve("wave"), std::logic_error); }

ClaimTable table_example() {
  return {"example-table",
          "By point",
          {"ratio", "best, by name"},
          {{0.05, "ses"}, {0.123456, "a \"b\""}},
          {"Mean 1."}};
}

TEST(ClaimTables, CsvKeepsEveryDigit) {
  EXPECT_EQ(to_csv(table_example()), "ratio,\"best, by name\"\n0.05,ses\n0.123456,\"a \"\"b\"\"\"\n");
}

TEST(ClaimTables, AreOnThePageAndInFilesNextToTheFigures) {
  Reproduced r{"C5", "grids", "D 4.6.1", {{our_model(), {}}}};
  r.runs[0].result.tables = {table_example()};
  const std::string page = reproduction_page({r}, "pictures", "hybrid reproduce C5");
  EXPECT_NE(page.find("\n[By point, ours](pictures/example-table.csv). Mean 1.\n"), std::string::npos)
      << page;
  const TemporaryDirectory directory;
  write_figures(r, directory.path(), true);
  EXPECT_EQ(read_text(directory.path() + "/example-table.csv"), to_csv(table_example()));
}

/// Grids of two ratios; `worst` is the value of adaptive at ratio 1 with 2 KB buffers, where SLA has 0.5.
std::vector<Figure> grid_example(double worst) {
  std::vector<Figure> grid;
  for (const char* buffer : {"8K", "2K", "128"})
    grid.push_back({std::string("c5-mixed-") + buffer,
                    "",
                    "",
                    "",
                    Figure::Scale::linear,
                    {0, 1},
                    {{"wormhole", {0.4, 0.3}},
                     {"ses", {0.1, 0.2}},
                     {"sla", {0.2, 0.5}},
                     {"preempt", {0.3, 0.4}},
                     {"adaptive", {0.42, std::string(buffer) == "2K" ? worst : 0.55}},
                     {"bound", {0.8, 0.9}}}});
  return grid;
}

TEST(AdaptiveTable, ComparesAdaptiveWithTheBestAndTheBoundAtEveryPoint) {
  const ClaimTable table = adaptive_table(grid_example(0.495), "c5-adaptive");
  ASSERT_EQ(table.rows.size(), 6u);
  const auto text = [&](std::size_t row) {
    std::string cells;
    for (const ClaimTable::Cell& cell : table.rows.at(row)) {
      const double* number = std::get_if<double>(&cell);
      cells += (number != nullptr ? fmt::format("{:.3f}", *number) : std::get<std::string>(cell)) + " ";
    }
    return cells;
  };
  EXPECT_EQ(text(0), "8192.000 0.000 0.400 0.100 0.200 0.300 wormhole 0.420 105.000 0.800 ");
  EXPECT_EQ(text(3), "2048.000 1.000 0.300 0.200 0.500 0.400 sla 0.495 99.000 0.900 ");
  EXPECT_THAT(
      table.notes,
      testing::ElementsAre(
          "adaptive/best: mean 105.7 % (8192 bytes 107.5 %, 2048 bytes 102.0 %, 128 bytes 107.5 %), least "
          "99.0 % (2048 bytes, ratio 1.00)."));
  EXPECT_TRUE(check_adaptive(grid_example(0.495)).holds);
}

TEST(AdaptiveTable, ReportsWhereTheAimIsMissed) {
  const ClaimTable table = adaptive_table(grid_example(0.489), "c5-adaptive");
  EXPECT_NE(table.notes.at(0).find("least 97.8 % (2048 bytes, ratio 1.00)"), std::string::npos);
  EXPECT_NE(check_adaptive(grid_example(0.489)).figures.find("1 of 6 points below 0.98"), std::string::npos);
  EXPECT_FALSE(check_adaptive(grid_example(0.489)).holds);
}

// The seeds of the following tests are arbitrary: the expectations hold for every seed.

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

TEST(ClaimSweep, HasEveryTechniqueAndAllocation) {
  std::vector<std::string> names;
  for (const Variant& v : every_technique("ch4")) {
    EXPECT_NO_THROW(check(v.parameters)) << v.name;
    names.push_back(v.name);
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"chen-liu", "circuit", "coll", "hybrid adaptive", "hybrid none",
                                            "hybrid preempt", "hybrid ses", "hybrid sla", "packet",
                                            "tdm dynamic", "tdm preloaded", "wave", "wormhole"}));
  for (const Listing& listing : listings()) {
    if (listing.kind != Technique::kKind) continue;
    const std::string prefix = std::string(listing.name) + " ";
    const bool there = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name == listing.name || name.starts_with(prefix);
    });
    EXPECT_NE(there, listing.description.starts_with("for tests")) << listing.name;
  }
}

TEST(ClaimSweep, ChecksShowTheFirstAndTheLastFailingPoint) {
  const Figure f = example();
  EXPECT_TRUE(
      check_points("grows", f, {"circuit"}, f.x, [&](double x) { return at(f, "circuit", x) > 0.2; }).holds);
  const ClaimCheck check = check_points("is above a half", f, {"circuit"}, f.x,
                                        [&](double x) { return at(f, "circuit", x) > 0.5; });
  EXPECT_FALSE(check.holds);
  EXPECT_EQ(check.figures, "at 2 of 3 points, 8 to 16: 0.250");
}

TEST(ClaimSweep, ChecksOfStepsCompareEachPointWithThePreviousOne) {
  const Figure f = example();
  const auto grows_to = [&](double factor) {
    return check_steps("doubles", f, "circuit",
                       [factor](double before, double now) { return now >= factor * before; });
  };
  EXPECT_TRUE(grows_to(1.5).holds);
  EXPECT_EQ(grows_to(1.5).figures, "at 8: 0.250; at 32: 0.750");
  EXPECT_FALSE(grows_to(2).holds);
  EXPECT_EQ(grows_to(2).figures, "at 1 of 2 points, 32: 0.750");
  EXPECT_TRUE(all_hold({grows_to(2)}, "halves"));
  EXPECT_FALSE(all_hold({grows_to(1.5), grows_to(2)}, "doub"));
}

TEST(ClaimSweep, AStatementAboutSeveralPartsShowsThoseThatFail) {
  const ClaimCheck first{"first", true, "1"}, second{"second", false, "2"}, third{"third", false, "3"};
  EXPECT_TRUE(for_all("both", {first, first}).holds);
  const ClaimCheck like_second{"fourth", false, "2"}, like_first{"fifth", true, "1"};
  EXPECT_EQ(for_all("both", {first, like_first}).figures, "first, fifth: 1");
  EXPECT_EQ(for_all("all", {second, first, third, like_second}).figures, "second, fourth: 2; third: 3");
  EXPECT_FALSE(for_all("all", {first, second, third}).holds);
  EXPECT_EQ(for_all("all", {first, second, third}).figures, "second: 2; third: 3");
}

TEST(ClaimSweep, ComparesCurvesUpToAFactor) {
  const Figure f = example();
  const std::vector<std::string> curves{"circuit", "say \"tdm\""};
  EXPECT_EQ(least(f, curves, 8), 0.25);
  EXPECT_EQ(most(f, curves, 8), 1);
  EXPECT_TRUE(within_factor(f, curves, 8, 4));
  EXPECT_FALSE(within_factor(f, curves, 8, 3.9));
  EXPECT_EQ(points_to(f, 16), (std::vector<double>{8, 16}));
  EXPECT_EQ(points_past(f, 16), (std::vector<double>{32}));
  EXPECT_EQ(points_from(f, 16), (std::vector<double>{16, 32}));
}

TEST(ClaimSweep, TheBoundFollowsFromTheTraffic) {
  Variant variant = variant_of("ch5", "wormhole", "wormhole");
  variant.parameters.nodes = 16;
  Figure figure = message_size_figure("small", "small");
  figure.x = {8, 64};
  const ClaimContext context{.seed = 1, .repeats = 2, .threads = 1, .progress = {}};
  variant.traffic.pattern = "ordered-mesh";  // 12 of 16 nodes have each neighbour, and some have all four
  EXPECT_EQ(bound_curve(context, figure, variant, set_message).y, (std::vector<double>{0.75, 0.75}));
  variant.traffic.pattern = "scatter";
  EXPECT_EQ(bound_curve(context, figure, variant, set_message).y, (std::vector<double>{1.0 / 16, 1.0 / 16}));
}

TEST(LoadBound, IsTheMeanLoadDividedByTheBusiestPort) {
  const auto bound = [](const std::string& name, std::uint32_t nodes) {
    return load_bound(*PatternRegistration::make(name, PatternShape{.nodes = nodes}), nodes);
  };
  EXPECT_DOUBLE_EQ(bound("neighbor", 16), 1.0);
  EXPECT_DOUBLE_EQ(bound("all-to-all", 9), 1.0);
  EXPECT_DOUBLE_EQ(bound("scatter", 10), 0.1) << "one port sends all messages";
  EXPECT_DOUBLE_EQ(bound("ordered-mesh", 16), 0.75) << "4 x 4: 48 of 64 neighbours, 4 at the inner nodes";
  EXPECT_LT(bound("hotspot", 16), 0.3) << "one in four messages goes to one of 16 ports";
}

TEST(ClaimTreePoints, DoNotDependOnTheThreadsAndShareThePermutations) {
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

TEST(Claims, AreInTheOrderOfThePapers) {
  const auto names = claim_names();
  const std::vector<std::string> order{"C1",  "C2",  "C3",  "C4",  "C5",  "C6",  "C7", "C8", "C9", "C10",
                                       "C11", "C12", "C17", "C18", "C19", "C20", "R1", "R2", "R3", "T1"};
  EXPECT_EQ(std::vector<std::string>(names.begin(), names.end()), order);
  EXPECT_THROW(reproduce("C0", {}), UserError);
}

TEST(Reproduce, ProgressIsOfAllRunsAfterTheFirst) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> notes;
  reproduce("C2",
            {.seed = 1, .repeats = 1, .threads = 1, .progress = [&](std::uint64_t done, std::uint64_t all) {
               notes.emplace_back(done, all);
             }});
  ASSERT_FALSE(notes.empty());
  const std::uint64_t all = notes.back().second;
  EXPECT_EQ(notes.front().first, 0u);
  EXPECT_EQ(notes.back().first, all);
  std::uint64_t before = all / 2;  // of the first of two runs
  for (const auto& [done, of] : notes) {
    if (of != all) continue;
    EXPECT_GE(done, before);
    before = done;
  }
}

TEST(Claims, LongerCablesSlowCircuitSwitchingDown) {
  const Reproduced c2 = reproduce("C2", {.seed = 1, .repeats = 1, .threads = 2, .progress = {}});
  EXPECT_EQ(c2.place, "D 8.5");
  ASSERT_FALSE(c2.runs[1].result.checks.empty());
  EXPECT_TRUE(c2.runs[1].result.checks[0].holds) << c2.runs[1].result.checks[0].figures;
  const std::string page = reproduction_page({c2}, "pictures", "hybrid reproduce C2");
  EXPECT_NE(page.find("pictures/c2-cables.svg"), std::string::npos);
  EXPECT_NE(page.find("| [C2](#c2) | longer cables"), std::string::npos);
}

TEST(Claims, TheRecordedNasBenchmarksAreOneRowEach) {
  const Reproduced c18 =
      reproduce("C18", {.seed = 1, .repeats = 1, .threads = 2, .traces = HYBRID_TRACES, .progress = {}});
  const ClaimTable& table = c18.runs.at(0).result.tables.at(0);
  std::map<std::string, std::vector<double>> rows;
  double messages = 0;
  for (const auto& row : table.rows) {
    auto& numbers = rows[std::get<std::string>(row.at(0))];
    for (std::size_t i = 1; i < row.size(); ++i) numbers.push_back(std::get<double>(row[i]));
    if (&row != &table.rows.back()) messages += numbers.at(0);
  }
  EXPECT_THAT(rows, testing::SizeIs(8)) << "seven benchmarks, and all together";
  EXPECT_EQ(rows.at("all").at(0), messages);
  // Transposes of 16 ranks with equal parts, and few short messages of other collectives.
  EXPECT_EQ(rows.at("ft-16").at(0), 2104);
  EXPECT_EQ(rows.at("ft-16").at(4), 100) << "FT has only collectives";
  EXPECT_EQ(rows.at("ft-16").at(1), rows.at("ft-16").at(2)) << "most of its messages and data have one size";
  // The share of point-to-point messages that `hybrid worth` shows as hinted, here of all messages.
  EXPECT_GT(rows.at("cg-16-hints").at(5), 90);
  EXPECT_FALSE(rows.contains("cg-16")) << "the recording with hints replaces that without";
  const TemporaryDirectory empty;
  EXPECT_THROW(reproduce("C18", {.traces = empty.path(), .progress = {}}), UserError);
}

TEST(ClaimModels, ChangeTheSwitchAndTheTraffic) {
  SwitchParameters p;
  TrafficOptions t;
  reading("", "", [](SwitchParameters& q, TrafficOptions&) { q.demand_guard = false; }).apply(p, t);
  EXPECT_TRUE(p.preload_is_direct && p.tree.turns_at_top && t.torus && t.random_avoids_mesh &&
              t.phase_barrier);
  EXPECT_FALSE(p.demand_guard);
  our_model().apply(p, t);
  EXPECT_FALSE(p.preload_is_direct || p.tree.turns_at_top || t.torus || t.phase_barrier);
}

TEST(ClaimSweep, HasConfidenceIntervals) {
  const Figure f = small_sweep(1);
  ASSERT_EQ(f.curves[0].half.size(), f.x.size());
  // Two seeds: half the interval is 12.706 times half their difference.
  for (std::size_t i = 0; i < f.x.size(); ++i) {
    Variant v = variant_of("ch5", "wormhole", "wormhole");
    v.parameters.nodes = 8;
    v.parameters.seed = 3;
    v.traffic.messages = 20;
    v.traffic.message = static_cast<Bytes>(f.x[i]);
    const double first = simulate(v.parameters, v.traffic).utilisation;
    EXPECT_NEAR(f.curves[0].half[i], 12.706 * std::abs(first - f.curves[0].y[i]), 1e-9);
  }
  EXPECT_THAT(to_csv(f), testing::StartsWith("message (bytes),wormhole,wormhole +-\n"));
}

TEST(Claims, RoutingStreamsLeadAndArriveTogether) {
  const Reproduced c20 = reproduce("C20", {.seed = 2, .repeats = 1, .threads = 1, .progress = {}});
  EXPECT_EQ(c20.place, "I 2, 3");
  for (const ClaimCheck& check : c20.runs[0].result.checks)
    EXPECT_TRUE(check.holds) << check.statement << check.figures;
  // Messages through the root do not wait for others.
  const Figure& arrival = c20.runs[0].result.figures.at(0);
  EXPECT_EQ(at(arrival, "mid-stream", 1), at(arrival, "none", 10));
}

TEST(Claims, TheTickedModelAgreesWithTheFastOne) {
  const Reproduced c17 = reproduce("C17", {.seed = 1, .repeats = 1, .threads = 1, .progress = {}});
  ASSERT_EQ(c17.runs[0].result.checks.size(), 2u);
  for (const ClaimCheck& check : c17.runs[0].result.checks) EXPECT_TRUE(check.holds) << check.figures;
  EXPECT_EQ(c17.runs[0].result.tables.at(0).rows.size(),
            8u * 4u + 2u);  // tdm and hybrid with our policies, too
}

TEST(Claims, NightlyGreedyDeliveryTakesAboutThreeLoadFactors) {
  const ClaimContext context{.seed = 2, .repeats = 1, .threads = 1, .progress = {}};
  const Reproduced c19 = reproduce("C19", context);
  EXPECT_TRUE(c19.runs[0].result.holds());
  const Figure& cycles = c19.runs[0].result.figures.at(0);
  for (const Curve& curve : cycles.curves)
    for (std::size_t i = 0; i < cycles.x.size(); ++i)
      EXPECT_GE(curve.y[i], cycles.x[i]) << "fewer cycles than the load factor: " << curve.name;
  EXPECT_EQ(to_csv(cycles), to_csv(reproduce("C19", context).runs[0].result.figures.at(0)));
}

TEST(Claims, MatchingStepsDoNotDependOnTheThreads) {
  const Reproduced one = reproduce("C11", {.seed = 1, .repeats = 1, .threads = 1, .progress = {}});
  const Reproduced two = reproduce("C11", {.seed = 1, .repeats = 1, .threads = 2, .progress = {}});
  ASSERT_EQ(one.runs[0].result.figures.size(), 8u);
  for (std::size_t i = 0; i < one.runs[0].result.figures.size(); ++i)
    EXPECT_EQ(to_csv(one.runs[0].result.figures[i]), to_csv(two.runs[0].result.figures[i]));
  for (const ClaimCheck& check : one.runs[0].result.checks)
    if (check.statement.starts_with("K = ")) {
      EXPECT_TRUE(check.holds) << check.statement << ": " << check.figures;
    }
}

}  // namespace
}  // namespace hybrid
