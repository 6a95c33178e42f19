// C4 (D 1.1.4, 8.5, figures 1.4 and 8.12): all-to-all from 8 to 128 nodes, 16 and 512 bytes.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid::c4 {
namespace {

constexpr double kSlotBytes = 80;
constexpr std::uint64_t kMany = 8;  // all-to-alls in sequence; the text gives no number
const std::vector<std::string> kAll{"wormhole", "circuit", "tdm"}, kOthers{"wormhole", "circuit"};

Figure all_to_all(const ClaimContext& context, Bytes message, std::uint64_t times) {
  std::vector<Variant> variants = ch8_variants("all-to-all");
  for (Variant& v : variants) {
    v.parameters.buffer = Bytes{240} * 1024;
    v.traffic.message = message;
  }
  Figure f{fmt::format("c4-all-to-all-{}{}", message, times == 1 ? "-once" : ""),
           fmt::format("{}, {}-byte messages, 10 foot cables",
                       times == 1 ? "One all-to-all" : fmt::format("{} all-to-alls", times), message),
           "nodes",
           "utilisation",
           Figure::Scale::logarithmic,
           {8, 16, 32, 64, 128},
           {}};
  sweep(context, f, variants, [times](double x, SwitchParameters& p, TrafficOptions& t) {
    p.nodes = static_cast<std::uint32_t>(x);
    preload_every_destination(p);
    t.messages = times * (p.nodes - 1);
  });
  return f;
}

/// The most that predictive reaches in one all-to-all: each message takes whole slots, but for the node's
/// last.
double most_predictive(Bytes message, double nodes) {
  const auto bytes = static_cast<double>(message);
  const double slots = std::ceil(bytes / kSlotBytes), messages = nodes - 1;
  const double last = bytes - (slots - 1) * kSlotBytes;
  return messages * bytes / ((messages * slots - 1) * kSlotBytes + last);
}

/// Adds the figures of both message sizes for `times` all-to-alls; with `checked` their checks.
void add_figures(const ClaimContext& context, std::uint64_t times, bool checked, ClaimResult& result) {
  for (const Bytes message : {Bytes{16}, Bytes{512}}) {
    Figure f = all_to_all(context, message, times);
    if (checked) {
      const std::string of = fmt::format("{} bytes, ", message);
      result.checks.push_back(check_points(of + "8 nodes: all within a factor of 1.5", f, kAll, {8},
                                           [&f](double x) { return within_factor(f, kAll, x, 1.5); }));
      const auto outperforms = [&f](double x) { return at(f, "tdm", x) >= 1.1 * most(f, kOthers, x); };
      result.checks.push_back(check_points(of + "128 nodes: predictive at least 10 % above the others", f,
                                           kAll, {128}, outperforms));
      cannot_hold(
          result.checks.back(), {128}, outperforms,
          [&](double x) { return most_predictive(message, x) < 1.1 * most(f, kOthers, x); },
          fmt::format(
              "One message per destination, in slots of 80 bytes: predictive reaches at most {:.3f} with 16 "
              "bytes, {:.3f} with 512.",
              most_predictive(16, 128), most_predictive(512, 128)));
      const auto lead = [&f](double x) { return at(f, "tdm", x) / most(f, kOthers, x); };
      result.checks.push_back({of + "predictive's lead grows from 8 to 128 nodes", lead(128) > lead(8),
                               fmt::format("lead {:.3f} at 8 nodes, {:.3f} at 128", lead(8), lead(128))});
    }
    result.figures.push_back(std::move(f));
  }
}

class C4 final : public Claim {
 public:
  std::string_view place() const override { return "D 1.1.4, 8.5"; }

  std::vector<ClaimModel> readings() const override {
    const auto delay = [](std::uint32_t divisor) {
      return [divisor](SwitchParameters& p, TrafficOptions&) {
        p.scheduler_table_divisor = divisor;
        follow_scheduler_table(p);
      };
    };
    return {
        reading("--scheduler-delay table5.3",
                "8.5 has \"values that match our hardware synthesis results\", and a scheduler of 2 cycles "
                "of 10 ns. Here its delay follows the number of nodes, as synthesised (5.4).",
                delay(1)),
        reading("--scheduler-delay table5.3/5", "As above, on an ASIC: \"5 to 10 times better\" (5.4).",
                delay(5))};
  }

  ClaimResult run(const ClaimContext& context) const override {
    ClaimResult result;
    add_figures(context, 1, true, result);
    add_figures(context, kMany, false, result);
    result.choices = {fmt::format(
        "240-Kbyte buffers; one all-to-all; the figures with {} in sequence are not checked", kMany)};
    if (!context.model.change)  // a reading
      result.explanation = {
          "The linear exchange has no contention, and the scheduler needs 20 ns at every size: only the "
          "number of slots depends on the number of nodes."};
    return result;
  }
};

const ClaimRegistration kC4{"C4", "all-to-all: techniques similar at few nodes, predictive leads toward 128",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C4>(); }};

}  // namespace
}  // namespace hybrid::c4
