// C19 (I 4.4, figures 19 to 21): delivery cycles of the greedy approach by load factor of the message set,
// compared with off-line scheduling.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/claims/sweep.h"
#include "emulator/scheduler/delivery_cycles.h"
#include "emulator/topology/channel_load.h"
#include "emulator/topology/message_sets.h"

namespace hybrid::c19 {
namespace {

constexpr std::uint32_t kProcessors = 1024;
constexpr std::uint32_t kLoadOfFigure21 = 8;
constexpr unsigned kSetsPerRepeat = 2;
constexpr double kOnAverage = 3;  // the memo's bound, in load factors

struct Tree {
  std::string name;
  BinaryFatTree tree;
};

/// Returns the thinnest and the fattest universal fat tree, and one between.
std::vector<Tree> fat_trees(std::uint32_t n) {
  const auto power = [n](double exponent) {
    return static_cast<std::uint32_t>(std::ceil(std::pow(n, exponent) - 1e-6));
  };
  return {{"w = n^(2/3)", BinaryFatTree::universal(n, power(2.0 / 3))},
          {"w = n^(5/6)", BinaryFatTree::universal(n, power(5.0 / 6))},
          {"w = n", BinaryFatTree::universal(n, n)}};
}

/// Returns the fat trees, and a tree with one path in every channel.
std::vector<Tree> trees(std::uint32_t n) {
  std::vector<Tree> all = fat_trees(n);
  all.push_back({"plain", BinaryFatTree::uniform(n, 1)});
  return all;
}

const MessageSetKind& find_kind(std::string_view name) {
  for (const MessageSetKind& kind : message_set_kinds())
    if (kind.name == name) return kind;
  throw std::logic_error("unknown message set");
}

using Deliver = std::function<double(const BinaryFatTree&, std::span<const Connection>, Random&)>;

double greedy(const BinaryFatTree& tree, std::span<const Connection> messages, Random& random) {
  return greedy_delivery(tree, messages, random).cycles;
}
double partition(const BinaryFatTree& tree, std::span<const Connection> messages, Random& /*random*/) {
  return off_line_partition(tree, messages).cycles;
}
double first_fit(const BinaryFatTree& tree, std::span<const Connection> messages, Random& /*random*/) {
  return first_fit_delivery(tree, messages).cycles;
}

/// Returns the mean number of cycles over the message sets.
Estimate mean_cycles(const ClaimContext& context, const BinaryFatTree& tree, std::string_view set,
                     double load_factor, const Deliver& deliver) {
  const unsigned sets = std::max(1U, context.repeats) * kSetsPerRepeat;
  std::vector<double> cycles;
  for (unsigned i = 0; i < sets; ++i) {
    Random random(context.seed + i);
    const auto messages = find_kind(set).make(tree, static_cast<std::uint32_t>(load_factor), random);
    cycles.push_back(deliver(tree, messages, random));
  }
  return estimate(cycles);
}

/// Returns a figure without curves over load factors.
Figure over_load_factors(const std::string& file, const std::string& title, const std::string& y_label) {
  return {file, title, "load factor lambda", y_label, Figure::Scale::linear, {1, 2, 4, 6, 8, 10, 12, 14, 16},
          {}};
}

template <class Value>
void add_curve(Figure& f, const std::string& name, Value&& value) {
  Curve& curve = f.curves.emplace_back(Curve{name, {}});
  for (const double x : f.x) {
    const Estimate y = value(x);
    curve.y.push_back(y.mean);
    curve.half.push_back(y.half);
  }
}

Figure cycles_figure(const ClaimContext& context) {
  Figure f = over_load_factors("c19-cycles", fmt::format("Greedy delivery, {} processors", kProcessors),
                               "delivery cycles");
  for (const Tree& t : trees(kProcessors))
    add_curve(f, t.name, [&](double x) { return mean_cycles(context, t.tree, "filled", x, greedy); });
  const Tree thin = fat_trees(kProcessors).front();
  add_curve(f, "random", [&](double x) { return mean_cycles(context, thin.tree, "random", x, greedy); });
  add_curve(f, "3 lambda", [](double x) { return Estimate{kOnAverage * x}; });
  add_curve(f, "lambda", [](double x) { return Estimate{x}; });
  return f;
}

Figure sets_figure(const ClaimContext& context) {
  Figure f =
      over_load_factors("c19-sets", fmt::format("Greedy delivery, {} processors, w = n^(2/3)", kProcessors),
                        "delivery cycles / lambda");
  const Tree thin = fat_trees(kProcessors).front();
  for (const MessageSetKind& kind : message_set_kinds())
    add_curve(f, std::string(kind.name),
              [&](double x) { return mean_cycles(context, thin.tree, kind.name, x, greedy) / x; });
  return f;
}

Figure size_figure(const ClaimContext& context) {
  Figure f{"c19-size",
           fmt::format("Greedy delivery, load factor {}, filled message sets", kLoadOfFigure21),
           "processors",
           "delivery cycles / lambda",
           Figure::Scale::logarithmic,
           {16, 32, 64, 128, 256, 512, 1024, 2048, 4096},
           {}};
  for (std::size_t t = 0; t < trees(2).size(); ++t)
    add_curve(f, trees(2)[t].name, [&](double x) {
      const Tree tree = trees(static_cast<std::uint32_t>(x))[t];
      return mean_cycles(context, tree.tree, "filled", kLoadOfFigure21, greedy) / kLoadOfFigure21;
    });
  return f;
}

Figure off_line_figure(const ClaimContext& context) {
  Figure f = over_load_factors(
      "c19-off-line", fmt::format("Greedy and off-line, {} processors, filled message sets", kProcessors),
      "delivery cycles / lambda");
  const std::vector<Tree> fat = fat_trees(kProcessors);
  for (const Tree* t : {&fat.front(), &fat.back()})
    for (const auto& [name, deliver] : {std::pair<const char*, Deliver>{"greedy", greedy},
                                        {"partition", partition},
                                        {"first fit", first_fit}})
      add_curve(f, fmt::format("{}, {}", name, t->name),
                [&, by = deliver](double x) { return mean_cycles(context, t->tree, "filled", x, by) / x; });
  return f;
}

class C19 final : public Claim {
 public:
  std::string_view place() const override { return "I 4.4"; }
  bool has_models() const override { return false; }

