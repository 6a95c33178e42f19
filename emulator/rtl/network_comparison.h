// Comparison of a whole switch in RTL (rtl_switch.h) with the emulator on the same messages, clock by clock:
// the words on every link and out of every output; of predictive circuits the slots, the TDM cycle, and the
// NICs' tables; of worms and of circuits on demand the requests and the grants.
//
//   const Compared run = compare_runs<VSwitchNode16, VNic16>(parameters, script, 10'000, "name");
//   if (!run.difference.empty()) ...
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/network/timeline.h"
#include "emulator/parameters.h"
#include "emulator/rtl/rtl_switch.h"
#include "emulator/ticked/script.h"

namespace hybrid {

/// The emulator's run, by clock.
struct Expected : PortTimeline, RtlNetwork {
  struct Slot {
    std::int64_t begin, end;
    std::uint32_t slot;
  };
  struct Circuit {
    std::int64_t at;
    Connection connection;
    std::uint32_t slot;
    bool established;
  };
  /// A request of the round-robin scheduler and the pass that granted it.
  struct RoundRobin {
    std::int64_t requested, granted;
    Connection connection;
  };

  explicit Expected(const SwitchParameters& p)
      : ports(p.nodes), on_demand(p.technique == "circuit"), setup_time(setup(p)) {}

  void offered(Time, std::uint32_t transfer, const Message& m) override {
    if (transfer >= of_transfer.size()) of_transfer.resize(transfer + 1);
    of_transfer[transfer] = {m.id, 0, 0};
  }
  void on_link(const WordSpan& words) override {
    Sent& sent = of_transfer[words.transfer];
    put(link, words, words.connection.source, sent.message, sent.on_link);
  }
  void out_of_fabric(const WordSpan& words) override {
    Sent& sent = of_transfer[words.transfer];
    put(output, words, words.connection.destination, sent.message, sent.out);
  }
  void waited(Time from, Time until, Connection c, bool worm) override {
    if (worm) round_robin.push_back({clocks(from), clocks(until - setup_time), c});
    // The NIC's instants.
    if (on_demand) round_robin.push_back({clocks(from) + 1 + kWire, clocks(until - setup_time) - kWire, c});
  }
  void slot(Time begin, Time end, std::uint32_t slot, bool, Time) override {
    slots.push_back({clocks(begin), clocks(end), slot});
  }
  void circuit(Time at, Connection c, std::uint32_t slot, bool established) override {
    circuits.push_back({clocks(at), c, slot, established});
  }

  /// The word of `port` in clock `at`; 0: none.
  std::uint32_t word(const std::vector<std::uint32_t>& of, std::int64_t at, Port port) const {
    const std::size_t i = static_cast<std::size_t>(at) * ports + port;
    return i < of.size() ? of[i] : 0;
  }

  Port ports;
  bool on_demand;                           // circuit switching
  Time setup_time;                          // of a grant, from the pass on
  std::vector<std::uint32_t> link, output;  // by clock, by port: the word + 1
  std::vector<Slot> slots;
  std::vector<Circuit> circuits;
  std::vector<RoundRobin> round_robin;  // in the order of the passes

 private:
  struct Sent {
    std::uint64_t message, on_link, out;  // words
  };
  void put(std::vector<std::uint32_t>& of, const WordSpan& words, Port port, std::uint64_t message,
           std::uint64_t& place) const {
    for (std::uint64_t k = 0; k < words.starts.count; ++k, ++place) {
      const std::size_t at = static_cast<std::size_t>(clocks(words.starts.at(k))) * ports + port;
      if (of.size() <= at) of.resize((at + ports) * 2);
      of[at] = word_of(message, place) + 1;
    }
  }
  std::vector<Sent> of_transfer;
};

struct Difference {
  std::int64_t clock;
  std::string signal, rtl, model;
};

/// Runs the RTL on a script and compares it with the emulator's run in every clock.
template <class Node, class Nic>
class Comparison {
  using Rtl = RtlSwitch<Node, Nic>;

