#include "libhybrid/report/advice_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/registry.h"
#include "emulator/network/technique.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {

using nlohmann::ordered_json;

namespace {

using Align = TextTable::Align;

std::string share_text(double share) { return fmt::format("{:.4g} %", share * 100); }

bool uses(const AdvisedTechnique& t, std::string_view option) {
  return uses_option(Technique::kKind, t.parameters.technique, option);
}

double quotient_of(Time a, Time b) {
  return b.ps == 0 ? 1.0 : static_cast<double>(a.ps) / static_cast<double>(b.ps);
}

std::string configuration(const AdvisedTechnique& t) {
  const SwitchParameters& p = t.parameters;
  std::string text = p.technique;
  if (uses(t, "slots"))
    text +=
        fmt::format(", K = {}, slots of {}, predictor {}", p.slots, to_string(p.slot_length), p.predictor);
  if (uses(t, "packet-plane"))
    text += p.packet_plane == 0 ? ", no packet plane"
                                : fmt::format(", packet plane of {}", share_text(p.packet_plane));
  return text;
}

std::string recommendation(const Advice& advice, std::size_t width) {
  if (advice.verdict.technique.empty())
    return wrap(advice.verdict.sentence.empty() ? "No technique was emulated." : advice.verdict.sentence, 2,
                width);
  const AdvisedTechnique& best = advice.techniques[advice.recommended];
  std::string text = wrap(configuration(best) + ".", 2, width);
  text += wrap(advice.verdict.sentence, 2, width);
  std::string figures = fmt::format("Job time {}", short_time(best.result.measures.time));
  if (advice.bounds.ideal)
    figures += fmt::format(", with the bound ideal {}", short_time(advice.bounds.ideal->time));
  if (best.result.gap_closed && *best.result.gap_closed >= kLeastShown && *best.result.gap_closed <= kMostGap)
    figures += fmt::format("; closes {} of the gap from wormhole to ideal", percent(*best.result.gap_closed));
  return text + wrap(figures + ".", 2, width);
}

std::string techniques_table(const Advice& advice, std::size_t width) {
  TextTable table({{"technique", Align::left},
                   {"K"},
                   {"slot length"},
                   {"predictor", Align::left},
                   {"packet plane"},
                   {"job time"},
                   {"speedup"},
                   {"gap closed"},
                   {"hit rate"}});
  for (const AdvisedTechnique& t : advice.techniques) {
    const SwitchParameters& p = t.parameters;
    const auto if_used = [&](std::string_view option, const std::string& text) {
      return uses(t, option) ? text : std::string("-");
    };
    table.add({p.technique, if_used("slots", std::to_string(p.slots)),
               if_used("slot-length", to_string(p.slot_length)), if_used("predictor", p.predictor),
               if_used("packet-plane", share_text(p.packet_plane)), short_time(t.result.measures.time),
               t.result.speedup == 0 ? "-" : fmt::format("{:.3f}x", t.result.speedup),
               gap_text(t.result.gap_closed), percent(t.result.measures.hit_rate)});
  }
  return table.text(2, width < kTextWidth ? width : TextTable::kWide);
}

std::string sensitivity_table(const AdvisedTechnique& t, std::size_t width) {
  TextTable table({{"option", Align::left}, {"value"}, {"job time"}, {"against it"}});
  const Time best = t.result.measures.time;
  bool any_unknown = false;
  for (const Sensitivity& s : t.sensitivities)
    for (const Sensitivity::Value& v : s.values) {
      const std::string change = !v.time ? "no result"
                                 : v.is_chosen
                                     ? "chosen"
                                     : fmt::format("{:+.1f} %", (quotient_of(*v.time, best) - 1) * 100);
      any_unknown = any_unknown || !v.time;
      table.add({&v == &s.values.front() ? "--" + std::string(s.option) : "", v.text,
                 v.time ? short_time(*v.time) : "-", change});
    }
  return table.text(2, width) +
         (any_unknown ? wrap("no result: impossible, the budget is spent, or the job takes more than "
                             "ten times as long as with wormhole",
                             2, width)
                      : "");
}

std::string placements_section(const Advice& advice, std::size_t width) {
  if (advice.has_equal_placements)
    return wrap(advice.ports < 2
                    ? "One port: there is no other placement."
                    : "Each port has one rank, and the ports of a switch are equal: no placement "
                      "is faster.",
                2, width);
  if (advice.placements.empty())
    return wrap("As recorded, or as --ports gives it. No other one was tried.", 2, width);
  const Time given = advice.techniques[advice.recommended].result.measures.time;
  TextTable table({{"placement", Align::left}, {"job time"}, {"time ratio"}});
  table.add({"as recorded", short_time(given), "1.000"});
  const AdvisedPlacement* best = nullptr;
  for (const AdvisedPlacement& p : advice.placements) {
    table.add({p.name, p.time ? short_time(*p.time) : "-",
               p.time ? fmt::format("{:.3f}", quotient_of(*p.time, given)) : "-"});
    if (p.time && quotient_of(*p.time, given) < 1 - kTie && (best == nullptr || *p.time < *best->time))
      best = &p;
  }
  std::string text = table.text(2, width);
  if (best == nullptr) return text + wrap("None is more than 1 % faster.", 2, width);
  return text + "  " + best->repeat + "\n";  // not wrapped, so that users can copy it
}

std::string shares_section(const Advice& advice, const PortPrices& prices, std::size_t width) {
  const AdvisedTechnique* const wormhole = advice.find("wormhole");
  const AdvisedTechnique* const hybrid = advice.find("hybrid");
  if (advice.shares.empty() || wormhole == nullptr || hybrid == nullptr) return {};
  std::string text =
      "\n" +
      wrap(fmt::format("Smallest packet plane with which hybrid is within {} of a packet switch of full rate",
                       share_text(advice.within)),
           0, width);
  TextTable table({{"reconfiguration"},
                   {"predictor", Align::left},
                   {"K"},
                   {"packet plane"},
                   {"job time"},
                   {"time ratio"},
                   {"cost"},
                   {"power"}});
  const PacketShare* missing = nullptr;
  for (const PacketShare& s : advice.shares) {
    if (!s.is_known) {
      table.add({to_string(s.reconfiguration), "-", "-", "budget spent", "-", "-", "-", "-"});
      continue;
    }
    const auto relative = [&](double circuit, double packet) {
      return s.share ? fmt::format("{:.2f}x", relative_to_packet(circuit, packet, *s.share)) : "-";
    };
    if (!s.share) missing = &s;
    table.add({to_string(s.reconfiguration), s.predictor, std::to_string(s.slots),
               s.share ? share_text(*s.share) : "none", s.time == Time{} ? "-" : short_time(s.time),
               s.time == Time{} ? "-" : fmt::format("{:.3f}", s.over_wormhole),
               relative(prices.circuit_cost, prices.packet_cost),
               relative(prices.circuit_power, prices.packet_power)});
  }
  text += table.text(2, width);
  if (missing != nullptr)
    text += wrap(fmt::format("none: not even {} is enough, of which the job time is shown",
                             share_text(missing->tried)),
                 2, width);
  return text + wrap(fmt::format(
                         "K = {}. Time ratio: against wormhole. Cost and power of a port against that of the "
                         "packet switch: "
                         "(circuit + share x packet) / packet, with costs {} and {}, powers {} W and {} W.",
                         hybrid->parameters.slots, prices.circuit_cost, prices.packet_cost,
                         prices.circuit_power, prices.packet_power),
                     2, width);
}

ordered_json optional_time(const std::optional<BoundTimes>& bound) {
  return bound ? ordered_json(bound->time.nanoseconds()) : ordered_json();
}

ordered_json technique_json(const AdvisedTechnique& t) {
  const SwitchParameters& p = t.parameters;
  const auto if_used = [&](std::string_view option, ordered_json value) {
    return uses(t, option) ? std::move(value) : ordered_json();
  };
  ordered_json json{{"technique", p.technique},
                    {"slots", uses(t, "slots") ? p.slots : 0},
                    {"slot_length_ns", if_used("slot-length", p.slot_length.nanoseconds())},
                    {"predictor", if_used("predictor", p.predictor)},
                    {"packet_plane", if_used("packet-plane", p.packet_plane)},
                    {"time_ns", t.result.measures.time.nanoseconds()},
                    {"speedup", t.result.speedup == 0 ? nlohmann::ordered_json()
                                                      : nlohmann::ordered_json(t.result.speedup)},
                    {"gap_closed", t.result.gap_closed ? ordered_json(*t.result.gap_closed) : ordered_json()},
                    {"hit_rate", t.result.measures.hit_rate},
                    {"complete", t.is_complete}};
  json["sensitivity"] = ordered_json::array();
  for (const Sensitivity& s : t.sensitivities)
    for (const Sensitivity::Value& v : s.values)
      json["sensitivity"].push_back(
          {{"option", s.option},
           {"value", v.text},
           {"time_ns", v.time ? ordered_json(v.time->nanoseconds()) : ordered_json()},
           {"chosen", v.is_chosen}});
  json["repeat"] = t.repeat;
  return json;
}

}  // namespace

