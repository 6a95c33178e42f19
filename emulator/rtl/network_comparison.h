// Comparison of a whole switch in RTL (rtl_switch.h) with the emulator on the same messages, clock by clock:
// - the words that enter the NICs' queues, on every link and out of every output, and whether they are worms;
// - the control words of the NICs, and their tables of circuits;
// - of predictive circuits the slots, notices, the TDM cycle, and what the fabric holds and the NICs may use;
// - of worms and of circuits on demand the requests, the grants and the places that come back.
//
//   const Compared run = compare_runs(design.models, parameters, script, 10'000, "name");
//   if (!run.difference.empty()) ...
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/parameters.h"
#include "emulator/rtl/expected_run.h"
#include "emulator/rtl/lock_step.h"
#include "emulator/rtl/rtl_switch.h"
#include "emulator/ticked/script.h"

namespace hybrid {

/// Runs the RTL on a script and compares it with the emulator's run in every clock.
class Comparison {
 public:
  Comparison(const RtlModels& models, const SwitchParameters& p, const ExpectedRun& expected,
             const std::vector<Outcome>& outcomes, const std::string& waveform)
      : n_(p.nodes),
        k_(p.slots),
        reports_waits_(p.allocation == "preempt"),
        expected_(expected),
        outcomes_(outcomes),
        rtl_(models, p, waveform),
        entered_(p.nodes) {
    for (const Outcome& outcome : outcomes)
      if (outcome.delivered < Time{}) all_granted_ = false;
  }

  /// Runs until clock `end`. Returns the first difference; none: the runs are equal.
  std::optional<Difference> run(const std::vector<Action>& script, std::int64_t end) {
    std::size_t next = 0;
    for (now_ = 0; !difference_ && now_ <= end; ++now_) {
      for (; next < script.size() && RtlNetwork::clocks(script[next].at) == now_; ++next) {
        const Action& action = script[next];
        if (action.what == Action::What::send)
          rtl_.send(action.message);
        else if (action.what == Action::What::preload)
          rtl_.preload(action.slot, action.configuration);
        else
          rtl_.flush(action.source);
      }
      rtl_.clock();
      compare_words();
      if (rtl_.has_worms) compare_worms();
      if (rtl_.has_slots || rtl_.on_demand) compare_control_words();
      if (rtl_.has_slots) compare_slots();
      if (rtl_.has_slots) compare_cycle();
      if (rtl_.has_worms || rtl_.on_demand) compare_round_robin();
      if (rtl_.on_demand) compare_circuits();
    }
    return difference_;
  }

 private:
  void compare_words() {
    // Whether a message is a hit is known of those that are delivered.
    for (const auto& [message, hit] : rtl_.offers())
      if (outcomes_[message].delivered > Time{})
        compare("hit, message", message, hit ? 1 : 0, outcomes_[message].hit ? 1 : 0);
    for (Port u = 0; u < n_; ++u) {
      compare("accepted by NIC", u, rtl_.accepted(u) ? 1 : 0, enters(u) ? 1 : 0);
      compare("link of NIC", u, rtl_.link(u), expected_.word(expected_.link, now_, u));
      compare("output", u, rtl_.output(u), expected_.word(expected_.output, now_, u));
    }
  }

  /// Whether a word enters the NIC of `u` in this clock.
  bool enters(Port u) {
    Entered& entered = entered_[u];
    const std::vector<Run>& runs = expected_.entered_at[u];
    if (entered.run == runs.size() || rtl_.clocks(runs[entered.run].at(entered.word)) != now_) return false;
    if (++entered.word == runs[entered.run].count) entered = {entered.run + 1, 0};
    return true;
  }

  /// The destinations of worms on the links and out of the switch's queues.
  void compare_worms() {
    std::array<std::uint32_t, RtlNetwork::kMostPorts> leaves{};
    for (Port v = 0; v < n_; ++v)
      if (const std::uint32_t word = expected_.word(expected_.output, now_, v); word != 0)
        if (const ExpectedRun::Sent& sent = expected_.message(word); sent.worm)
          leaves[sent.connection.source] = v + 1;
    for (Port u = 0; u < n_; ++u) {
      const std::uint32_t word = expected_.word(expected_.link, now_, u);
      const bool worm = word != 0 && expected_.message(word).worm;
      compare("link_to of NIC", u, rtl_.worm_to(u),
              worm ? expected_.message(word).connection.destination + 1 : 0);
      compare("sends, to, input", u, rtl_.worm_leaves(u), leaves[u]);
    }
  }

