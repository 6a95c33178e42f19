// C6 (D 4.6.2, figures 4.14 to 4.16): random and ordered-mesh traffic in unannounced phases.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/claims/allocation_grid.h"
#include "emulator/traffic/pattern.h"

namespace hybrid::c6 {
namespace {

/// The most that the hybrid switch with SES reaches with phases that do not overlap: in a phase of the mesh
/// the busiest source sends all the time; in a random one the busiest output receives all the time that S_W
/// has, which is a slot after each turn of the predictive slots.
double most_in_phases(const SwitchParameters& p, TrafficOptions traffic) {
  traffic.phase_barrier = false;  // the messages of a node in order, without waiting for others
  const auto pattern = make_pattern(p, traffic);
  struct Phase {
    std::vector<std::int64_t> sent, received;
    std::uint32_t kind = 0;
  };
  std::vector<Phase> phases;
  std::int64_t messages = 0;
  for (Port source = 0; source < p.nodes; ++source) {
    std::size_t phase = 0;
    for (std::uint64_t left = pattern->messages(source); left > 0; --left) {
      const Pattern::Send send = pattern->next(source);
      while (phase == phases.size() || phases[phase].kind != send.phase) {
        if (phase < phases.size()) ++phase;
        if (phase == phases.size())
          phases.push_back(
              {std::vector<std::int64_t>(p.nodes), std::vector<std::int64_t>(p.nodes), send.phase});
      }
      ++phases[phase].sent[source];
      ++phases[phase].received[send.destination];
      ++messages;
    }
  }
  const Time one = time_on_link(traffic.message, p.link_rate), turn = p.slot_length * p.slots;
  Time all{};
  for (const Phase& phase : phases) {
    const std::int64_t sent = *std::max_element(phase.sent.begin(), phase.sent.end());
    const std::int64_t received = *std::max_element(phase.received.begin(), phase.received.end());
    const Time busy = one * (phase.kind == 0 ? sent : std::max(sent, received));
    const std::int64_t slots = (busy.ps + p.slot_length.ps - 1) / p.slot_length.ps;
    all += phase.kind == 0 ? busy : busy + turn * (slots - 1);
  }
  return static_cast<double>((one * messages).ps) / p.nodes / static_cast<double>(all.ps);
}

class C6 final : public Claim {
 public:
  std::string_view place() const override { return "D 4.6.2"; }

  std::vector<ClaimModel> readings() const override {
    return {reading("--phase-length 256 --messages 512",
                    "The text gives neither number of messages nor length of a phase: here two turns of 256 "
                    "messages per node.",
                    [](SwitchParameters&, TrafficOptions& t) {
                      t.phase_length = 256;
                      t.messages = 512;
                    })};
  }

  ClaimResult run(const ClaimContext& context) const override {
    ClaimResult result;
    result.figures = allocation_grid(context, "c6-phases", "phases");
    result.choices = allocation_grid_choices();
    const Figure &large = result.figures[0], &medium = result.figures[1], &small = result.figures[2];
    auto& checks = result.checks;
    std::vector<ClaimCheck> best;
    for (const auto& [name, f] : by_buffer(result.figures))
      best.push_back(check_points(
          name, *f, {"wormhole", "ses", "sla", "preempt"}, points_from(*f, 0.1),
          [f = f](double x) { return not_below(*f, "preempt", {"wormhole", "ses", "sla"}, x); }));
    checks.push_back(for_all("PREEMPT best of all from 10 %", best));
    const auto both = points_where(small, [](double x) { return x > 0 && x < 1; });
    for (const std::string a : {"ses", "sla"}) {
      const auto above = [&medium, a](double x) { return not_below(medium, a, {"wormhole"}, x); };
      checks.push_back(check_points("2 KB: " + a + " above wormhole for ratios > 80 %", medium,
                                    {a, "wormhole"}, points_past(medium, 0.8), above));
      checks.push_back(check_points("128 B: " + a + " below wormhole, with both kinds of traffic", small,
                                    {a, "wormhole"}, both,
                                    [&small, a](double x) { return not_below(small, "wormhole", {a}, x); }));
    }
    if (context.model.dissertation) limit(context, medium, checks);
    // Wormhole with the three buffers, at the ratios with both phases.
    Figure wormhole{"c6-wormhole",
                    "Wormhole, pattern phases: 128-byte, 2-Kbyte and 8-Kbyte buffers",
                    large.x_label,
                    large.y_label,
                    large.x_scale,
                    large.x,
                    {small.curve("wormhole"), medium.curve("wormhole"), large.curve("wormhole")}};
    for (std::size_t i = 0; i < 3; ++i) wormhole.curves[i].name = std::array{"128 B", "2 KB", "8 KB"}[i];
    const auto better = [&wormhole](double x) {
      return at(wormhole, "128 B", x) > most(wormhole, {"2 KB", "8 KB"}, x);
    };
    checks.push_back(check_points("wormhole: 128 B better than larger buffers, with both kinds of traffic",
                                  wormhole, {"128 B", "2 KB", "8 KB"}, both, better));
    cannot_hold(
        checks.back(), both, better,
        [&wormhole](double x) { return within_factor(wormhole, {"128 B", "2 KB", "8 KB"}, x, 1.001); },
        "Q_W is one FIFO: whatever its size, worms enter the switch in the order of the PE's messages. VQ_W "
        "keeps its size.");
    result.explanation = explain(context, checks);
    result.figures.push_back(std::move(wormhole));
    return result;
  }