  ClaimResult run(const ClaimContext& context) const override {
    ClaimResult result;
    if (context.progress) context.progress(0, 4);
    const auto add = [&](Figure figure) {
      result.figures.push_back(std::move(figure));
      if (context.progress) context.progress(result.figures.size(), 4);
    };
    add(cycles_figure(context));
    add(sets_figure(context));
    add(size_figure(context));
    add(off_line_figure(context));
    const Figure &cycles = result.figures[0], &sets = result.figures[1], &size = result.figures[2],
                 &off_line = result.figures[3];
    const auto names_of = [](const Figure& f) {
      std::vector<std::string> names;
      names.reserve(f.curves.size());
      for (const Curve& curve : f.curves) names.push_back(curve.name);
      return names;
    };
    const std::vector<std::string> fat{"w = n^(2/3)", "w = n^(5/6)", "w = n"};
    const auto all_at_most = [](const Figure& f, const std::vector<std::string>& curves, double x,
                                double most) {
      return std::all_of(curves.begin(), curves.end(), [&](const auto& c) { return at(f, c, x) <= most; });
    };
    auto& checks = result.checks;
    checks.push_back(check_points(
        fmt::format("{} processors, filled sets: at most 3 lambda cycles on average on each fat tree",
                    kProcessors),
        cycles, fat, cycles.x, [&](double x) { return all_at_most(cycles, fat, x, kOnAverage * x); }));
    checks.push_back(
        check_points(fmt::format("{} processors, w = n^(2/3): at most 3 lambda for every kind of message set",
                                 kProcessors),
                     sets, names_of(sets), sets.x,
                     [&](double x) { return all_at_most(sets, names_of(sets), x, kOnAverage); }));
    checks.push_back(check_points(
        fmt::format("load factor {}: at most 3 lambda for every number of processors", kLoadOfFigure21), size,
        fat, size.x, [&](double x) { return all_at_most(size, fat, x, kOnAverage); }));
    checks.push_back(check_points(
        "plain tree: more than 3 lambda from 256 processors, growing with lg n (Maley's bound)", size,
        {"plain"}, points_where(size, [](double x) { return x >= 256; }), [&](double x) {
          return at(size, "plain", x) > kOnAverage && at(size, "plain", x) > at(size, "plain", x / 16);
        }));
    checks.push_back(check_points(
        "off-line first fit needs fewer cycles than on-line greedy", off_line, names_of(off_line),
        points_where(off_line, [](double x) { return x > 1; }), [&](double x) {
          return at(off_line, "first fit, w = n", x) < at(off_line, "greedy, w = n", x) &&
                 at(off_line, "first fit, w = n^(2/3)", x) < at(off_line, "greedy, w = n^(2/3)", x);
        }));
    checks.push_back(check_points("the off-line partition stays below its bound of 2 lambda lg n", off_line,
                                  {"partition, w = n^(2/3)", "partition, w = n"}, off_line.x, [&](double x) {
                                    return all_at_most(off_line,
                                                       {"partition, w = n^(2/3)", "partition, w = n"}, x,
                                                       2 * std::log2(kProcessors));
                                  }));
    result.choices = {
        "universal fat trees (the memo's reference 3) with w paths at the root; 'plain': one path in every "
        "channel",
        fmt::format(
            "message sets, {} per repeat: 'filled' reaches the load factor on every channel as far as random "
            "choice finds it, 'random' on one; the others are permutations, repeated while they fit",
            kSetsPerRepeat)};
    return result;
  }
};

const ClaimRegistration kC19{"C19", "fat tree, greedy delivery: on average at most about 3 lambda cycles",
                             []() -> std::unique_ptr<Claim> { return std::make_unique<C19>(); }};

}  // namespace
}  // namespace hybrid::c19
