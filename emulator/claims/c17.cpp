// C17 (D 8.5): a model at register-transfer level, which moves every word at every tick (emulator/ticked/),
// and the fast event-driven model agree on the instants of every message.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "emulator/claims/claim.h"
#include "emulator/ticked/random_switch.h"
#include "emulator/ticked/ticked_split.h"
#include "emulator/ticked/ticked_switch.h"

namespace hybrid::c17 {
namespace {

constexpr unsigned kRandomSwitches = 300;  // per technique and repeat
constexpr std::uint32_t kNodes = 8;        // of a switch with the parameters of a paper
constexpr std::uint64_t kMessages = 160;   // through it
constexpr std::int64_t kTick = 2'000;      // ps: all times of D 4.6, 5.5.1 and 8.5 are multiples
constexpr std::int64_t kGiveUp = 50'000'000;

bool has_slots(const std::string& technique) { return technique == "tdm" || technique == "hybrid"; }

bool is_split(const std::string& technique) {
  return technique == "wave" || technique == "coll" || technique == "chen-liu";
}

// Returns the same switch with a tick per 2 ns.
SwitchParameters in_ticks(SwitchParameters p) {
  for (Time* time :
       {&p.word_generation, &p.nic.cycle, &p.serialise, &p.cable, &p.deserialise, &p.scheduler.cycle,
        &p.digital_fabric.cycle, &p.analog_fabric.cycle, &p.reconfiguration, &p.slot_length,
        &p.wormhole_slot_length, &p.guard, &p.predictor_timeout, &p.predictor_pause}) {
    if (time->ps % kTick != 0) throw std::logic_error("a time of a preset is not a multiple of a tick");
    time->ps /= kTick;
  }
  p.link_rate *= kTick;
  return p;
}

SwitchParameters preset_parameters(const std::string& preset, const std::string& technique) {
  SwitchParameters p;
  p.nodes = kNodes;
  apply_preset(preset, p, true);
  p.technique = technique;
  p.preload = 0;  // the script preloads
  if (technique == "packet") p.buffer = std::max(p.buffer, p.worm_limit + p.worm_overhead_words * p.word);
  return in_ticks(p);
}

// Half of the messages go to the neighbour over a preloaded slot, the others to random nodes.
std::vector<Action> preset_script(Random& random, const SwitchParameters& p) {
  std::vector<Action> script;
  Action preload{Action::What::preload, {}, {}, 0, Configuration(p.nodes), kNoPort};
  for (Port source = 0; source < p.nodes; ++source)
    preload.configuration.add({source, (source + 1) % p.nodes});
  script.push_back(preload);
  Time now{};
  for (std::uint64_t id = 0; id < kMessages; ++id) {
    const auto source = static_cast<Port>(random.below(p.nodes));
    const auto step = static_cast<Port>(random.below(2) == 0 ? 1 : 1 + random.below(p.nodes - 1));
    const Bytes bytes = Bytes{8} << random.below(9);  // 8 to 2048 bytes
    script.push_back(
        {Action::What::send, now, {id, {source, (source + step) % p.nodes}, bytes}, 0, {}, kNoPort});
    now += picoseconds(static_cast<std::int64_t>(random.below(40)));
  }
  return script;
}

struct Agreement {
  std::uint64_t switches = 0, messages = 0, equal = 0;

  void add(const SwitchParameters& p, const std::vector<Action>& script) {
    const auto fast = TechniqueRegistration::make(p.technique, p);
    const std::vector<Outcome> found = run_script(*fast, script, picoseconds(kGiveUp)).outcomes;
    const std::vector<Outcome> ticked =
        is_split(p.technique) ? TickedSplit(p).run(script, kGiveUp) : TickedSwitch(p).run(script, kGiveUp);
    ++switches;
    messages += found.size();
    for (std::size_t id = 0; id < found.size(); ++id)
      equal += found[id].delivered != Time{-1} && found[id] == ticked.at(id) ? 1 : 0;
  }
  void add(const Agreement& other) {
    switches += other.switches;
    messages += other.messages;
    equal += other.equal;
  }
  ClaimCheck check(std::string statement) const {
    return {std::move(statement), equal == messages && messages > 0,
            fmt::format("{} of {} messages through {} switches", equal, messages, switches)};
  }
};

class C17 final : public Claim {
 public:
  std::string_view place() const override { return "D 8.5"; }
  bool has_models() const override { return false; }

