// C4 (D 1.1.4, 8.5, figure 8.12): all-to-all from 8 to 128 nodes, 16 and 512 bytes.
#include <algorithm>
#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid {
namespace {

constexpr std::uint64_t kRounds = 8;

class C4 final : public Claim {
 public:
  std::string_view place() const override { return "D 1.1.4, 8.5"; }

  ClaimResult run(const ClaimContext& context) const override {
    ClaimResult result;
    std::vector<double> lead;  // of predictive at 128 nodes, by size
    for (const Bytes message : {Bytes{16}, Bytes{512}}) {
      const std::string size = std::to_string(message);
      std::vector<Variant> variants;
      for (const char* technique : {"wormhole", "circuit", "tdm"}) {
        Variant v = variant_of("ch8", technique, technique);
        v.parameters.allocation = "none";
        v.parameters.buffer = Bytes{240} * 1024;
        v.traffic.pattern = "all-to-all";
        v.traffic.message = message;
        variants.push_back(v);
      }
      Figure f{"c4-all-to-all-" + size,
               "All-to-all, " + size + "-byte messages, 10 foot cables",
               "nodes",
               "utilisation",
               Figure::Scale::logarithmic,
               {8, 16, 32, 64, 128},
               {}};
      sweep(context, f, variants, [](double x, SwitchParameters& p, TrafficOptions& t) {
        p.nodes = static_cast<std::uint32_t>(x);
        p.slots = p.preload = p.nodes - 1;
        t.messages = kRounds * (p.nodes - 1);
      });
      const auto best_other = [&f](double x) { return std::max(at(f, "wormhole", x), at(f, "circuit", x)); };
      result.checks.push_back(check_points(size + " bytes, 8 nodes: the three are within a factor of 1.5", f,
                                           {"wormhole", "circuit", "tdm"}, {8}, [&](double x) {
                                             const double t = at(f, "tdm", x), w = at(f, "wormhole", x),
                                                          c = at(f, "circuit", x);
                                             return std::max({t, w, c}) <= 1.5 * std::min({t, w, c});
                                           }));
      result.checks.push_back(
          check_points(size + " bytes, 128 nodes: predictive is at least 10 % above the others", f,
                       {"wormhole", "circuit", "tdm"}, {128},
                       [&](double x) { return at(f, "tdm", x) >= 1.1 * best_other(x); }));
      lead.push_back(at(f, "tdm", 128) / best_other(128));
      result.figures.push_back(std::move(f));
    }
    result.checks.push_back(
        {"the lead at 128 nodes is larger at 512 bytes than at 16", lead[1] > lead[0],
         "lead " + std::to_string(lead[0]) + " at 16 bytes, " + std::to_string(lead[1]) + " at 512"});
    result.choices = {"240-Kbyte buffers; 8 all-to-alls, one after the other",
                      "predictive: all N - 1 configurations preloaded and rotated"};
    result.explanation =
        "Here a NIC asks for the circuits of all destinations that data waits for at once, and holds one "
        "until its queue is empty. With queues that take several messages per destination circuit switching "
        "therefore nearly fills the links at any number of nodes, and leaves predictive switching nothing to "
        "gain; against wormhole the claim holds.";
    return result;
  }
};

const ClaimRegistration kC4{"C4",
                            "all-to-all: techniques alike at few nodes, predictive pulls away toward 128",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C4>(); }};

}  // namespace
}  // namespace hybrid
