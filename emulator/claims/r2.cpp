// R2, ours: schedulability of random permutations on fat trees, from local scheduling to the optimum, for 64
// to 65,536 nodes and two to five levels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/claims/sweep.h"
#include "emulator/claims/tree_points.h"

namespace hybrid::r2 {
namespace {

const std::vector<std::string> kAlgorithms{"local-greedy", "local-random",       "d-mod-k",
                                           "level-wise",   "level-wise-request", "level-wise-rearranged",
                                           "optimal"};
constexpr std::uint32_t kFewNodes = 5000;  // trees up to this size have four times as many permutations

struct Part {
  const char* name;
  std::uint32_t levels;
  std::vector<std::uint32_t> ports;
};

void check_all(const std::vector<Figure>& figures, std::vector<ClaimCheck>& checks) {
  const auto add = [&](const std::string& statement, const std::vector<std::string>& algorithms,
                       const std::function<bool(const Figure&, double)>& holds) {
    std::vector<ClaimCheck> parts;
    parts.reserve(figures.size());
    for (const Figure& f : figures)
      parts.push_back(check_points(f.file, f, algorithms, f.x, [&](double x) { return holds(f, x); }));
    checks.push_back(for_all(statement, parts));
  };
  add("level-wise-rearranged grants at least 99 %", {"level-wise-rearranged"},
      [](const Figure& f, double x) { return at(f, "level-wise-rearranged", x) >= 0.99; });
  add("local < level-wise < rearranged", {"local-random", "level-wise", "level-wise-rearranged"},
      [](const Figure& f, double x) {
        return at(f, "local-random", x) < at(f, "level-wise", x) &&
               at(f, "level-wise", x) < at(f, "level-wise-rearranged", x);
      });
  add("a random port up is as good as the destination's (3 points)", {"local-random", "d-mod-k"},
      [](const Figure& f, double x) {
        return std::abs(at(f, "local-random", x) - at(f, "d-mod-k", x)) < 0.03;
      });
}

class R2 final : public Claim {
 public:
  std::string_view place() const override { return "ours"; }
  bool has_models() const override { return false; }

  ClaimResult run(const ClaimContext& context) const override {
    const std::vector<Part> parts{{"two", 2, {8, 16, 32, 64, 128, 256}},
                                  {"three", 3, {4, 6, 8, 12, 16, 25, 32, 40}},
                                  {"four", 4, {3, 4, 5, 6, 8, 11, 13, 16}},
                                  {"five", 5, {3, 4, 5, 6, 7, 8, 9}}};
    const unsigned repeats = std::max(1U, context.repeats);
    TreePoints points;
    for (const Part& p : parts)
      for (const FatTreeShape& shape : symmetric_trees(p.levels, p.ports))
        for (const std::string& algorithm : kAlgorithms)
          points.add(shape, algorithm, FatTree(shape).nodes() <= kFewNodes ? 4 * repeats : repeats);
    points.run(context);

    ClaimResult result;
    std::size_t point = 0;
    for (const Part& p : parts) {
      Figure f{std::string("r2-") + p.name + "-levels",
               fmt::format("Random permutations, {}-level fat trees", p.name),
               "nodes",
               "schedulability ratio",
               Figure::Scale::logarithmic,
               {},
               {}};
      for (const std::string& algorithm : kAlgorithms) f.curves.push_back({algorithm, {}});
      for (const FatTreeShape& shape : symmetric_trees(p.levels, p.ports)) {
        f.x.push_back(FatTree(shape).nodes());
        for (Curve& curve : f.curves) {
          curve.y.push_back(points.at(point).mean);
          curve.half.push_back(points.at(point++).half);
        }
      }
      result.figures.push_back(std::move(f));
    }
    check_all(result.figures, result.checks);
    result.choices = {
        fmt::format("mean over {} permutations up to {} nodes, {} above; symmetric trees of w^l nodes",
                    4 * repeats, kFewNodes, repeats),
        "level-wise-rearranged: at most 24 connections change ports to make room for a blocked one"};
    return result;
  }
};

const ClaimRegistration kR2{"R2", "schedulability of random permutations on fat trees, from local to optimal",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<R2>(); }};

}  // namespace
}  // namespace hybrid::r2
