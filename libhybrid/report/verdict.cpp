#include "libhybrid/report/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "emulator/switching/bounds.h"
#include "libhybrid/report/terminal_text.h"
#include "libhybrid/report/wait_division.h"

namespace hybrid {

namespace {

// Rank of a technique by its hardware and control, the simplest first.
std::size_t effort(const Contender& c) {
  static constexpr std::array<std::string_view, 5> kOrder{"packet", "wormhole", "circuit", "tdm", "hybrid"};
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), c.technique) - kOrder.begin());
}

std::string name(const Contender& c) {
  return c.slots == 0 ? c.technique : fmt::format("{} with K = {}", c.technique, c.slots);
}

double quotient(Time a, Time b) {
  return b.ps == 0 ? 1.0 : static_cast<double>(a.ps) / static_cast<double>(b.ps);
}

bool is_tied(const Contender& c, Time time) { return quotient(c.time, time) <= 1 + kTie; }

bool is_packet_switch(const Contender& c) { return c.technique == "wormhole" || c.technique == "packet"; }

// The simplest of those tied with the fastest. If no packet switch is among them, the pick gains more than
// kTie against each packet switch, as only that is a reason for circuits.
const Contender* pick(std::span<const Contender> all, const Contender& fastest) {
  const Contender* picked = &fastest;
  for (const Contender& c : all) {
    if (!is_tied(c, fastest.time) || !is_simpler(c, *picked)) continue;
    const bool gains = std::ranges::none_of(all, [&](const Contender& other) {
      return is_packet_switch(other) && !is_tied(other, fastest.time) && is_tied(other, c.time);
    });
    if (is_packet_switch(c) || gains) picked = &c;
  }
  return picked;
}

double computing(const Contender& c) { return c.time.ps == 0 ? 0.0 : quotient(c.compute, c.time); }

// The ratio of two times in words: "3 % longer", "30.0 times as long".
std::string longer(Time slow, Time fast) {
  const double ratio = quotient(slow, fast);
  return ratio < 2 ? in_percent(ratio - 1) + " longer" : fmt::format("{:.1f} times as long", ratio);
}

// The time of `other` against that of `own` in words, as a verb.
std::string compared(const Contender& other, const Contender& own) {
  if (other.time == own.time) return "takes the same time";
  if (is_tied(other, own.time) && is_tied(own, other.time))
    return other.time < own.time ? "is at most 1 % faster" : "is at most 1 % slower";
  if (other.time > own.time) return "takes " + longer(other.time, own.time);
  return fmt::format("takes {} less time", in_percent(1 - quotient(other.time, own.time)));
}

std::string only(const std::string& share) { return share.starts_with("less") ? share : "only " + share; }

// The limit of a job that does not depend on the technique, from the measures of the picked contender.
std::string bottleneck(const Contender& c) {
  if (computing(c) >= 0.5) return fmt::format("the job computes {} of its time", in_percent(computing(c)));
  if (c.utilisation >= 0.5)
    return fmt::format("the links are busy {} of the time whatever carries the messages",
                       in_percent(c.utilisation));
  if (c.network_wait && c.communication.ps != 0)
    return fmt::format(
        "the links are busy {} of the time, and of the communication time {} is waiting for the network, the "
        "rest for other ranks",
        only(in_percent(c.utilisation)), in_percent(quotient(*c.network_wait, c.communication)));
  return fmt::format("the links are busy {} of the time; the ranks wait for each other, not for the switch",
                     only(in_percent(c.utilisation)));
}

std::string found(const Contender& c) {
  if (c.over_circuits == 0) return "none of its messages travels over a circuit";
  if (c.over_circuits < c.hit_rate)
    return fmt::format("{} of its messages travel over circuits", in_percent(c.over_circuits));
  return fmt::format("{} of its messages find their circuit established", in_percent(c.hit_rate));
}

// The reason for a pick with few hits: the communication time of the ranks.
std::string less_waiting(const Contender& picked, const Contender& against) {
  const double less = 1 - quotient(picked.communication, against.communication);
  if (less <= kTie) return "messages arrive when their receivers need them";
  return fmt::format("the ranks spend {} less time communicating", in_percent(less));
}

// Remark on why a technique is slower; "" if it is unknown.
std::string loss_remark(const Contender& slower) {
  return slower.loss.empty() ? "" : fmt::format("; {} loses {}", slower.technique, slower.loss);
}

// Remark on K and the slots that the largest phase needs; "" if there is none.
std::string slots_remark(std::span<const Contender> all, const Contender& picked, std::uint32_t needed) {
  if (picked.slots == 0 || needed == 0) return {};
  if (needed <= picked.slots)
    return fmt::format("; its largest phase needs {} slot{}, which K = {} holds", needed,
                       needed == 1 ? "" : "s", picked.slots);
  for (const Contender& other : all)
    if (other.technique == picked.technique && other.slots >= needed)
      return fmt::format("; its largest phase needs {} slots, but K = {} {}", needed, other.slots,
                         compared(other, picked));
  return fmt::format("; its largest phase needs {0} slots, so try --slots {0}", needed);
}