std::string to_text(const Advice& advice, const PortPrices& prices, std::size_t width) {
  std::string text =
      fmt::format("{}: {} ranks, {} ports\n\nRecommendation\n", advice.trace, advice.ranks, advice.ports);
  text += recommendation(advice, width);
  text += fmt::format("\nBest configuration of each technique ({} of at most {} emulations)\n",
                      advice.emulations, advice.budget) +
          techniques_table(advice, width);
  for (const AdvisedTechnique& t : advice.techniques)
    if (!t.is_complete)
      text += wrap(t.parameters.technique +
                       ": the budget or the time ended the search; a larger --budget may find a better one",
                   2, width);
  if (!advice.left_out.empty()) text += wrap(left_out_sentence(advice.left_out), 2, width);
  for (const std::string& failure : advice.failures) text += wrap("not shown: " + failure, 2, width);
  if (const AdvisedTechnique* varied = advice.varied())
    text += "\n" + wrap("One option changed, starting from " + configuration(*varied), 0, width) +
            sensitivity_table(*varied, width);
  text += shares_section(advice, prices, width);
  text += "\nPlacement\n" + placements_section(advice, width);
  if (!advice.verdict.technique.empty())  // not wrapped, so that users can copy it
    text += "\nRepeat\n  " + advice.techniques[advice.recommended].repeat + "\n";
  return text;
}