 public:
  Comparison(const SwitchParameters& p, const Expected& expected, const std::vector<Outcome>& outcomes,
             const std::string& waveform)
      : n_(p.nodes),
        expected_(expected),
        outcomes_(outcomes),
        requested_(expected.round_robin),
        rtl_(p, waveform) {
    std::sort(requested_.begin(), requested_.end(),
              [](const auto& a, const auto& b) { return a.requested < b.requested; });
    for (const Outcome& outcome : outcomes)
      if (outcome.delivered < Time{}) all_granted_ = false;
  }

  /// Runs until clock `end`. Returns the first difference; none: the runs are equal.
  std::optional<Difference> run(const std::vector<Action>& script, std::int64_t end) {
    std::size_t next = 0;
    for (now_ = 0; !difference_ && now_ <= end; ++now_) {
      for (; next < script.size() && Rtl::clocks(script[next].at) == now_; ++next) {
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
      if constexpr (Rtl::kSlots) {
        compare_slots();
        compare_cycle();
      }
      if constexpr (Rtl::kWorms || Rtl::kOnDemand) compare_round_robin();
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
      compare("link of NIC", u, rtl_.link(u), expected_.word(expected_.link, now_, u));
      compare("output", u, rtl_.output(u), expected_.word(expected_.output, now_, u));
    }
  }

  /// The scheduler's slots, and the tables of the NICs one wire later.
  void compare_slots() {
    const std::vector<Expected::Circuit>& circuits = expected_.circuits;
    for (; visible_next_ < circuits.size() && circuits[visible_next_].at == now_ - Rtl::kLag;
         ++visible_next_) {
      const auto& [at, c, slot, established] = circuits[visible_next_];
      set_bits(visible_, (slot * n_ + c.source) * n_ + c.destination, 1, established ? 1 : 0);
    }
    for (; table_next_ < circuits.size() && circuits[table_next_].at + Rtl::kWire == now_; ++table_next_) {
      const auto& [at, c, slot, established] = circuits[table_next_];
      set_bits(table_[c.source], c.destination, 1, established ? 1 : 0);
    }
    compare_matrix("visible", rtl_.node().visible, visible_.data());
    for (Port u = 0; u < n_; ++u) compare("in_table of NIC", u, rtl_.table(u), table_[u]);
  }

  /// The emulator reports no empty slots, and leaves out slots while no message is under way.
  void compare_cycle() {
    const std::int64_t now = now_ - Rtl::kLag;
    const std::vector<Expected::Slot>& slots = expected_.slots;
    while (slot_next_ < slots.size() && slots[slot_next_].end <= now) ++slot_next_;
    if (slot_next_ == slots.size() || slots[slot_next_].begin > now) return;
    const Expected::Slot& slot = slots[slot_next_];
    compare("begins, slot", slot.slot, rtl_.node().begins, slot.begin == now ? 1 : 0);
    compare("idle, slot", slot.slot, rtl_.node().idle, 0);
    compare("slot", slot.slot, rtl_.node().slot, slot.slot);
  }

  /// Requests are those at this instant; grants, which a node with worms has one clock later, those of a pass
  /// before.
  void compare_round_robin() {
    const std::vector<Expected::RoundRobin>& granted = expected_.round_robin;
    for (; request_next_ < requested_.size() && requested_[request_next_].requested == now_; ++request_next_)
      set_bits(requests_, bit(requested_[request_next_].connection), 1, 1);
    std::array<unsigned char, 1024> grants{};
    for (; grant_next_ < granted.size() && granted[grant_next_].granted == now_ - Rtl::kLag; ++grant_next_) {
      set_bits(grants, bit(granted[grant_next_].connection), 1, 1);
      // Only after its pass the next worm of the queue makes a request.
      set_bits(requests_, bit(granted[grant_next_].connection), 1, 0);
    }
    // The emulator reports a request when it is granted: if some never are, the RTL has these, too.
    if constexpr (Rtl::kOnDemand)
      compare_matrix("requests", rtl_.node().requests, requests_.data());
    else
      compare_matrix("request", rtl_.node().request, requests_.data(), !all_granted_);
    compare_matrix("grant", rtl_.node().grant, grants.data());
  }

  std::size_t bit(Connection c) const { return c.source * n_ + c.destination; }
  template <class Vector>
  void compare_matrix(const char* signal, const Vector& rtl, const unsigned char* model,
                      bool may_have_more = false) {
    bool equal = std::memcmp(model, &rtl, sizeof rtl) == 0;
    if (!equal && may_have_more) {
      const auto* const has = reinterpret_cast<const unsigned char*>(&rtl);
      equal =
          std::equal(has, has + sizeof rtl, model, [](auto more, auto bits) { return (bits & ~more) == 0; });
    }
    if (!equal) note(signal, list(rtl, sizeof rtl), list<unsigned char>(*model, sizeof rtl));
  }
  template <class Vector>
  std::string list(const Vector& vector, std::size_t bytes) const {
    std::string text;
    for (std::size_t i = 0; i < bytes * 8; ++i)
      if (bits(vector, i, 1) != 0) text += fmt::format(" {}:({},{})", i / n_ / n_, i / n_ % n_, i % n_);
    return text;
  }
  void compare(std::string_view signal, std::uint64_t of, std::uint64_t rtl, std::uint64_t model) {
    if (rtl != model) note(fmt::format("{} {}", signal, of), std::to_string(rtl), std::to_string(model));
  }
  void note(const std::string& signal, const std::string& rtl, const std::string& model) {
    if (!difference_) difference_ = Difference{now_, signal, rtl, model};
  }

  std::size_t n_;
  const Expected& expected_;
  const std::vector<Outcome>& outcomes_;
  std::vector<Expected::RoundRobin> requested_;  // in the order of the requests
  bool all_granted_ = true;
  Rtl rtl_;
  // As the RTL's vectors.
  std::array<unsigned char, 1024> visible_{}, requests_{};
  std::array<std::uint32_t, 32> table_{};
  std::size_t visible_next_ = 0, table_next_ = 0, slot_next_ = 0, request_next_ = 0, grant_next_ = 0;
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

/// Compares both on `script`, until the last delivery or the clock `most`.
template <class Node, class Nic>
Compared compare_runs(const SwitchParameters& p, const std::vector<Action>& script, std::int64_t most,
                      const std::string& name) {
  const auto technique = TechniqueRegistration::make(p.technique, p);
  Expected expected(p);
  technique->observe(expected);
  Recorder recorder = run_script(*technique, script, RtlNetwork::kClock * most);
  std::int64_t end = 0;
  for (const Outcome& outcome : recorder.outcomes)
    end = std::max(end, outcome.delivered < Time{} ? most : RtlNetwork::clocks(outcome.delivered));
  if (end == most)
    while (technique->advance(RtlNetwork::kClock * end, recorder) < RtlNetwork::kClock * end) {
    }
  const auto run = [&](const std::string& waveform) {
    return Comparison<Node, Nic>(p, expected, recorder.outcomes, waveform).run(script, end);
  };
  const auto hits = static_cast<std::size_t>(std::count_if(recorder.outcomes.begin(), recorder.outcomes.end(),
                                                           [](const Outcome& o) { return o.hit; }));
  Compared compared{end + 1, recorder.order.size(), hits, expected.round_robin.size(), {}, {}};
  if (const auto difference = run({})) {
    compared.waveform = testing::TempDir() + "lock_step_network_" + name + ".fst";
    run(compared.waveform);
    compared.difference = fmt::format(
        "{}, clock {}, signal {}: RTL {}, model {}; slot {}, guard {}, reconfiguration {}, time-out {}, "
        "worms "
        "of {} bytes and {} words; waveform: {}",
        name, difference->clock, difference->signal, difference->rtl, difference->model,
        RtlNetwork::clocks(p.slot_length), RtlNetwork::clocks(p.guard), RtlNetwork::clocks(p.reconfiguration),
        RtlNetwork::clocks(p.predictor_timeout), p.worm_limit, p.worm_overhead_words, compared.waveform);
  }
  return compared;
}

}  // namespace hybrid
