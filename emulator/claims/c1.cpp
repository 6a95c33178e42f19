// C1 (D 1.1.3, 8.5, figures 1.3 and 8.10): random-to-all on 32 nodes, by message size.
#include <fmt/format.h>

#include <memory>

#include "emulator/claims/sweep.h"

namespace hybrid::c1 {
namespace {

constexpr BitRate kGeneration = 1'200'000'000;  // D 1.1.3
constexpr std::uint64_t kRounds = 16;           // of the third figure

Figure random_to_all(const ClaimContext& context, const std::string& file, const std::string& title,
                     const SetX& set) {
  Figure f = message_size_figure(file, "Random-to-all, 32 nodes, " + title);
  sweep(context, f, ch8_variants("random-to-all"), [&set](double x, SwitchParameters& p, TrafficOptions& t) {
    set_message(x, p, t);
    set(x, p, t);
  });
  return f;
}

/// The most that predictive reaches with x-byte messages, one per connection: each takes a slot of 80 bytes,
/// and the last of a node's messages a part of one.
double most_predictive(double x) {
  constexpr double kSlotBytes = 80, kMessages = 31;
  return kMessages * x / ((kMessages - 1) * kSlotBytes + x);
}

/// Predictive and wormhole "close in performance".
void check_short(const Figure& f, const std::string& where, std::vector<ClaimCheck>& checks) {
  const auto shorter = points_to(f, 32);
  const auto close = [&f](double x) { return within_factor(f, {"wormhole", "tdm"}, x, 1.25); };
  checks.push_back(check_points(where + ": to 32 B, predictive and wormhole are within 25 %", f,
                                {"wormhole", "tdm"}, shorter, close));
  cannot_hold(
      checks.back(), shorter, close,
      [&f](double x) { return 1.25 * most_predictive(x) < at(f, "wormhole", x); },
      fmt::format("One message per destination, in slots of 80 bytes: predictive reaches at most {:.3f} at 8 "
                  "bytes, {:.3f} at 16.",
                  most_predictive(8), most_predictive(16)));
}

std::vector<std::string> explain(const ClaimContext& context, const std::vector<ClaimCheck>& checks) {
  std::vector<std::string> parts;
  if (!all_hold(checks, "1.1.3: from 256 B, predictive"))
    parts.emplace_back(
        "With a word in 2 ns and 240 KB a NIC has data for all destinations, so almost every slot is used.");
  if (context.model.dissertation && !all_hold(checks, "1.1.3: to 32 B"))
    parts.emplace_back(
        "Data generation at 1.2 Gb/s limits all three. Worms, whose headers the NIC makes in no time, and "
        "circuits reach it; predictive waits for its slot.");
  else if (!all_hold(checks, "1.1.3: from 256 B, wormhole"))
    parts.emplace_back(
        "With 100 ns of cable, request and grant delay circuits of 256 bytes more than worms.");
  return parts;
}

class C1 final : public Claim {
 public:
  std::string_view place() const override { return "D 1.1.3, 8.5"; }

  std::vector<ClaimModel> readings() const override {
    return {reading(
        "--worm-headers pe",
        "8.4.1 does not consider \"the overhead associated with ... the creation of network packets\". Here "
        "header and tail words take the time of data generation.",
        [](SwitchParameters& p, TrafficOptions&) { p.nic_makes_headers = false; },
        /*contradicts=*/true)};
  }

  ClaimResult run(const ClaimContext& context) const override {
    const Figure small = random_to_all(context, "c1-random-to-all", "10 foot cables, 128-byte buffers",
                                       [](double, SwitchParameters&, TrafficOptions&) {});
    const Figure large = random_to_all(context, "c1-large-buffers", "100 ns of cable, 240-Kbyte buffers",
                                       [&context](double, SwitchParameters& p, TrafficOptions&) {
                                         p.buffer = Bytes{240} * 1024;
                                         p.cable = nanoseconds(100);
                                         if (context.model.dissertation)
                                           p.word_generation = time_on_link(p.word, kGeneration);
                                       });
    const Figure rounds = random_to_all(
        context, "c1-rounds", fmt::format("10 foot cables, 128-byte buffers, {} rounds", kRounds),
        [](double, SwitchParameters& p, TrafficOptions& t) { t.messages = kRounds * (p.nodes - 1); });

    ClaimResult result;
    const auto longer = points_from(small, 256);
    check_short(small, "8.5", result.checks);
    check_short(large, "1.1.3", result.checks);
    result.checks.push_back(
        check_points("1.1.3: from 256 B, wormhole is below circuit", large, {"wormhole", "circuit"}, longer,
                     [&](double x) { return at(large, "wormhole", x) < at(large, "circuit", x); }));
    result.checks.push_back(check_points(
        "1.1.3: from 256 B, predictive is below circuit ('not satisfactory')", large, {"circuit", "tdm"},
        longer, [&](double x) { return at(large, "tdm", x) < at(large, "circuit", x); }));
    result.choices = {
        fmt::format(
            "one message to each other node, in random order; the figure with {} rounds is not checked",
            kRounds),
        "1.1.3: 240-Kbyte buffers, 100 ns of cable; dissertation: data generation at its 1.2 Gb/s, 0.19 of "
        "the link; ours: 8.5's word in 2 ns"};
    result.explanation = explain(context, result.checks);
    result.figures = {small, large, rounds};
    return result;
  }
};

const ClaimRegistration kC1{"C1", "random-to-all: wormhole, circuit and predictive by message size",
                            []() -> std::unique_ptr<Claim> { return std::make_unique<C1>(); }};

}  // namespace
}  // namespace hybrid::c1