// The sentence for a packet switch: wormhole, or packet.
std::string favour_packets(std::span<const Contender> all, const Contender& picked) {
  const Contender* rival = nullptr;
  for (const Contender& c : all)
    if (&c != &picked && (rival == nullptr || c.time < rival->time)) rival = &c;
  if (is_tied(*rival, picked.time))
    return fmt::format("{} suits this job: the best of the others, {}, {}, since {}.",
                       capitalised(picked.technique), name(*rival), compared(*rival, picked),
                       bottleneck(picked));
  return fmt::format("{} suits this job: the best of the others, {}, {}; {}{}.",
                     capitalised(picked.technique), name(*rival), compared(*rival, picked),
                     rival->over_circuits == 0     ? found(*rival)
                     : rival->circuit_hits() < 0.5 ? only(found(*rival))
                                                   : found(*rival) +
                                                         ", but reaching their slot or circuit costs more "
                                                         "than sharing the wormhole fabric",
                     loss_remark(*rival));
}

// The sentence if all contenders are of one technique: techniques are not compared, except with `reference`.
std::string only_technique(std::span<const Contender> all, const Contender& picked, bool tie,
                           const Contender* reference, std::uint32_t slots_needed) {
  std::string text =
      reference != nullptr
          ? fmt::format("{} is the only technique to choose from: {}, the reference, {}; {}",
                        capitalised(name(picked)), name(*reference), compared(*reference, picked),
                        bottleneck(picked))
          : fmt::format("Only {} was emulated, so there is no technique to compare it with: {}",
                        all.size() == 1 ? name(picked) : picked.technique, bottleneck(picked));
  if (all.size() > 1 && tie)
    text += fmt::format("; its numbers of slots differ by at most 1 %, so K = {} is enough", picked.slots);
  else if (all.size() > 1)
    text += fmt::format("; of its numbers of slots, K = {} suits the job", picked.slots);
  return text + slots_remark(all, picked, slots_needed) + ".";
}

}  // namespace

std::string capitalised(std::string text) {
  if (text.starts_with("tdm")) return text.replace(0, 3, "TDM");
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

bool is_simpler(const Contender& a, const Contender& b) {
  return effort(a) != effort(b) ? effort(a) < effort(b) : a.slots < b.slots;
}

std::string in_percent(double fraction) {
  if (fraction > 0 && fraction < kLeastShown) return "less than 0.1 %";
  const double p = fraction * 100;
  return p != 0 && p < 10 ? fmt::format("{:.1f} %", p) : fmt::format("{:.0f} %", p);
}

Contender contender(const Measures& m) {
  Contender c{m.technique, m.slots,          m.time,     m.communication_time, m.compute_time,
              m.messages,  m.local_messages, m.hit_rate, m.utilisation,        std::nullopt};
  if (m.messages != 0)
    c.over_circuits = static_cast<double>(m.statistics.circuit_messages) / static_cast<double>(m.messages);
  return c;
}

std::vector<Contender> contenders(const std::vector<TechniqueResult>& results) {
  std::vector<Contender> all;
  for (const TechniqueResult& r : results) {
    if (is_bound(r.measures.technique)) continue;
    all.push_back(contender(r.measures));
    all.back().network_wait = r.network_wait;
    if (r.wait_parts) all.back().loss = largest_loss(r.measures.technique, *r.wait_parts);
  }
  return all;
}

Verdict judge(std::span<const Contender> contenders, std::uint32_t slots_needed, const Contender* reference) {
  if (contenders.empty()) return {};
  const auto by_time = [](const Contender& a, const Contender& b) { return a.time < b.time; };
  const auto [fastest, slowest] = std::minmax_element(contenders.begin(), contenders.end(), by_time);
  const Contender* const picked = pick(contenders, *fastest);
  const bool tie = contenders.size() > 1 && is_tied(*slowest, fastest->time);
  const auto answer = [&](std::string sentence) {
    return Verdict{picked->technique, picked->slots, std::move(sentence), tie};
  };

  if (picked->messages == 0)
    return {"", 0,
            picked->local_messages == 0
                ? "The job sends no messages, so no switch makes a difference to it."
                : fmt::format("{} inside {}, so no switch makes a difference to this job.",
                              picked->local_messages == 1
                                  ? "The only message stays"
                                  : fmt::format("All {} messages stay", picked->local_messages),
                              picked->local_messages == 1 ? "its port" : "their ports")};
  if (std::ranges::all_of(contenders, [&](const Contender& c) { return c.technique == picked->technique; }))
    return answer(only_technique(contenders, *picked, tie, reference, slots_needed));
  if (tie)
    return answer(fmt::format("No technique differs by more than 1 %: {}. The simplest, {}, is enough.",
                              bottleneck(*picked), name(*picked)));
  if (is_packet_switch(*picked)) return answer(favour_packets(contenders, *picked));

  const auto wormhole = std::find_if(contenders.begin(), contenders.end(),
                                     [](const Contender& c) { return c.technique == "wormhole"; });
  const Contender& against = wormhole != contenders.end() ? *wormhole : *slowest;
  std::string sentence = fmt::format(
      "{} suits this job: {} takes {} ({} against {}), since here {}", capitalised(name(*picked)),
      name(against), longer(against.time, picked->time), short_time(against.time), short_time(picked->time),
      picked->circuit_hits() >= 0.5 ? found(*picked) : less_waiting(*picked, against));
  if (computing(*picked) >= 0.5) sentence += fmt::format(", though {}", bottleneck(*picked));
  sentence += loss_remark(against);
  if (fastest->time < picked->time && fastest->technique != picked->technique)
    sentence += fmt::format("; {} {}", name(*fastest), compared(*fastest, *picked));
  return answer(sentence + slots_remark(contenders, *picked, slots_needed) + ".");
}

}  // namespace hybrid
