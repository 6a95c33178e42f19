// C12 (L 5, figure 9; D 7.5, figures 7.8 to 7.11): random permutations on fat trees of two, three and four
// levels, local compared with level-wise scheduling.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/claims/sweep.h"
#include "emulator/claims/tree_points.h"

namespace hybrid::c12 {
namespace {

constexpr unsigned kPermutationsPerRepeat = 20;  // 100, as in L 5, with five repeats

// L 1: "each switch selects a routing path randomly".
const std::string kLocal = "local-random";

const std::vector<std::string> kAlgorithms{"local-greedy", "local-random", "level-wise"};

/// One part of L's figure 9: mean, minimum and maximum of each algorithm.
struct Part {
  std::string levels;
  Figure figure;
  std::vector<FatTreeShape> shapes;
};

Part make_part(std::uint32_t levels, const char* name, std::vector<std::uint32_t> ports,
               const ClaimModel& model) {
  const std::uint32_t most = model.most_tree_ports;
  if (most != 0) std::erase_if(ports, [most](std::uint32_t w) { return w > most; });
  Part p{std::string(name) + " levels",
         {std::string("c12-") + name + "-levels",
          fmt::format("Random permutations, {}-level fat trees", name),
          "nodes",
          "schedulability ratio",
          Figure::Scale::logarithmic,
          {},
          {}},
         symmetric_trees(levels, ports)};
  for (const FatTreeShape& shape : p.shapes) p.figure.x.push_back(FatTree(shape).nodes());
  return p;
}

ClaimCheck within(const Part& p, const std::string& algorithm, double from, double to) {
  const Figure& f = p.figure;
  return check_points(p.levels, f, {algorithm}, f.x,
                      [&](double x) { return at(f, algorithm, x) >= from && at(f, algorithm, x) <= to; });
}

ClaimCheck separated(const Part& p) {
  const Figure& f = p.figure;
  return check_points(p.levels, f, {"level-wise min", kLocal + " max"}, f.x,
                      [&](double x) { return at(f, "level-wise min", x) > at(f, kLocal + " max", x); });
}

/// nullopt: no tree is that large.
std::optional<ClaimCheck> leads(const Part& p, const std::string& local) {
  const Figure& f = p.figure;
  if (points_past(f, 500).empty()) return {};
  return check_points(p.levels, f, {"level-wise", local}, points_past(f, 500),
                      [&](double x) { return at(f, "level-wise", x) - at(f, local, x) > 0.30; });
}

ClaimCheck spread_shrinks(const Part& p, const std::string& algorithm) {
  const Figure& f = p.figure;
  const auto spread = [&](double x) { return at(f, algorithm + " max", x) - at(f, algorithm + " min", x); };
  const double first = spread(f.x.front()), last = spread(f.x.back());
  return {p.levels, last < first,
          fmt::format("at {:.6g}: {:.3f}; at {:.6g}: {:.3f}", f.x.front(), first, f.x.back(), last)};
}

void check_all(const std::vector<Part>& parts, std::vector<ClaimCheck>& checks) {
  const auto add = [&](const std::string& statement, const auto& check) {
    std::vector<ClaimCheck> of_parts;
    for (const Part& p : parts)
      if (const std::optional<ClaimCheck> of_part = check(p)) of_parts.push_back(*of_part);
    checks.push_back(for_all(statement, of_parts));
  };
  add("local scheduling grants 45 to 70 %", [&](const Part& p) { return within(p, kLocal, 0.45, 0.70); });
  add("level-wise grants 78 to 95 %", [](const Part& p) { return within(p, "level-wise", 0.78, 0.95); });
  add("minimum of level-wise above maximum of local scheduling", separated);
  add("level-wise over 30 points above local scheduling for > 500 nodes",
      [&](const Part& p) { return leads(p, kLocal); });
  for (const std::string algorithm : {"local-random", "level-wise"})
    add("spread of " + algorithm + " shrinks with size",
        [&](const Part& p) { return spread_shrinks(p, algorithm); });
}

class C12 final : public Claim {
 public:
  std::string_view place() const override { return "L 5, D 7.5"; }

  std::vector<ClaimModel> readings() const override {
    ClaimModel small = reading(
        "trees of switches of at most 16 x 16",
        "L 5 has trees of two, three and four levels \"in the range of 64 to 4096 nodes\" without their "
        "switches. Here these are no larger than those of L's Table 1: trees of two levels end at 256 nodes, "
        "the others at 4096.",
        [](SwitchParameters&, TrafficOptions&) {});
    small.most_tree_ports = 16;
    return {std::move(small)};
  }

  ClaimResult run(const ClaimContext& context) const override {
    std::vector<Part> parts{make_part(2, "two", {8, 11, 16, 23, 32, 45, 64}, context.model),
                            make_part(3, "three", {4, 5, 6, 8, 10, 13, 16}, context.model),
                            make_part(4, "four", {3, 4, 5, 6, 7, 8}, context.model)};
    const unsigned permutations = std::max(1U, context.repeats) * kPermutationsPerRepeat;
    TreePoints points;
    for (const Part& p : parts)
      for (const FatTreeShape& shape : p.shapes)
        for (const std::string& algorithm : kAlgorithms) points.add(shape, algorithm, permutations);
    points.run(context);
    std::size_t point = 0;
    for (Part& p : parts) {
      auto& curves = p.figure.curves;
      for (const std::string& algorithm : kAlgorithms)
        for (const char* what : {"", " min", " max"}) curves.push_back({algorithm + what, {}});
      for (std::size_t i = 0; i < p.shapes.size(); ++i)
        for (std::size_t a = 0; a < kAlgorithms.size(); ++a) {
          const Schedulability& s = points.at(point++);
          curves[3 * a].y.push_back(s.mean);
          curves[3 * a].half.push_back(s.half);
          curves[3 * a + 1].y.push_back(s.min);
          curves[3 * a + 2].y.push_back(s.max);
        }
    }

    ClaimResult result;
    check_all(parts, result.checks);
    for (Part& p : parts) result.figures.push_back(std::move(p.figure));
    result.choices = {
        fmt::format("{} permutations per point (L: 100); sources in ascending order", permutations),
        "trees of w^l nodes: two levels w = 8 to 64, three 4 to 16, four 3 to 8",
        ("local: each switch takes a random free port up (`local-random`, L 1: \"selects a routing path "
         "randomly\"), request by request; a blocked request releases its ports; `local-greedy`, the first "
         "free port, is not checked"),
        "level-wise: level by level, the lowest port, partial paths kept (figure 7)",
        "spread: maximum - minimum, of the largest tree against that of the smallest"};
    result.explanation = {
        "On two levels level-wise grants more than 95 % from 1024 nodes on, and at more sizes where circuits "
        "turn at the common ancestor (ours); local scheduling is then above 70 % on small trees."};
    return result;
  }
};

const ClaimRegistration kC12{"C12", "random permutations on fat trees: level-wise against local scheduling",
                             []() -> std::unique_ptr<Claim> { return std::make_unique<C12>(); }};

}  // namespace
}  // namespace hybrid::c12
