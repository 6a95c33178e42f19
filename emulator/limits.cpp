#include "emulator/limits.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/registry.h"
#include "emulator/network/technique.h"

namespace hybrid {

namespace {

/// The rate of `bytes` per `time`, to three digits.
BitRate rate_of(Bytes bytes, Time time) {
  const double rate = static_cast<double>(bytes) * 8e12 / static_cast<double>(time.ps);
  const double digit = std::pow(10, std::floor(std::log10(rate)) - 2);
  return static_cast<BitRate>(std::llround(std::max(1.0, std::round(rate / digit) * digit)));
}

std::string enumerated(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text.append(i == 0 ? "" : i + 1 == names.size() ? " and " : ", ").append(names[i]);
  return text;
}

}  // namespace

std::vector<Limit> limiting_parts(const SwitchParameters& p) {
  const auto uses = [&](std::string_view option) {
    return uses_option(Technique::kKind, p.technique, option);
  };
  std::vector<Limit> limits;
  // A part that takes `time` for `bytes` of a link of `rate`.
  const auto check = [&](std::string_view part, std::string_view option, Bytes bytes, Time time,
                         BitRate rate) {
    if (time > time_on_link(bytes, rate)) limits.push_back({part, option, rate_of(bytes, time)});
  };
  check("PEs", "word-generation", p.word, p.word_generation, p.link_rate);
  if (!uses("worm-limit")) return limits;
  const BitRate worms = uses("circuit-share") ? split_rates(p).worms : p.link_rate;
  if (uses("digital-fabric-cycle"))
    check("digital fabric", "digital-fabric-cycle", p.word, p.digital_fabric.cycle, worms);
  check("scheduler", "scheduler-cycle", p.worm_limit, std::max(p.scheduler.cycle, p.scheduler.delay()),
        worms);
  // The place of a word is free again when its credit has returned.
  if (p.buffer != kUnlimited) check("queues", "buffer", p.buffer, 2 * p.one_way_wire(), worms);
  return limits;
}

std::string to_text(const Limit& limit) { return std::string(limit.part) + ": " + format_rate(limit.rate); }

std::vector<std::string> limit_texts(const std::vector<Limit>& limits) {
  std::vector<std::string> texts;
  texts.reserve(limits.size());
  for (const Limit& limit : limits) texts.push_back(to_text(limit));
  return texts;
}

std::vector<std::string> limit_sentences(std::span<const SwitchParameters> runs) {
  std::vector<std::pair<Limit, std::vector<std::string_view>>> techniques;  // in order of the runs
  for (const SwitchParameters& run : runs)
    for (const Limit& limit : limiting_parts(run)) {
      auto at = std::ranges::find(techniques, limit, &decltype(techniques)::value_type::first);
      if (at == techniques.end()) at = techniques.insert(techniques.end(), {limit, {}});
      if (std::ranges::find(at->second, run.technique) == at->second.end())
        at->second.emplace_back(run.technique);
    }
  std::vector<std::string> sentences;
  for (const auto& [limit, names] : techniques)
    sentences.push_back("The " + std::string(limit.part) +
                        (limit.part.ends_with('s') ? " limit " : " limits ") + enumerated(names) + " to " +
                        format_rate(limit.rate) + " on links of " + format_rate(runs.front().link_rate) +
                        " (--" + std::string(limit.option) + ")");
  return sentences;
}

}  // namespace hybrid