  ClaimResult run(const ClaimContext& context) const override {
    static constexpr const char* kTechniques[] = {"packet", "wormhole", "circuit", "tdm",
                                                  "hybrid", "wave",     "coll",    "chen-liu"};
    static constexpr const char* kPresets[] = {"ch4", "ch5", "ch8"};
    const unsigned repeats = std::max(1U, context.repeats);
    constexpr std::uint64_t kWithSlots = 2;
    const std::uint64_t all = std::size(kTechniques) * (1 + std::size(kPresets)) + kWithSlots;
    std::uint64_t done = 0;
    if (context.progress) context.progress(0, all);
    ClaimTable table{"c17-agreement",
                     "Agreement by technique and parameters",
                     {"technique", "parameters", "switches", "messages", "agree"},
                     {},
                     {}};
    Agreement random_switches, presets;
    const auto report = [&](const std::string& technique, const std::string& parameters, const Agreement& a) {
      table.rows.push_back({technique, parameters, static_cast<double>(a.switches),
                            static_cast<double>(a.messages), static_cast<double>(a.equal)});
      if (context.progress) context.progress(++done, all);
    };
    const auto draw = [&](const std::string& technique, bool policies) {
      Agreement drawn;
      for (std::uint64_t i = 0; i < std::uint64_t{kRandomSwitches} * repeats; ++i) {
        Random random(context.seed * 1'000'003 + i);
        SwitchParameters p = random_parameters(random, technique);
        p.worm_lookahead = p.pass_fills_all_slots = i % 2 == 1;
        p.preload_is_direct = i % 3 == 1;
        p.nic_makes_headers = i % 5 < 2;
        p.request_width = static_cast<std::uint32_t>(i / 2 % 4);
        if (policies) draw_policies(random, p);
        drawn.add(p, random_script(random, p));
      }
      report(technique, policies ? "random, our policies" : "random", drawn);
      random_switches.add(drawn);
    };
    for (const std::string technique : kTechniques) {
      draw(technique, false);
      if (has_slots(technique)) draw(technique, true);
      for (const std::string preset : kPresets) {
        Agreement papers;
        const SwitchParameters p = preset_parameters(preset, technique);
        for (unsigned i = 0; i < repeats; ++i) {
          const auto add = [&](const SwitchParameters& q) {
            Random random(context.seed + i);
            papers.add(q, preset_script(random, q));
          };
          SwitchParameters q = p;
          for (const std::string_view allocation : registered_names("allocation")) {
            if (!has_slots(technique) && allocation != "ses") continue;
            q.allocation = allocation;
            add(q);
          }
          if (!has_slots(technique)) continue;
          use_our_policy(q);
          for (const double plane : {0.0, 0.1}) {
            q.packet_plane = plane;
            add(q);
          }
        }
        report(technique, preset, papers);
        presets.add(papers);
      }
    }
    ClaimResult result;
    result.checks.push_back(
        random_switches.check("random small switches: every message at the same instants"));
    result.checks.push_back(presets.check(fmt::format(
        "the papers' parameters (ch4, ch5, ch8), {} nodes: every message at the same instants", kNodes)));
    table.notes = {fmt::format("Random switches: {}; the papers' parameters: {}.", result.checks[0].figures,
                               result.checks[1].figures)};
    result.tables.push_back(std::move(table));
    result.choices = {
        "the register-transfer model is in C++ and shares parameters, schedulers, predictors and allocations "
        "with the fast model",
        "tdm and hybrid with every allocation, and with our policies (misses, eviction, packet plane)"};
    return result;
  }
};

const ClaimRegistration kC17{
    "C17", "self-consistency: a model that moves every word at every tick, and the fast one",
    []() -> std::unique_ptr<Claim> { return std::make_unique<C17>(); }};

}  // namespace
}  // namespace hybrid::c17
