#include "emulator/claims/allocation_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace hybrid {

namespace {

constexpr std::uint64_t kMessages = 256;
constexpr std::uint64_t kPhase = 64;
constexpr std::array<std::pair<Bytes, const char*>, 3> kBuffers{{{8192, "8K"}, {2048, "2K"}, {128, "128"}}};
constexpr std::array<const char*, 4> kOthers{"wormhole", "ses", "sla", "preempt"};
constexpr double kMostRounds = 16;  // of the predictive slots: the longest S_W
constexpr double kNotBelow = 0.98;  // share of the best of the others

/// Adaptive compared with the others at one point of a grid.
struct GridPoint {
  const Figure* figure;
  Bytes buffer;
  double ratio;
  const char* best_is;
  double share;  // adaptive / best
};

std::vector<GridPoint> points_of(const std::vector<Figure>& grid) {
  std::vector<GridPoint> points;
  for (std::size_t i = 0; i < grid.size(); ++i)
    for (const double x : grid[i].x) {
      const char* best = *std::max_element(kOthers.begin(), kOthers.end(), [&](const char* a, const char* b) {
        return at(grid[i], a, x) < at(grid[i], b, x);
      });
      points.push_back(
          {&grid[i], kBuffers.at(i).first, x, best, at(grid[i], "adaptive", x) / at(grid[i], best, x)});
    }
  return points;
}

struct Score {
  double mean = 0;
  GridPoint worst{};
  std::size_t points = 0, below = 0;
  bool holds() const { return below == 0 && mean > 1; }
};

Score score(const std::vector<GridPoint>& points) {
  Score s;
  s.points = points.size();
  s.worst = points.front();
  for (const GridPoint& p : points) {
    s.mean += p.share / static_cast<double>(points.size());
    s.below += p.share < kNotBelow ? 1 : 0;
    if (p.share < s.worst.share) s.worst = p;
  }
  return s;
}

}  // namespace

Time known_wormhole_slot(const SwitchParameters& p, double ratio, double stretch) {
  const double round = static_cast<double>(p.slot_length.ps) * p.slots;
  const double fair = ratio <= 0 ? 1e18 : stretch * round * (1 - ratio) / ratio;
  const double least = static_cast<double>(p.slot_length.ps), most = kMostRounds * round;
  return Time{static_cast<std::int64_t>(std::clamp(fair, least, most))};
}

Time wormhole_slot_by_time(const SwitchParameters& p, double ratio, double circuits, double worms) {
  const double round = static_cast<double>(p.slot_length.ps) * p.slots;
  const double fair = ratio <= 0 ? 1e18 : round * (1 - ratio) / ratio * circuits / worms;
  const Time worm = time_on_link(p.worm_limit + p.worm_overhead_words * p.word, p.link_rate) +
                    p.scheduler.cycle + p.scheduler.delay();
  const double whole = static_cast<double>(worm.ps);
  return worm * std::max<std::int64_t>(1, static_cast<std::int64_t>(
                                              std::ceil(std::min(fair, kMostRounds * round) / whole - 1e-9)));
}

Variant allocation_variant(const std::string& allocation, const std::string& pattern, Bytes buffer) {
  const bool wormhole = allocation == "wormhole";
  Variant v = variant_of("ch4", allocation, wormhole ? "wormhole" : "hybrid");
  if (!wormhole) v.parameters.allocation = allocation;
  v.parameters.buffer = buffer;
  v.traffic.pattern = pattern;
  v.traffic.messages = kMessages;
  v.traffic.phase_length = kPhase;
  return v;
}