ordered_json to_json(const Advice& advice, const PortPrices& prices) {
  ordered_json json{{"trace", advice.trace}, {"ranks", advice.ranks}, {"ports", advice.ports}};
  json["recommendation"] = ordered_json();
  if (!advice.verdict.technique.empty())
    json["recommendation"] = technique_json(advice.techniques[advice.recommended]);
  json["sentence"] = advice.verdict.sentence;
  json["results"] = ordered_json::array();
  for (const AdvisedTechnique& t : advice.techniques) json["results"].push_back(technique_json(t));
  json["failed"] = advice.failures;
  json["left_out"] = advice.left_out;
  json["bounds"] = {
      {"no_network_ns", optional_time(advice.bounds.no_network)},
      {"uncontended_ns", optional_time(advice.bounds.uncontended)},
      {"ideal_ns", optional_time(advice.bounds.ideal)},
      {"largest_saving",
       advice.limits.largest_saving ? ordered_json(*advice.limits.largest_saving) : ordered_json()}};
  json["within"] = advice.within;
  json["packet_planes"] = ordered_json::array();
  for (const PacketShare& s : advice.shares) {
    ordered_json one{{"reconfiguration_ns", s.reconfiguration.nanoseconds()},
                     {"slot_length_ns", s.slot_length.nanoseconds()},
                     {"known", s.is_known},
                     {"packet_plane", s.share ? ordered_json(*s.share) : ordered_json()}};
    if (s.is_known) {
      one["predictor"] = s.predictor;
      one["slots"] = s.slots;
      one["tried"] = s.tried;
      one["time_ns"] = s.time == Time{} ? ordered_json() : ordered_json(s.time.nanoseconds());
      one["time_ratio"] = s.time == Time{} ? ordered_json() : ordered_json(s.over_wormhole);
      one["repeat"] = s.repeat;
    }
    if (s.share) {
      one["cost"] = relative_to_packet(prices.circuit_cost, prices.packet_cost, *s.share);
      one["power"] = relative_to_packet(prices.circuit_power, prices.packet_power, *s.share);
    }
    json["packet_planes"].push_back(std::move(one));
  }
  json["equal_placements"] = advice.has_equal_placements;
  json["placements"] = ordered_json::array();
  for (const AdvisedPlacement& p : advice.placements)
    json["placements"].push_back({{"placement", p.name},
                                  {"time_ns", p.time ? ordered_json(p.time->nanoseconds()) : ordered_json()},
                                  {"repeat", p.repeat}});
  json["port"] = {{"packet_port_cost", prices.packet_cost},
                  {"circuit_port_cost", prices.circuit_cost},
                  {"packet_port_power_w", prices.packet_power},
                  {"circuit_port_power_w", prices.circuit_power}};
  json["emulations"] = advice.emulations;
  json["budget"] = advice.budget;
  return json;
}

}  // namespace hybrid
