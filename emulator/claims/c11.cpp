// C11 (D 6.6, figures 6.16 and 6.17): K-step matching compared with the maximum matching, for random requests
// and for requests over a hidden complete matching.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "emulator/claims/sweep.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/hardware_cost.h"

namespace hybrid::c11 {
namespace {

constexpr std::array<std::uint32_t, 4> kSizes{16, 32, 64, 128};
constexpr std::array<double, 7> kLoads{0.125, 0.25, 0.5, 1, 2, 4, 8};  // requests per port
constexpr std::array<std::uint32_t, 8> kSteps{1, 3, 5, 7, 9, 11, 13, 15};
constexpr std::size_t kNine = 4;  // index of 9 in kSteps
constexpr double kAbout99 = 0.98, kMean99 = 0.99;
constexpr std::uint64_t kSetsPerRepeat = 20;  // 100 sets at five repeats, as D 6.6
enum class Kind : std::uint8_t { random, hidden };

/// Point of the figures: request sets of one kind, size and load, and their results.
struct Point {
  Kind kind{};
  std::uint32_t ports = 0;
  double load = 0;
  std::uint64_t sets = 0;
  std::array<Estimate, kSteps.size()> ratio{};  // of granted / maximum
  double worst_at_nine = 1;
  std::uint64_t greedy_differs = 0;  // sets on which K = 1 is not the greedy schedule
};

/// Draws round(load x N) distinct connections between different ports; hidden: in addition to those of a
/// random permutation without fixed points.
BitMatrix draw_requests(const Point& point, Random& random) {
  const std::uint32_t n = point.ports;
  BitMatrix requests(n, n);
  if (point.kind == Kind::hidden) {
    std::vector<Port> to(n);
    const auto has_fixed_point = [&] {
      for (Port u = 0; u < n; ++u)
        if (to[u] == u) return true;
      return false;
    };
    for (Port u = 0; u < n; ++u) to[u] = u;
    while (has_fixed_point())
      for (Port u = n - 1; u > 0; --u) std::swap(to[u], to[random.below(u + 1)]);
    for (Port u = 0; u < n; ++u) requests.set(u, to[u]);
  }
  for (auto more = std::lround(point.load * n); more > 0;) {
    const auto u = static_cast<Port>(random.below(n)), v = static_cast<Port>(random.below(n));
    if (u == v || requests.test(u, v)) continue;
    requests.set(u, v);
    --more;
  }
  return requests;
}

void run_point(Point& point, std::uint64_t seed) {
  const std::uint32_t n = point.ports;
  const SchedulerShape shape{n};
  std::array<std::unique_ptr<Scheduler>, kSteps.size()> steps;
  for (std::size_t i = 0; i < kSteps.size(); ++i)
    steps[i] = make_one_slot_scheduler("matching", {n, 1, kSteps[i]});
  const auto greedy = make_one_slot_scheduler("greedy", shape);
  const auto exact = make_one_slot_scheduler("exact", shape);
  std::array<std::vector<double>, kSteps.size()> ratios;
  const PortSet to_release(n);
  const Configuration empty(n);
  PortSet inputs(n);
  for (Port u = 0; u < n; ++u) inputs.set(u);
  for (std::uint64_t set = 0; set < point.sets; ++set) {
    Random random(seed + set);
    const BitMatrix requests = draw_requests(point, random);
    const SchedulingPriority priority{static_cast<Port>(random.below(n)), static_cast<Port>(random.below(n))};
    const SchedulingPass pass{requests, to_release, empty, inputs, priority};
    const std::size_t most = exact->pass(pass).size();
    for (std::size_t i = 0; i < kSteps.size(); ++i) {
      const auto granted = steps[i]->pass(pass);
      const double ratio = static_cast<double>(granted.size()) / static_cast<double>(most);
      ratios[i].push_back(ratio);
      if (i == kNine) point.worst_at_nine = std::min(point.worst_at_nine, ratio);
      if (i == 0) {
        const auto of_greedy = greedy->pass(pass);
        if (!std::equal(granted.begin(), granted.end(), of_greedy.begin(), of_greedy.end()))
          ++point.greedy_differs;
      }
    }
  }
  for (std::size_t i = 0; i < kSteps.size(); ++i) point.ratio[i] = estimate(ratios[i]);
}

std::vector<Point> run_points(const ClaimContext& context) {
  std::vector<Point> points;
  for (const Kind kind : {Kind::random, Kind::hidden})
    for (const std::uint32_t ports : kSizes)
      for (const double load : kLoads) {
        Point& point = points.emplace_back();
        point.kind = kind;
        point.ports = ports;
        point.load = load;
        point.sets = kSetsPerRepeat * std::max(1U, context.repeats);
      }
  run_jobs(context, points.size(), [&](std::size_t i) { run_point(points[i], context.seed * 1'000'000); });
  return points;
}

const char* name_of(Kind kind) {
  return kind == Kind::random ? "random requests" : "requests over a complete matching";
}

/// Checks K = 9 at each point of a kind.
ClaimCheck nine_steps_at_every_point(const std::vector<Point>& points, Kind kind) {
  const Point* lowest = nullptr;
  double worst_set = 1;
  std::string below;
  for (const Point& point : points) {
    if (point.kind != kind) continue;
    worst_set = std::min(worst_set, point.worst_at_nine);
    if (lowest == nullptr || point.ratio[kNine].mean < lowest->ratio[kNine].mean) lowest = &point;
    if (point.ratio[kNine].mean < kAbout99)
      below += fmt::format("; fails at {} nodes, load {:g}: {:.4f} (K = 11: {:.4f})", point.ports, point.load,
                           point.ratio[kNine].mean, point.ratio[kNine + 1].mean);
  }
  return {name_of(kind), below.empty(),
          fmt::format("lowest {:.4f}, at {} nodes, load {:g}; lowest single set {:.3f}{}",
                      lowest->ratio[kNine].mean, lowest->ports, lowest->load, worst_set, below)};
}

/// Checks K = 9 in the mean over the loads, for each size.
ClaimCheck nine_steps_in_the_mean(const std::vector<Point>& points, Kind kind) {
  ClaimCheck check{name_of(kind), true, {}};
  for (const std::uint32_t ports : kSizes) {
    double mean = 0;
    for (const Point& point : points)
      if (point.kind == kind && point.ports == ports)
        mean += point.ratio[kNine].mean / static_cast<double>(kLoads.size());
    check.holds = check.holds && mean >= kMean99;
    check.figures += fmt::format("{}{} nodes: {:.4f}", check.figures.empty() ? "" : ", ", ports, mean);
  }
  return check;
}

class C11 final : public Claim {
 public:
  std::string_view place() const override { return "D 6.6"; }
  bool has_models() const override { return false; }