  void compare_control_words() {
    const auto& sent = rtl_.control_words();
    compare_rows("request of NIC", sent.request, request_.at(now_));
    compare_rows("release_ of NIC", sent.release, release_.at(now_));
    if (rtl_.has_slots && reports_waits_) compare_rows("waits of NIC", sent.waits, waits_.at(now_));
  }

  /// The scheduler's slots, its notices, and the tables of the NICs one wire later.
  void compare_slots() {
    compare_matrix("visible", rtl_.node().visible, visible_.at(now_));
    compare_rows("lost", rtl_.notices().lost, lost_.at(now_));
    compare_rows("established", rtl_.notices().established, established_.at(now_));
    compare_rows("in_table of NIC", rtl_.circuits(), table_.at(now_));
  }

  /// The emulator reports no empty slots, and leaves out slots while no message is under way.
  void compare_cycle() {
    const std::int64_t now = now_ - rtl_.lag;
    const std::vector<ExpectedRun::Slot>& slots = expected_.slots;
    while (slot_next_ < slots.size() && slots[slot_next_].end <= now) ++slot_next_;
    if (slot_next_ == slots.size() || slots[slot_next_].begin > now) return;
    const ExpectedRun::Slot& slot = slots[slot_next_];
    compare("begins, slot", slot.slot, rtl_.node().begins, slot.begin == now ? 1 : 0);
    compare("idle, slot", slot.slot, rtl_.node().idle, 0);
    compare("slot", slot.slot, rtl_.node().slot, slot.slot);
    if (slot.begin == now) {
      // The slot's connections as they are now; S_W has none.
      loaded_ = {};
      for (std::size_t i = 0, m = n_ * n_; i < m && slot.slot < k_; ++i)
        set_bits(loaded_, i, 1, bits(visible_.at(now_), slot.slot * m + i, 1));
    }
    compare_rows("connected", rtl_.fabric(rtl_.node().connected), loaded_);
    compare_rows("granted", rtl_.fabric(rtl_.node().granted), now < slot.usable ? Bits{} : loaded_);
  }

  /// Requests are those at this instant.
  void compare_round_robin() {
    // The emulator reports a request when it is granted: if some never are, the RTL has these, too.
    if (rtl_.on_demand)
      compare_matrix("requests", rtl_.node().requests, requests_.at(now_));
    else
      compare_matrix("request", rtl_.node().request, requests_.at(now_), !all_granted_);
    compare_matrix("grant", rtl_.node().grant, grants_.at(now_));
  }

  /// Circuits on demand: those that a NIC holds, and those in the fabric.
  void compare_circuits() {
    compare_rows("held of NIC", rtl_.circuits(), held_.at(now_));
    compare_rows("connected", rtl_.fabric(rtl_.node().connected), fabric_.at(now_));
    compare_rows("granted", rtl_.fabric(rtl_.node().granted), fabric_granted_.at(now_));
  }

  /// `rows`: by input, a bit for each output.
  void compare_rows(const char* signal, const std::array<std::uint32_t, RtlNetwork::kMostPorts>& rows,
                    const Bits& model) {
    Bits matrix{};
    for (std::size_t u = 0; u < n_; ++u) set_bits(matrix, u * n_, n_, rows[u]);
    compare_matrix(signal, matrix, model);
  }
  void compare_matrix(const char* signal, std::span<const unsigned char> rtl, const Bits& model,
                      bool may_have_more = false) {
    if (rtl.empty() || rtl.size() > model.size())
      throw std::logic_error(fmt::format("port of {}: {} bytes", signal, rtl.size()));
    bool equal = std::memcmp(model.data(), rtl.data(), rtl.size()) == 0;
    if (!equal && may_have_more)
      equal = std::equal(rtl.begin(), rtl.end(), model.data(),
                         [](auto more, auto bits) { return (bits & ~more) == 0; });
    if (!equal) note(signal, list(rtl), list(std::span(model).first(rtl.size())));
  }
  std::string list(std::span<const unsigned char> bytes) const {
    std::string text;
    for (std::size_t i = 0; i < bytes.size() * 8; ++i)
      if ((bytes[i / 8] >> i % 8 & 1) != 0)
        text += fmt::format(" {}:({},{})", i / n_ / n_, i / n_ % n_, i % n_);
    return text;
  }
  void compare(std::string_view signal, std::uint64_t of, std::uint64_t rtl, std::uint64_t model) {
    if (rtl != model) note(fmt::format("{} {}", signal, of), std::to_string(rtl), std::to_string(model));
  }
  void note(const std::string& signal, const std::string& rtl, const std::string& model) {
    if (!difference_) difference_ = Difference{now_, signal, rtl, model};
  }

