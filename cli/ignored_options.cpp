#include "cli/ignored_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/registry.h"
#include "emulator/network/technique.h"
#include "emulator/network_shape.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/tdm/allocation.h"
#include "emulator/traffic/pattern.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/terminal_text.h"
#include "predictor/predictor.h"

namespace hybrid {

namespace {

constexpr std::string_view kNothing = "nothing";
constexpr std::string_view kStart = "the start";
constexpr std::string_view kNetwork = "network";

std::string enumerated(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

/// Products of a run, by kind, that decide whether an option is used. The first that does not use it is the
/// reason.
std::vector<std::pair<std::string_view, std::string>> deciding_products(const SwitchParameters& run,
                                                                        const TrafficOptions* traffic,
                                                                        std::string_view option) {
  if (option == "tree-turn" && !run.is_tree()) return {{kNetwork, network_text(run)}};
  std::vector<std::pair<std::string_view, std::string>> products{
      {Technique::kKind, run.technique},
      {Allocation::kKind, run.allocation},
      {SchedulingAlgorithm::kKind, run.scheduler_name},
      {Predictor::kKind, run.predictor}};
  if (traffic != nullptr) products.emplace_back(Pattern::kKind, traffic->pattern);
  return products;
}

/// Why no run uses `option`: "techniques circuit and wormhole". Absent if a run uses it.
std::optional<std::string> why_ignored(std::string_view option, const Emulated& emulated) {
  // Multicast in hardware has a digital plane of its own.
  if (emulated.runs.empty() || (emulated.hardware_multicast && option.starts_with("digital-fabric")))
    return {};
  std::vector<std::pair<std::string_view, std::vector<std::string>>>
      reasons;  // names by kind, in order of the runs
  for (const SwitchParameters& run : emulated.runs) {
    const auto products = deciding_products(run, emulated.traffic, option);
    const auto product = std::ranges::find_if(products, [&](const auto& p) {
      return p.first == kNetwork || !uses_option(p.first, p.second, option);
    });
    if (product == products.end()) return {};
    auto reason = std::ranges::find(reasons, product->first, &decltype(reasons)::value_type::first);
    if (reason == reasons.end()) reason = reasons.insert(reasons.end(), {product->first, {}});
    if (std::ranges::find(reason->second, product->second) == reason->second.end())
      reason->second.push_back(product->second);
  }
  std::vector<std::string> parts;
  parts.reserve(reasons.size());
  for (const auto& [kind, names] : reasons)
    parts.push_back(fmt::format("{}{} {}", kind, names.size() == 1 ? "" : "s", enumerated(names)));
  return enumerated(parts);
}

/// "does not use it", "do not use them": `reason` names one product or several.
std::string not_used(const std::string& reason, std::size_t options) {
  const bool several = reason.find(" and ") != std::string::npos;
  return fmt::format("{} use {}", several ? "do not" : "does not", options == 1 ? "it" : "them");
}

/// Ignored options, grouped by what they change and by the reason, in order of discovery.
class Sentences {
 public:
  void add(std::string_view option, std::string_view change, const std::string& reason) {
    const auto at = std::ranges::find_if(
        all_, [&](const Sentence& s) { return s.change == change && s.reason == reason; });
    Sentence& s = at == all_.end() ? all_.emplace_back(Sentence{{}, change, reason}) : *at;
    s.options.push_back(fmt::format("--{}", option));
  }
  std::vector<std::string> text() const {
    std::vector<std::string> lines;
    for (const Sentence& s : all_) {
      const bool one = s.options.size() == 1;
      const std::string effect = s.change == kNothing
                                     ? fmt::format("{} nothing", one ? "changes" : "change")
                                     : fmt::format("only {} {}", one ? "delays" : "delay", s.change);
      lines.push_back(fmt::format("{} {} here: {} {}", enumerated(s.options), effect, s.reason,
                                  not_used(s.reason, s.options.size())));
    }
    return lines;
  }

 private:
  struct Sentence {
    std::vector<std::string> options;
    std::string_view change;
    std::string reason;
  };
  std::vector<Sentence> all_;
};

/// How many configurations the pattern knows in advance, up to `most`.
std::uint32_t known_in_advance(const SwitchParameters& run, const TrafficOptions& traffic,
                               std::uint32_t most) {
  const auto pattern = make_pattern(run, traffic);
  std::uint32_t known = 0, unknown = most + 1;
  while (known + 1 < unknown) {
    const std::uint32_t half = known + (unknown - known) / 2;
    (pattern->known(half - 1) ? known : unknown) = half;
  }
  return known;
}

/// Synthetic traffic preloads what its pattern knows in advance: a note if that is less than --preload.
std::optional<std::string> note_of_preload(const Emulated& emulated) {
  const SwitchParameters& run = emulated.runs.front();  // all runs have the same pattern
  const std::string& pattern = emulated.traffic->pattern;
  if (run.preload == 0 || !emulated.traffic->preload_topology.empty()) return {};
  const std::uint32_t known = known_in_advance(run, *emulated.traffic, run.preload);
  if (known == run.preload) return {};
  if (known == 0)
    return fmt::format(
        "--preload only delays the start here: pattern {} has no configuration known in advance", pattern);
  return fmt::format(
      "--preload {} equals --preload {} here: pattern {} has {} configuration{} known in advance",
      run.preload, known, pattern, known, known == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> ignored_options(const std::set<std::string, std::less<>>& given,
                                         const Emulated& emulated) {
  Sentences sentences;
  std::optional<std::string> preload;
  for (const std::string& option : given) {
    // Synthetic traffic starts when preloaded circuits could exist, with every technique.
    const bool delays = option == "preload" && emulated.traffic != nullptr;
    const auto why = why_ignored(option, emulated);
    if (why)
      sentences.add(option, delays ? kStart : kNothing, *why);
    else if (delays && !emulated.runs.empty())
      preload = note_of_preload(emulated);
  }
  std::vector<std::string> all = sentences.text();
  if (preload) all.push_back(*preload);
  return all;
}

std::vector<SwitchParameters> compared_runs(const JobOptions& job) {
  const auto techniques = job.techniques.empty() ? default_techniques(job, true) : job.techniques;
  std::vector<SwitchParameters> runs;
  for (const std::string& technique : techniques) {
    runs.push_back(job.network);
    runs.back().technique = technique;
  }
  return runs;
}

std::vector<std::string> ignored_options(std::set<std::string, std::less<>> given, const JobOptions& job) {
  std::erase_if(given, [](const std::string& name) {
    return name.starts_with("predictor-") || name == "slots" || name == "preload";
  });
  return ignored_options(given, {compared_runs(job), nullptr, job.replay.hardware_multicast});
}

std::vector<std::string> ignored_commands(const std::vector<CommandFile>& files, const Emulated& emulated) {
  using Kind = PeCommand::Kind;
  std::vector<std::string> found;
  for (const Kind kind : {Kind::store, Kind::preload, Kind::swap_in, Kind::swap_out})
    if (std::any_of(files.begin(), files.end(), [&](const CommandFile& file) {
          return std::any_of(file.commands.begin(), file.commands.end(),
                             [&](const PeCommand& command) { return command.kind == kind; });
        }))
      found.emplace_back(name_of(kind));
  if (found.empty() || emulated.runs.empty()) return {};
  const std::string commands =
      fmt::format("{} {}", enumerated(found), found.size() == 1 ? "changes" : "change");
  if (emulated.runs.front().preload == 0)
    return {fmt::format("{} nothing in the command files here: there is no --preload", commands)};
  if (const auto why = why_ignored("preload", emulated))
    return {fmt::format("{} nothing in the command files here: {} {} --preload", commands, *why,
                        why->find(" and ") == std::string::npos ? "does not use" : "do not use")};
  return {};
}

void print_notes(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) print_message(Severity::note, sentence);
}

}  // namespace hybrid