  ClaimResult run(const ClaimContext& context) const override {
    const std::vector<Point> points = run_points(context);
    ClaimResult result;
    for (const Kind kind : {Kind::random, Kind::hidden})
      for (const std::uint32_t ports : kSizes) {
        Figure f{fmt::format("c11-{}-{}", kind == Kind::random ? "random" : "hidden", ports),
                 fmt::format("K-step matching, {} nodes: {}", ports, name_of(kind)),
                 "optimization steps K",
                 "granted / maximum matching",
                 Figure::Scale::linear,
                 {},
                 {}};
        f.x.assign(kSteps.begin(), kSteps.end());
        for (const Point& point : points) {
          if (point.kind != kind || point.ports != ports) continue;
          Curve& curve = f.curves.emplace_back(Curve{fmt::format("load {:g}", point.load), {}});
          for (const Estimate& ratio : point.ratio) {
            curve.y.push_back(ratio.mean);
            curve.half.push_back(ratio.half);
          }
        }
        result.figures.push_back(std::move(f));
      }
    std::vector<ClaimCheck> at_every_point, in_the_mean;
    for (const Kind kind : {Kind::random, Kind::hidden}) {
      at_every_point.push_back(nine_steps_at_every_point(points, kind));
      in_the_mean.push_back(nine_steps_in_the_mean(points, kind));
    }
    result.checks = {
        for_all("K = 9 grants at least 98 % of the maximum at every size and load", at_every_point),
        for_all("K = 9 grants at least 99 % in the mean over the loads at every size", in_the_mean)};
    std::uint64_t sets = 0, greedy_differs = 0;
    double greedy = 1;
    for (const Point& point : points) {
      sets += point.sets;
      greedy_differs += point.greedy_differs;
      greedy = std::min(greedy, point.ratio[0].mean);
    }
    result.checks.push_back({"K = 1 is the greedy schedule", greedy_differs == 0,
                             fmt::format("differs on {} of {} sets; lowest point {:.3f} of the maximum",
                                         greedy_differs, sets, greedy)});
    result.choices = {
        "K is the maximal length of the augmenting paths, in edges (D 6.4.1)",
        "density: requests per port (the text's example contradicts its caption)",
        fmt::format(
            "{} sets of distinct connections per point; complete matching: a permutation plus as many random "
            "requests as the load gives; greedy has random priority",
            points.front().sets)};
    result.explanation = {
        "Augmenting paths are longest if each port has two to four requests, and grow with the number of "
        "ports."};
    return result;
  }
};

const ClaimRegistration kC11{"C11", "K-step matching: 99 % of the maximum matching at K = 9",
                             []() -> std::unique_ptr<Claim> { return std::make_unique<C11>(); }};

}  // namespace
}  // namespace hybrid::c11
