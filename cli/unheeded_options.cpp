#include "cli/unheeded_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "emulator/network_shape.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/traffic/pattern.h"

namespace hybrid {

namespace {

using Run = SwitchParameters;

bool among(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// ---- what has no use for what. Those that have it are not named, so that a technique or predictor added
// ---- later is taken to heed everything.

bool has_no_slots(const Run& r) {
  return among(r.technique, {"wormhole", "packet", "circuit", "wave", "coll", "chen-liu"});
}
bool has_no_circuits(const Run& r) { return among(r.technique, {"wormhole", "packet"}); }
bool has_no_worms(const Run& r) { return among(r.technique, {"circuit", "tdm"}); }
bool has_no_flits(const Run& r) { return among(r.technique, {"circuit", "tdm", "packet"}); }
bool has_no_digital_fabric(const Run& r) { return among(r.technique, {"circuit", "tdm", "hybrid"}); }
bool does_not_split(const Run& r) {
  return among(r.technique, {"wormhole", "packet", "circuit", "tdm", "hybrid"});
}
bool has_one_channel(const Run& r) { return does_not_split(r) || among(r.technique, {"coll", "chen-liu"}); }
bool has_one_slot_length(const Run& r) { return among(r.allocation, {"none", "ses", "preempt", "adaptive"}); }
bool has_no_steps(const Run& r) {
  return r.is_tree() || !SchedulerRegistration::make(r.scheduler_name)->has_steps();
}
bool does_not_wait(const Run& r) { return r.predictor != "timeout"; }
bool counts_nothing(const Run& r) { return among(r.predictor, {"none", "lru", "timeout"}); }
bool has_no_order(const Run& r) { return r.predictor != "markov"; }
bool asks_nothing_ahead(const Run& r) {
  return among(r.predictor, {"none", "lru", "timeout", "counter", "working-set"});
}
bool weighs_nothing(const Run& r) { return asks_nothing_ahead(r) || r.predictor == "tournament"; }

std::string technique(const Run& r) { return r.technique; }
std::string allocation(const Run& r) { return r.allocation; }
std::string predictor(const Run& r) { return r.predictor; }
std::string scheduler(const Run& r) { return r.scheduler_name; }

/// Options, and whom they are nothing to. Where several lines hold for a run, the first one is told.
struct Line {
  std::initializer_list<std::string_view> options;
  bool (*unheeded)(const Run&);
  std::string_view kind;  // of whom
  std::string (*name)(const Run&);
  std::string_view has, have;
};

const Line kLines[] = {
    {{"slots", "allocation", "slot-length", "wormhole-slot-length", "guard", "scheduler", "scheduler-steps",
      "predictor", "predictor-timeout", "predictor-pause", "predictor-threshold", "predictor-order",
      "predictor-ahead", "predictor-confidence"},
     has_no_slots,
     "technique",
     technique,
     "has no slots",
     "have no slots"},
    {{"preload", "preload-topology"},
     has_no_slots,
     "technique",
     technique,
     "preloads nothing",
     "preload nothing"},
    {{"fabric", "reconfiguration", "reconfiguration-command", "reconfiguration-switching",
      "reconfiguration-lock", "analog-fabric-cycle", "analog-fabric-latency"},
     has_no_circuits,
     "technique",
     technique,
     "has no circuits",
     "have no circuits"},
    {{"worm-limit", "worm-overhead", "input-queues"},
     has_no_worms,
     "technique",
     technique,
     "has no worms",
     "have no worms"},
    {{"flit"}, has_no_flits, "technique", technique, "has no flits", "have no flits"},
    {{"digital-fabric-cycle", "digital-fabric-latency"},
     has_no_digital_fabric,
     "technique",
     technique,
     "has no digital fabric",
     "have no digital fabric"},
    {{"circuit-share", "split-size"},
     does_not_split,
     "technique",
     technique,
     "does not split links",
     "do not split links"},
    {{"circuit-channels"}, has_one_channel, "technique", technique, "has no channels", "have no channels"},
    {{"wormhole-slot-length"},
     has_one_slot_length,
     "allocation",
     allocation,
     "has one length for all slots",
     "have one length for all slots"},
    {{"scheduler-steps"}, has_no_steps, "scheduler", scheduler, "has no steps", "have no steps"},
    {{"predictor-timeout", "predictor-pause"},
     does_not_wait,
     "predictor",
     predictor,
     "has no time-out",
     "have no time-out"},
    {{"predictor-threshold"}, counts_nothing, "predictor", predictor, "counts no sends", "count no sends"},
    {{"predictor-order"},
     has_no_order,
     "predictor",
     predictor,
     "has no order to set",
     "have no order to set"},
    {{"predictor-ahead"},
     asks_nothing_ahead,
     "predictor",
     predictor,
     "asks for nothing ahead",
     "ask for nothing ahead"},
    {{"predictor-confidence"},
     weighs_nothing,
     "predictor",
     predictor,
     "weighs no confidence",
     "weigh no confidence"},
};

/// Of synthetic traffic: options, and the patterns that read them.
struct PatternLine {
  std::string_view option;
  std::initializer_list<std::string_view> patterns;
  std::string_view has;
};

const PatternLine kPatternLines[] = {
    {"ratio", {"mixed", "phases", "determinism"}, "has no ratio"},
    {"phase-length", {"phases"}, "has no turns of phases"},
    {"hotspot", {"hotspot"}, "has no hot spot"},
};

// ---- sentences

constexpr std::string_view kNothing = "nothing";
constexpr std::string_view kStart = "the start";

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

/// Options by what they change and why it is no more, in the order in which they were found.
class Sentences {
 public:
  void add(std::string_view option, std::string_view change, const std::string& why) {
    const auto at = std::find_if(all_.begin(), all_.end(),
                                 [&](const Sentence& s) { return s.change == change && s.why == why; });
    Sentence& s = at == all_.end() ? all_.emplace_back(Sentence{{}, change, why}) : *at;
    s.options.push_back(fmt::format("--{}", option));
  }
  std::vector<std::string> text() const {
    std::vector<std::string> lines;
    lines.reserve(all_.size());
    for (const Sentence& s : all_) {
      const bool one = s.options.size() == 1;
      lines.push_back(s.change == kNothing ? fmt::format("{} {} nothing here: {}", listed(s.options),
                                                         one ? "changes" : "change", s.why)
                                           : fmt::format("{} only {} {} here: {}", listed(s.options),
                                                         one ? "delays" : "delay", s.change, s.why));
    }
    return lines;
  }

 private:
  struct Sentence {
    std::vector<std::string> options;
    std::string_view change;
    std::string why;
  };
  std::vector<Sentence> all_;
};

/// Why no run heeds `option`; none where one does. "techniques wormhole and circuit have no slots".
std::optional<std::string> why_unheeded(std::string_view option, const Emulated& emulated) {
  if (emulated.hardware_multicast && option.starts_with("digital-fabric")) return {};  // its plane has one
  struct Reason {
    const Line* line;
    std::vector<std::string> names;
  };
  std::vector<Reason> reasons;
  for (const Run& run : emulated.runs) {
    const Line* const line = std::find_if(std::begin(kLines), std::end(kLines), [&](const Line& l) {
      return std::find(l.options.begin(), l.options.end(), option) != l.options.end() && l.unheeded(run);
    });
    if (line == std::end(kLines)) return {};
    auto reason =
        std::find_if(reasons.begin(), reasons.end(), [&](const Reason& r) { return r.line == line; });
    if (reason == reasons.end()) reason = reasons.insert(reasons.end(), {line, {}});
    const std::string name = line->name(run);
    if (std::find(reason->names.begin(), reason->names.end(), name) == reason->names.end())
      reason->names.push_back(name);
  }
  if (reasons.empty()) return {};
  std::vector<std::string> parts;
  parts.reserve(reasons.size());
  for (const Reason& r : reasons) {
    const bool one = r.names.size() == 1;
    parts.push_back(fmt::format("{}{} {} {}", r.line->kind, one ? "" : "s", listed(r.names),
                                one ? r.line->has : r.line->have));
  }
  return listed(parts);
}

/// How many configurations the pattern tells beforehand, up to `most`.
std::uint32_t told_beforehand(const Run& run, const TrafficOptions& traffic, std::uint32_t most) {
  const auto pattern = make_pattern(run, traffic);
  std::uint32_t told = 0, untold = most + 1;  // between the first that is told and the first that is not
  while (told + 1 < untold) {
    const std::uint32_t half = told + (untold - told) / 2;
    (pattern->known(half - 1) ? told : untold) = half;
  }
  return told;
}

/// Of synthetic traffic, what is preloaded is what the pattern tells.
std::optional<std::string> note_of_preload(const Emulated& emulated, Sentences& sentences) {
  const Run& run = emulated.runs.front();  // the pattern is the same for all
  if (run.preload == 0 || !emulated.traffic->preload_topology.empty()) return {};
  const std::uint32_t told = told_beforehand(run, *emulated.traffic, run.preload);
  if (told == run.preload) return {};
  if (told != 0)
    return fmt::format(
        "--preload {} does what --preload {} would: pattern {} tells {} configuration{} beforehand",
        run.preload, told, emulated.traffic->pattern, told, told == 1 ? "" : "s");
  sentences.add("preload", kStart,
                fmt::format("pattern {} tells nothing beforehand", emulated.traffic->pattern));
  return {};
}

}  // namespace

std::vector<std::string> unheeded_options(const std::set<std::string, std::less<>>& asked_for,
                                          const Emulated& emulated) {
  Sentences sentences;
  std::vector<std::string> more;
  std::set<std::string_view> seen;
  for (const Line& line : kLines)
    for (const std::string_view option : line.options) {
      if (!asked_for.contains(option) || !seen.insert(option).second) continue;
      const auto why = why_unheeded(option, emulated);
      // Synthetic traffic begins when what is preloaded could be there, whoever preloads.
      const bool delays = option == "preload" && emulated.traffic != nullptr;
      if (why) sentences.add(option, delays ? kStart : kNothing, *why);
      if (!why && delays && !emulated.runs.empty())
        if (auto sentence = note_of_preload(emulated, sentences)) more.push_back(std::move(*sentence));
    }
  if (emulated.traffic != nullptr)
    for (const PatternLine& line : kPatternLines)
      if (asked_for.contains(line.option) && !among(emulated.traffic->pattern, line.patterns))
        sentences.add(line.option, kNothing,
                      fmt::format("pattern {} {}", emulated.traffic->pattern, line.has));
  std::vector<std::string> all = sentences.text();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<std::string> unheeded_options(std::set<std::string, std::less<>> asked_for,
                                          const JobOptions& job) {
  std::erase_if(asked_for, [](const std::string& name) {
    return name.starts_with("predictor-") || among(name, {"slots", "preload"});
  });
  Emulated emulated{{}, nullptr, job.replay.hardware_multicast};
  const auto techniques = job.techniques.empty()
                              ? std::vector<std::string>{"wormhole", "circuit", "tdm", "hybrid"}
                              : job.techniques;
  for (const std::string& technique : techniques) {
    if (job.techniques.empty() && job.network.is_tree() && !runs_on_trees(technique)) continue;
    emulated.runs.push_back(job.network);
    emulated.runs.back().technique = technique;
  }
  return unheeded_options(asked_for, emulated);
}

std::vector<std::string> unheeded_commands(const std::vector<CommandFile>& files, const Emulated& emulated) {
  using Kind = PeCommand::Kind;
  std::vector<std::string> found;
  for (const Kind kind : {Kind::store, Kind::preload, Kind::swap_in, Kind::swap_out})
    if (std::any_of(files.begin(), files.end(), [&](const CommandFile& file) {
          return std::any_of(file.commands.begin(), file.commands.end(),
                             [&](const PeCommand& command) { return command.kind == kind; });
        }))
      found.emplace_back(name_of(kind));
  if (found.empty() || emulated.runs.empty()) return {};
  const std::string commands = fmt::format("{} {}", listed(found), found.size() == 1 ? "changes" : "change");
  if (emulated.runs.front().preload == 0)
    return {fmt::format("{} nothing in the command files here: there is no --preload", commands)};
  if (const auto why = why_unheeded("preload", emulated))
    return {fmt::format("{} nothing in the command files here: {}", commands, *why)};
  return {};
}

void note(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) std::fprintf(stderr, "hybrid: note: %s\n", sentence.c_str());
}

}  // namespace hybrid