 private:
  /// Marks what cannot hold of SES and SLA above wormhole.
  static void limit(const ClaimContext& context, const Figure& medium, std::vector<ClaimCheck>& checks) {
    const auto past = points_past(medium, 0.8);
    const auto above = [&medium](const char* allocation) {
      return [&medium, allocation](double x) { return not_below(medium, allocation, {"wormhole"}, x); };
    };
    for (ClaimCheck& check : checks) {
      if (check.statement.starts_with("2 KB: ses")) {
        cannot_hold(
            check, past, above("ses"),
            [&](double x) { return most_of_ses(context, x) < (1 - kEqual) * at(medium, "wormhole", x); },
            "Random messages, in a phase of their own, pass in S_W only, one after the other at the busiest "
            "output. S_W has one slot in five.");
        if (!check.impossible.empty())
          check.figures += fmt::format("; at 0.9: ses possible {:.3f}", most_of_ses(context, 0.9));
      }
      if (check.statement.starts_with("2 KB: sla"))
        cannot_hold(
            check, past, above("sla"),
            [&](double x) {
              const SwitchParameters p = allocation_variant("sla", "phases", 2048).parameters;
              return wormhole_slot_by_time(p, x, at(medium, "ses", 1), at(medium, "wormhole", 0)) <=
                         p.slot_length &&
                     most_of_ses(context, x) < (1 - kEqual) * at(medium, "wormhole", x);
            },
            "S_W has room for whole worms, here for one, which takes as long as a slot: SLA is SES.");
    }
  }

  /// The mean over the seeds of what SES can reach at most at this ratio.
  static double most_of_ses(const ClaimContext& context, double ratio) {
    Variant v = allocation_variant("ses", "phases", 2048);
    v.traffic.ratio = ratio;
    context.model.apply(v.parameters, v.traffic);
    double sum = 0;
    const unsigned repeats = std::max(1U, context.repeats);
    for (unsigned i = 0; i < repeats; ++i) {
      v.parameters.seed = context.seed + i;
      sum += most_in_phases(v.parameters, v.traffic);
    }
    return sum / repeats;
  }

  static std::vector<std::string> explain(const ClaimContext& context,
                                          const std::vector<ClaimCheck>& checks) {
    std::vector<std::string> parts;
    if (context.model.dissertation) {
      if (!all_hold(checks, "PREEMPT"))
        parts.emplace_back(
            "PREEMPT loses a few percent at low ratios: the switch learns of the end of the predictable "
            "traffic, and the NICs of the slots, one wire later.");
      return parts;
    }
    if (!all_hold(checks, "PREEMPT"))
      parts.push_back(fmt::format(
          "Nodes change phase independently, so some data for the mesh waits most of the time and PREEMPT "
          "rarely preempts; {:.0f} % of the random messages activate the slots by chance.",
          100 * 3.5 / 63));
    if (!all_hold(checks, "128 B: ses") || !all_hold(checks, "128 B: sla"))
      parts.emplace_back(
          "With 128 B SES and SLA are above wormhole when little random traffic is left: S_W is skipped "
          "while no worm waits.");
    if (!all_hold(checks, "wormhole"))
      parts.emplace_back(
          "With small buffers a node blocks on one message, which costs wormhole more than the mesh's order "
          "gains.");
    return parts;
  }
};

const ClaimRegistration kC6{"C6", "unknown phases: PREEMPT, SES, SLA and wormhole by predictable ratio",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C6>(); }};

}  // namespace
}  // namespace hybrid::c6
