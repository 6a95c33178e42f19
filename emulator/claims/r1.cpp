// R1, ours: utilisation of each technique by reconfiguration time of the fabric, from 0 to 10 ms.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/claims/sweep.h"
#include "emulator/fabric.h"

namespace hybrid {
namespace {

constexpr std::uint64_t kMessages = 64;
constexpr Bytes kMessage = 65'536;
constexpr double kZero = 0.1;  // x of 0 ns on the logarithmic axis

constexpr std::array<std::string_view, 2> kSeparateFabric{"wormhole", "packet"};
constexpr std::array<std::string_view, 3> kLinksSplit{"wave", "coll", "chen-liu"};

Time reconfiguration_at(double x) { return x <= kZero ? Time{} : Time{static_cast<std::int64_t>(x * 1000)}; }

Figure against_reconfiguration(const ClaimContext& context, const std::string& pattern) {
  Figure f{"r1-" + pattern,
           fmt::format("{}, 64 nodes, {} messages of 64 KiB a node", pattern, kMessages),
           "reconfiguration (ns; 0 drawn at 0.1)",
           "utilisation",
           Figure::Scale::logarithmic,
           {kZero, 1, 10, 100, 1e3, 12e3, 1e5, 1e6, 1e7},
           {}};
  auto all = every_technique("ch4");
  for (Variant& v : all) {
    if (v.parameters.technique == "tdm") v.parameters.slots = 5;  // as in hybrid with S_W
    v.parameters.buffer = kUnlimited;
    v.traffic.pattern = pattern;
    v.traffic.message = kMessage;
    v.traffic.messages = kMessages;
  }
  sweep(context, f, all, [](double x, SwitchParameters& p, TrafficOptions&) {
    p.reconfiguration = reconfiguration_at(x);
    p.slot_length = std::max(p.slot_length, p.reconfiguration * kSlotOfReconfigurations);
  });
  return f;
}

bool among(std::span<const std::string_view> names, const std::string& curve) {
  return std::find(names.begin(), names.end(), curve) != names.end();
}

/// Checks that no point of `curve` is more than `share` above the previous one.
ClaimCheck check_no_gain(const Figure& f, const std::string& curve, double share) {
  const std::vector<double>& y = f.curve(curve).y;
  std::vector<double> later(f.x.begin() + 1, f.x.end());
  return check_points(
      fmt::format("{}: {} gains at most {:.0f} % from a slower fabric", f.file, curve, share * 100), f,
      {curve}, later, [&](double x) {
        const auto i = static_cast<std::size_t>(std::find(f.x.begin(), f.x.end(), x) - f.x.begin());
        return y[i] <= (1 + share) * y[i - 1];
      });
}

/// Checks that `above` is above `below` up to `last`, and not above it from the next point.
ClaimCheck check_crossing(const Figure& f, const std::string& above, const std::string& below, double last) {
  return check_points(fmt::format("{}: {} above {} up to {:.6g} ns, below after", f.file, above, below, last),
                      f, {above, below}, f.x,
                      [&](double x) { return (at(f, above, x) > at(f, below, x)) == (x <= last); });
}

class R1 final : public Claim {
 public:
  std::string_view place() const override { return "ours"; }

  ClaimResult run(const ClaimContext& context) const override {
    ClaimResult result;
    for (const char* pattern : {"ordered-mesh", "mixed"})
      result.figures.push_back(against_reconfiguration(context, pattern));
    const Figure &mesh = result.figures[0], &mixed = result.figures[1];
    auto& checks = result.checks;
    for (const Figure* f : {&mesh, &mixed}) {
      for (const Curve& curve : f->curves) {
        const std::string& name = curve.name;
        if (among(kSeparateFabric, name))
          checks.push_back(check_points(f->file + ": " + name + " is constant (separate fabric)", *f, {name},
                                        f->x,
                                        [&](double x) { return at(*f, name, x) == at(*f, name, kZero); }));
        else
          checks.push_back(check_no_gain(*f, name, among(kLinksSplit, name) ? 0.15 : 0.03));
      }
      checks.push_back(
          check_points(f->file + ": circuit above tdm dynamic", *f, {"circuit", "tdm dynamic"}, f->x,
                       [&](double x) { return at(*f, "circuit", x) > at(*f, "tdm dynamic", x); }));
      checks.push_back(check_points(f->file + ": circuit above coll (half of the links), coll above chen-liu",
                                    *f, {"circuit", "coll", "chen-liu"}, f->x, [&](double x) {
                                      return at(*f, "circuit", x) > at(*f, "coll", x) &&
                                             at(*f, "coll", x) > at(*f, "chen-liu", x);
                                    }));
    }
    for (const std::string known :
         {"tdm preloaded", "hybrid ses", "hybrid sla", "hybrid preempt", "hybrid adaptive"}) {
      checks.push_back(check_crossing(mesh, known, "wormhole", 12e3));
      checks.push_back(check_crossing(mesh, known, "circuit", 12e3));
    }
    checks.push_back(check_crossing(mixed, "circuit", "wormhole", 12e3));
    for (const Curve& curve : mixed.curves) {
      const std::string& hybrid = curve.name;
      if (!hybrid.starts_with("hybrid ")) continue;
      checks.push_back(
          check_points("r1-mixed: " + hybrid + " below a third from 1 us (worms wait for the analog fabric)",
                       mixed, {hybrid}, points_where(mixed, [](double x) { return x >= 1e3; }),
                       [&](double x) { return at(mixed, hybrid, x) < at(mixed, hybrid, kZero) / 3; }));
      if (hybrid != "hybrid none")
        checks.push_back(
            check_points("r1-ordered-mesh: " + hybrid + " above hybrid none (turns for an empty S_W)", mesh,
                         {hybrid, "hybrid none"}, mesh.x,
                         [&](double x) { return at(mesh, hybrid, x) > at(mesh, "hybrid none", x); }));
    }
    result.choices = {
        "the same traffic at every cost, 5 ms of the time of each link; nodes at the edges of the mesh send "
        "less, which "
        "limits it to 0.875",
        fmt::format("slots: 200 ns (ch4), or {} reconfigurations if that is longer; unlimited buffers, so "
                    "that a slot "
                    "finds its data",
                    kSlotOfReconfigurations),
        "tdm: K = 5, with 4 slots (the mesh's directions) or none preloaded; hybrid: K = 4, all preloaded, "
        "and S_W; "
        "sla measures the ratio of the traffic",
        "wave, coll and chen-liu use half of each link for circuits; their curves are uneven, so their "
        "tolerance is "
        "15 % instead of 3 %"};
    result.explanation =
        "If a slot takes as long as all the traffic, each slot has one turn: at 10 ms a TDM cycle is 0.4 s, "
        "and shorter "
        "slots or one circuit per connection are better. The hybrid switch sends worms through the analog "
        "fabric, and "
        "each grant takes a reconfiguration: from some hundred ns it needs longer worms, or a separate "
        "digital fabric.";
    return result;
  }
};

const ClaimRegistration kR1{"R1", "every technique's utilisation against the fabric's reconfiguration cost",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<R1>(); }};

}  // namespace
}  // namespace hybrid
