// R1, ours: utilisation of each technique by reconfiguration time of the fabric, from 0 to 10 ms.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/claims/sweep.h"
#include "emulator/fabric.h"

namespace hybrid::r1 {
namespace {

constexpr std::uint64_t kMessages = 32;
constexpr Bytes kMessage = 65'536;
constexpr double kZero = 0.1;               // x of 0 ns on the logarithmic axis
constexpr double kFast = 1e3, kSlow = 1e5;  // ns: known connections profit from preloading up to kFast

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

/// Returns the curves whose names begin with one of `beginnings`.
std::vector<std::string> curves_with(const Figure& f, const std::vector<std::string>& beginnings) {
  std::vector<std::string> names;
  for (const Curve& curve : f.curves)
    if (std::any_of(beginnings.begin(), beginnings.end(),
                    [&](const std::string& b) { return curve.name.starts_with(b); }))
      names.push_back(curve.name);
  return names;
}

class R1 final : public Claim {
 public:
  std::string_view place() const override { return "ours"; }
  bool has_models() const override { return false; }

  ClaimResult run(const ClaimContext& context) const override {
    ClaimResult result;
    for (const char* pattern : {"ordered-mesh", "mixed"})
      result.figures.push_back(against_reconfiguration(context, pattern));
    const Figure &mesh = result.figures[0], &mixed = result.figures[1];
    auto& checks = result.checks;
    std::vector<ClaimCheck> ordered;
    for (const Figure* f : {&mesh, &mixed})
      ordered.push_back(
          check_points(f->file, *f, {"circuit", "tdm dynamic", "coll", "chen-liu"}, f->x, [&](double x) {
            return at(*f, "circuit", x) > most(*f, {"tdm dynamic", "coll"}, x) &&
                   at(*f, "coll", x) > at(*f, "chen-liu", x);
          }));
    checks = {for_all(
        "circuit above tdm dynamic, and above coll (half of the links), which is above chen-liu", ordered)};
    const std::vector<std::string> known{"tdm preloaded", "hybrid ses", "hybrid sla", "hybrid preempt",
                                         "hybrid adaptive"};
    checks.push_back(check_points(
        fmt::format(
            "{}: tdm preloaded, hybrid ses, sla, preempt and adaptive above wormhole and circuit up to "
            "{:.6g} ns, below from {:.6g} ns",
            mesh.file, kFast, kSlow),
        mesh, known, points_where(mesh, [](double x) { return x <= kFast || x >= kSlow; }), [&](double x) {
          const std::vector<std::string> other{"wormhole", "circuit"};
          return x <= kFast ? least(mesh, known, x) > most(mesh, other, x)
                            : most(mesh, known, x) <= least(mesh, other, x);
        }));
    checks.push_back(check_points(
        fmt::format("{}: circuit above wormhole up to {:.6g} ns, below from {:.6g} ns", mixed.file, kFast,
                    kSlow),
        mixed, {"circuit", "wormhole"},
        points_where(mixed, [](double x) { return x <= kFast || x >= kSlow; }),
        [&](double x) { return (at(mixed, "circuit", x) > at(mixed, "wormhole", x)) == (x <= kFast); }));
    const std::vector<std::string> hybrid = curves_with(mixed, {"hybrid "});
    checks.push_back(
        check_points("r1-mixed: hybrid below a third from 1 us (worms wait for the analog fabric)", mixed,
                     hybrid, points_where(mixed, [](double x) { return x >= 1e3; }), [&](double x) {
                       return std::all_of(hybrid.begin(), hybrid.end(), [&](const std::string& curve) {
                         return at(mixed, curve, x) < at(mixed, curve, kZero) / 3;
                       });
                     }));
    checks.push_back(check_points(
        "r1-ordered-mesh: up to 12 us hybrid none below the other allocations (turns for an empty S_W)", mesh,
        hybrid, points_to(mesh, 12e3), [&](double x) {
          return std::all_of(hybrid.begin(), hybrid.end(), [&](const std::string& curve) {
            return curve == "hybrid none" || at(mesh, curve, x) > at(mesh, "hybrid none", x);
          });
        }));
    result.choices = {
        "the same traffic at every cost; nodes at the edges of the mesh send less, which limits it to 0.875",
        fmt::format("slots: 200 ns (ch4), or {} reconfigurations if longer; unlimited buffers",
                    kSlotOfReconfigurations),
        "tdm: K = 5, with 4 slots (the mesh's directions) or none preloaded; hybrid: K = 4, all preloaded, "
        "and S_W",
        "wave, coll and chen-liu use half of each link for circuits"};
    result.explanation = {
        "At 10 ms a TDM cycle is 0.4 s, longer than all the traffic: shorter slots or one circuit per "
        "connection are better. Each worm of the hybrid switch costs a reconfiguration: from some hundred ns "
        "it needs longer worms, or a separate digital fabric."};
    return result;
  }
};

const ClaimRegistration kR1{"R1", "every technique's utilisation against the fabric's reconfiguration cost",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<R1>(); }};

}  // namespace
}  // namespace hybrid::r1