  struct Entered {
    std::size_t run = 0;
    std::uint64_t word = 0;
  };
  std::size_t n_, k_;
  bool reports_waits_;
  const ExpectedRun& expected_;
  const std::vector<Outcome>& outcomes_;
  bool all_granted_ = true;
  RtlSwitch rtl_;
  std::vector<Entered> entered_;  // by port: the next word
  Level request_{expected_.request}, release_{expected_.release}, waits_{expected_.waits};
  Level visible_{expected_.visible}, lost_{expected_.lost}, established_{expected_.established},
      table_{expected_.table};
  Level requests_{expected_.requests}, grants_{expected_.grants};
  Level held_{expected_.held}, fabric_{expected_.fabric}, fabric_granted_{expected_.fabric_granted};
  Bits loaded_{};  // the connections of the slot in the fabric
  std::size_t slot_next_ = 0;
  std::int64_t now_ = 0;
  std::optional<Difference> difference_;
};

struct Compared {
  std::int64_t clocks;
  std::size_t delivered;   // messages
  std::size_t hits;        // messages that found their circuit established
  std::size_t grants;      // of the round-robin scheduler
  std::string difference;  // the first one; empty: none
  std::string waveform;    // file with all signals of the RTL up to the difference
};

/// The emulator's run of a script, until the last delivery or the clock `most`.
struct ModelRun {
  ExpectedRun expected;
  Recorder recorder;
  std::int64_t end;  // the last clock
};
inline ModelRun run_model(const SwitchParameters& p, const std::vector<Action>& script, std::int64_t most) {
  const auto technique = TechniqueRegistration::make(p.technique, p);
  ExpectedRun expected(p);
  technique->observe(expected);
  Recorder recorder = run_script(*technique, script, RtlNetwork::kClock * most);
  std::int64_t end = 0;
  for (const Outcome& outcome : recorder.outcomes)
    end = std::max(end, outcome.delivered < Time{} ? most : RtlNetwork::clocks(outcome.delivered));
  if (end == most)
    while (technique->advance(RtlNetwork::kClock * end, recorder) < RtlNetwork::kClock * end) {
    }
  expected.sort();
  return {std::move(expected), std::move(recorder), end};
}

inline std::string describe(const Difference& difference, const SwitchParameters& p, const std::string& name,
                            const std::string& waveform) {
  return fmt::format(
      "{}, clock {}, signal {}: RTL {}, model {}; slot {}, guard {}, reconfiguration {}, time-out {}, worms "
      "of {} bytes and {} words; waveform: {}",
      name, difference.clock, difference.signal, difference.rtl, difference.model,
      RtlNetwork::clocks(p.slot_length), RtlNetwork::clocks(p.guard), RtlNetwork::clocks(p.reconfiguration),
      RtlNetwork::clocks(p.predictor_timeout), p.worm_limit, p.worm_overhead_words, waveform);
}

/// Compares both on `script`, until the last delivery or the clock `most`.
inline Compared compare_runs(const RtlModels& models, const SwitchParameters& p,
                             const std::vector<Action>& script, std::int64_t most, const std::string& name) {
  const ModelRun model = run_model(p, script, most);
  const std::vector<Outcome>& outcomes = model.recorder.outcomes;
  const auto run = [&](const std::string& waveform) {
    return Comparison(models, p, model.expected, outcomes, waveform).run(script, model.end);
  };
  const auto hits = static_cast<std::size_t>(
      std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return o.hit; }));
  Compared compared{model.end + 1, model.recorder.order.size(), hits, model.expected.granted, {}, {}};
  if (const auto difference = run({})) {
    compared.waveform = testing::TempDir() + "lock_step_network_" + name + ".fst";
    run(compared.waveform);
    compared.difference = describe(*difference, p, name, compared.waveform);
  }
  return compared;
}

}  // namespace hybrid
