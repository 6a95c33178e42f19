#include "emulator/claims/allocation_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/traffic/load_bound.h"

namespace hybrid {

namespace {

constexpr std::uint64_t kMessages = 256;
constexpr std::uint64_t kPhase = 64;

std::vector<double> bounds(const ClaimContext& context, const std::vector<double>& ratios,
                           const std::string& pattern) {
  std::vector<double> all;
  for (const double ratio : ratios) {
    double sum = 0;
    const unsigned repeats = std::max(1U, context.repeats);
    for (unsigned r = 0; r < repeats; ++r)
      sum += load_bound(*PatternRegistration::make(pattern, PatternShape{.nodes = 64,
                                                                         .messages = kMessages,
                                                                         .seed = context.seed + r,
                                                                         .ratio = ratio,
                                                                         .phase_length = kPhase}),
                        64);
    all.push_back(sum / repeats);
  }
  return all;
}

}  // namespace

Time known_wormhole_slot(const SwitchParameters& p, double ratio) {
  const double round = static_cast<double>(p.slot_length.ps) * p.slots;
  const double fair = ratio <= 0 ? 1e18 : round * (1 - ratio) / ratio;
  const double least = static_cast<double>(p.slot_length.ps), most = 16 * round;
  return Time{static_cast<std::int64_t>(std::clamp(fair, least, most))};
}

std::vector<Figure> allocation_grid(const ClaimContext& context, const std::string& file,
                                    const std::string& pattern) {
  std::vector<Figure> figures;
  for (const auto& [buffer, name] : {std::pair<Bytes, const char*>{8192, "8K"}, {2048, "2K"}, {128, "128"}}) {
    std::vector<Variant> variants;
    for (const char* allocation : {"wormhole", "ses", "sla", "preempt", "adaptive"}) {
      const bool wormhole = std::string(allocation) == "wormhole";
      Variant v = variant_of("ch4", allocation, wormhole ? "wormhole" : "hybrid");
      if (!wormhole) v.parameters.allocation = allocation;
      v.parameters.buffer = buffer;
      v.traffic.pattern = pattern;
      v.traffic.messages = kMessages;
      v.traffic.phase_length = kPhase;
      variants.push_back(v);
    }
    Figure f{file + "-" + name,
             fmt::format("Pattern {}, 64 nodes, 128-byte messages, buffers of {} bytes", pattern, buffer),
             "predictable ratio",
             "utilisation",
             Figure::Scale::linear,
             {},
             {}};
    for (int percent = 0; percent <= 100; percent += 5) f.x.push_back(percent / 100.0);
    sweep(context, f, variants, [](double x, SwitchParameters& p, TrafficOptions& t) {
      t.ratio = x;
      if (p.allocation == "sla") p.wormhole_slot_length = known_wormhole_slot(p, x);
    });
    f.curves.push_back({"bound", bounds(context, f.x, pattern)});
    figures.push_back(std::move(f));
  }
  return figures;
}

ClaimCheck check_adaptive(const std::vector<Figure>& grid) {
  double worst = 2, sum = 0;
  std::size_t points = 0, below = 0;
  std::string where;
  for (const Figure& f : grid)
    for (const double x : f.x) {
      double best = 0;
      for (const char* other : {"wormhole", "ses", "sla", "preempt"}) best = std::max(best, at(f, other, x));
      const double share = at(f, "adaptive", x) / best;
      sum += share;
      ++points;
      below += share < 0.98 ? 1 : 0;
      if (share >= worst) continue;
      worst = share;
      where = fmt::format("{} at {:.2f}", f.file, x);
    }
  const double mean = sum / static_cast<double>(points);
  return {
      "ours (adaptive): nowhere more than 2 % below the best of wormhole, ses, sla and preempt, on average "
      "above",
      below == 0 && mean > 1,
      fmt::format("of the best: mean {:.3f}, least {:.3f} ({}), {} of {} points below 0.98", mean, worst,
                  where, below, points)};
}

std::vector<std::string> allocation_grid_choices() {
  return {
      fmt::format("{} rounds a node; phases of {} rounds, the mesh's share first", kMessages, kPhase),
      "wire: no conversion, 10 ns of cable; K = 4, all preloaded with the mesh's directions before the "
      "traffic begins",
      "sla: S_W's length from the known ratio, at least one slot, at most 16 rounds of the predictive slots"};
}

}  // namespace hybrid