std::vector<Figure> allocation_grid(const ClaimContext& context, const std::string& file,
                                    const std::string& pattern, const std::vector<std::string>& more) {
  const auto set_ratio = [&context](double x, SwitchParameters& p, TrafficOptions& t) {
    t.ratio = x;
    if (context.model.dissertation) p.input_buffer = 2 * p.worm_limit;
  };
  std::vector<Figure> figures;
  for (const auto& [buffer, name] : kBuffers) {
    std::vector<Variant> variants;
    for (const char* allocation : {"wormhole", "ses", "preempt"})
      variants.push_back(allocation_variant(allocation, pattern, buffer));
    for (const std::string& allocation : more)
      variants.push_back(allocation_variant(allocation, pattern, buffer));
    Figure f{file + "-" + name,
             fmt::format("Pattern {}, 64 nodes, 128-byte messages, buffers of {} bytes", pattern, buffer),
             "predictable ratio",
             "utilisation",
             Figure::Scale::linear,
             {},
             {}};
    for (int percent = 0; percent <= 100; percent += 5) f.x.push_back(percent / 100.0);
    sweep(context, f, variants, set_ratio);
    // What circuits and worms reach alone on this switch.
    const double circuits = at(f, "ses", 1), worms = at(f, "wormhole", 0);
    sweep(context, f, {allocation_variant("sla", pattern, buffer)},
          [&](double x, SwitchParameters& p, TrafficOptions& t) {
            set_ratio(x, p, t);
            p.wormhole_slot_length = context.model.dissertation ? wormhole_slot_by_time(p, x, circuits, worms)
                                                                : known_wormhole_slot(p, x);
          });
    std::rotate(f.curves.begin() + 2, f.curves.end() - 1, f.curves.end());  // ses, sla, preempt
    f.curves.push_back(bound_curve(context, f, variants.front(), set_ratio));
    figures.push_back(std::move(f));
  }
  return figures;
}

std::vector<std::pair<std::string, const Figure*>> by_buffer(const std::vector<Figure>& grid) {
  return {{"8 KB", &grid.at(0)}, {"2 KB", &grid.at(1)}, {"128 B", &grid.at(2)}};
}

ClaimTable adaptive_table(const std::vector<Figure>& grid, const std::string& file) {
  ClaimTable table{file, fmt::format("Adaptive, the others and the bound ({})", file), {}, {}, {}};
  table.columns = {"buffer", "ratio"};
  table.columns.insert(table.columns.end(), kOthers.begin(), kOthers.end());
  table.columns.insert(table.columns.end(), {"best", "adaptive", "adaptive/best (%)", "bound"});
  const std::vector<GridPoint> points = points_of(grid);
  for (const GridPoint& p : points) {
    std::vector<ClaimTable::Cell> row{static_cast<double>(p.buffer), p.ratio};
    for (const char* other : kOthers) row.emplace_back(at(*p.figure, other, p.ratio));
    row.insert(row.end(), {std::string(p.best_is), at(*p.figure, "adaptive", p.ratio), 100 * p.share,
                           at(*p.figure, "bound", p.ratio)});
    table.rows.push_back(std::move(row));
  }
  const Score all = score(points);
  std::string means;
  for (const auto& buffer : kBuffers) {
    std::vector<GridPoint> of_buffer;
    std::copy_if(points.begin(), points.end(), std::back_inserter(of_buffer),
                 [&](const GridPoint& p) { return p.buffer == buffer.first; });
    means += fmt::format("{}{} bytes {:.1f} %", means.empty() ? "" : ", ", buffer.first,
                         100 * score(of_buffer).mean);
  }
  table.notes = {fmt::format("adaptive/best: mean {:.1f} % ({}), least {:.1f} % ({} bytes, ratio {:.2f}).",
                             100 * all.mean, means, 100 * all.worst.share, all.worst.buffer,
                             all.worst.ratio)};
  return table;
}

ClaimCheck check_adaptive(const std::vector<Figure>& grid) {
  const Score all = score(points_of(grid));
  return {kAdaptiveAim, all.holds(),
          fmt::format("share of the best: mean {:.3f}, least {:.3f} ({} at {:.2f}), {} of {} points below {}",
                      all.mean, all.worst.share, all.worst.figure->file, all.worst.ratio, all.below,
                      all.points, kNotBelow)};
}

bool not_below(const Figure& f, const std::string& curve, const std::vector<std::string>& others, double x) {
  return at(f, curve, x) >= (1 - kEqual) * most(f, others, x);
}

std::vector<std::string> allocation_grid_choices() {
  return {
      fmt::format("curves within {:.0f} % of each other count as equal", 100 * kEqual),
      "each queue of a NIC has the stated buffer; dissertation: VQ_W of the switch has room for two worms",
      fmt::format("{} rounds per node, in phases of {}; mesh first", kMessages, kPhase),
      "no conversion on the wire, 10 ns of cable; K = 4, all preloaded with the mesh's directions",
      ("sla: S_W from the known ratio, up to 16 turns of the predictive slots; ours: its share of the "
       "data, at least one slot; dissertation: its share of the time, by what circuits and worms reach "
       "alone, in whole worms (figure 4.7)")};
}

}  // namespace hybrid
