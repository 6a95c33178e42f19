// The whole switch in RTL (rtl_switch.h) against the emulator, clock by clock: the words on every link and
// out of every output, the slots, the TDM cycle, and the NICs' tables. Claim C17 in hardware.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "VNic16.h"
#include "VNic32.h"
#include "VNic4.h"
#include "VNic8.h"
#include "VSwitchNode16.h"
#include "VSwitchNode32.h"
#include "VSwitchNode4.h"
#include "VSwitchNode8.h"
#include "core/random.h"
#include "core/temporary_directory.h"
#include "emulator/network/timeline.h"
#include "emulator/parameters.h"
#include "emulator/replay/replay.h"
#include "emulator/replay/trace_format.h"
#include "emulator/rtl/rtl_switch.h"
#include "emulator/ticked/script.h"

namespace hybrid {
namespace {

using AnySwitch = RtlSwitch<VSwitchNode8, VNic8>;  // for constants
constexpr Time kClock = AnySwitch::kClock;
std::int64_t clock_of(Time t) { return AnySwitch::clocks(t); }

/// The emulator's run, by clock.
struct Expected : PortTimeline {
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

  explicit Expected(Port ports) : ports(ports) {}

  void offered(Time, std::uint32_t transfer, const Message& m) override {
    if (transfer >= of_transfer.size()) of_transfer.resize(transfer + 1);
    of_transfer[transfer] = {m.id, 0};
  }
  void on_link(const WordSpan& words) override {
    auto& [id, place] = of_transfer[words.transfer];
    for (std::uint64_t k = 0; k < words.starts.count; ++k, ++place) {
      const auto at = static_cast<std::size_t>(clock_of(words.starts.at(k)));
      put(link, at, words.connection.source, AnySwitch::word_of(id, place));
      put(output, at + AnySwitch::kToFabric, words.connection.destination, AnySwitch::word_of(id, place));
    }
  }
  void slot(Time begin, Time end, std::uint32_t slot, bool, Time) override {
    slots.push_back({clock_of(begin), clock_of(end), slot});
  }
  void circuit(Time at, Connection c, std::uint32_t slot, bool established) override {
    circuits.push_back({clock_of(at), c, slot, established});
  }

  /// The word of `port` in clock `at`; 0: none.
  std::uint32_t word(const std::vector<std::uint32_t>& of, std::int64_t at, Port port) const {
    const std::size_t i = static_cast<std::size_t>(at) * ports + port;
    return i < of.size() ? of[i] : 0;
  }

  Port ports;
  std::vector<std::uint32_t> link, output;  // by clock, by port: the word + 1
  std::vector<Slot> slots;
  std::vector<Circuit> circuits;

 private:
  void put(std::vector<std::uint32_t>& of, std::size_t at, Port port, std::uint32_t word) const {
    if (of.size() <= at * ports + port) of.resize((at + 1) * ports * 2);
    of[at * ports + port] = word + 1;
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> of_transfer;  // message, words sent
};

struct Difference {
  std::int64_t clock;
  std::string signal, rtl, model;
};

/// Runs the RTL on a script and compares it with the emulator's run in every clock.
template <class Node, class Nic>
class Comparison {
 public:
  Comparison(const SwitchParameters& p, const Expected& expected, const std::vector<Outcome>& outcomes,
             const std::string& waveform)
      : n_(p.nodes), expected_(expected), outcomes_(outcomes), rtl_(p, waveform) {}

  /// Runs until clock `end`. Returns the first difference; none: the runs are equal.
  std::optional<Difference> run(const std::vector<Action>& script, std::int64_t end) {
    std::size_t next = 0;
    for (now_ = 0; !difference_ && now_ <= end; ++now_) {
      for (; next < script.size() && clock_of(script[next].at) == now_; ++next) {
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
      compare_slots();
      compare_cycle();
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
    for (; visible_next_ < circuits.size() && circuits[visible_next_].at == now_; ++visible_next_) {
      const auto& [at, c, slot, established] = circuits[visible_next_];
      set_bits(visible_, (slot * n_ + c.source) * n_ + c.destination, 1, established ? 1 : 0);
    }
    for (; table_next_ < circuits.size() && circuits[table_next_].at + AnySwitch::kWire == now_;
         ++table_next_) {
      const auto& [at, c, slot, established] = circuits[table_next_];
      set_bits(table_[c.source], c.destination, 1, established ? 1 : 0);
    }
    const auto& visible = rtl_.node().visible;
    if (std::memcmp(visible_.data(), &visible, sizeof visible) != 0)
      note("visible", list(visible, sizeof visible), list(visible_, sizeof visible));
    for (Port u = 0; u < n_; ++u) compare("in_table of NIC", u, rtl_.table(u), table_[u]);
  }

  /// The emulator reports no empty slots, and leaves out slots while no message is under way.
  void compare_cycle() {
    const std::vector<Expected::Slot>& slots = expected_.slots;
    while (slot_next_ < slots.size() && slots[slot_next_].end <= now_) ++slot_next_;
    if (slot_next_ == slots.size() || slots[slot_next_].begin > now_) return;
    const Expected::Slot& slot = slots[slot_next_];
    compare("begins, slot", slot.slot, rtl_.node().begins, slot.begin == now_ ? 1 : 0);
    compare("idle, slot", slot.slot, rtl_.node().idle, 0);
    compare("slot", slot.slot, rtl_.node().slot, slot.slot);
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
  RtlSwitch<Node, Nic> rtl_;
  std::array<unsigned char, 1024> visible_{};  // as the RTL's vector
  std::array<std::uint32_t, 32> table_{};
  std::size_t visible_next_ = 0, table_next_ = 0, slot_next_ = 0;
  std::int64_t now_ = 0;
  std::optional<Difference> difference_;
};

struct Compared {
  std::int64_t clocks;
  std::size_t delivered;  // messages
};

/// Compares both on `script`, until the last delivery or the clock `most`.
template <class Node, class Nic>
Compared compare_runs(const SwitchParameters& p, const std::vector<Action>& script, std::int64_t most,
                      const std::string& name) {
  const auto technique = TechniqueRegistration::make("tdm", p);
  Expected expected(p.nodes);
  technique->observe(expected);
  Recorder recorder = run_script(*technique, script, kClock * most);
  std::int64_t end = 0;
  for (const Outcome& outcome : recorder.outcomes)
    end = std::max(end, outcome.delivered < Time{} ? most : clock_of(outcome.delivered));
  if (end == most)
    while (technique->advance(kClock * end, recorder) < kClock * end) {
    }
  const auto run = [&](const std::string& waveform) {
    return Comparison<Node, Nic>(p, expected, recorder.outcomes, waveform).run(script, end);
  };
  if (const auto difference = run({})) {
    const std::string waveform = testing::TempDir() + "lock_step_network_" + name + ".fst";
    run(waveform);
    ADD_FAILURE() << name << ", clock " << difference->clock << ", signal " << difference->signal << ": RTL "
                  << difference->rtl << ", model " << difference->model << "; slot "
                  << clock_of(p.slot_length) << ", guard " << clock_of(p.guard) << ", reconfiguration "
                  << clock_of(p.reconfiguration) << ", time-out " << clock_of(p.predictor_timeout)
                  << "; waveform: " << waveform;
  }
  return {end + 1, recorder.order.size()};
}

/// The parameters of the RTL: preset ch5 with small queues.
SwitchParameters network_parameters(Port nodes, std::uint32_t slots, const std::string& allocation) {
  SwitchParameters p;
  p.technique = "tdm";
  p.nodes = nodes;
  p.slots = slots;
  p.allocation = allocation;
  p.predictor = "timeout";
  p.demand_guard = false;
  p.buffer = AnySwitch::kDepth * 8;
  return p;
}

/// Sends, preloads and flushes at random, from a few to more than the network can carry.
std::vector<Action> random_actions(Random& random, const SwitchParameters& p, std::int64_t clocks) {
  std::vector<Action> script;
  std::int64_t command = 0;  // earliest clock of the next preload or flush: one in a cycle of the scheduler
  std::uint64_t id = 0;
  const std::uint64_t load = 1 + random.below(60), partners = 1 + random.below(p.nodes - 1);
  const bool commands = random.below(2) == 0;
  for (std::int64_t clock = 0; clock < clocks; ++clock) {
    const Time at = kClock * clock;
    if (commands && clock >= command && random.below(300) == 0) {
      Action action{Action::What::preload,  at,     {}, static_cast<std::uint32_t>(random.below(p.slots)),
                    Configuration(p.nodes), kNoPort};
      if (random.below(3) == 0) {
        action.what = Action::What::flush;
        if (random.below(3) != 0) action.source = static_cast<Port>(random.below(p.nodes));
      } else if (random.below(4) != 0) {
        for (Port u = 0; u < p.nodes; ++u) {
          const Connection c{u, static_cast<Port>((u + 1 + random.below(p.nodes - 1)) % p.nodes)};
          if (random.below(3) != 0 && action.configuration.fits(c)) action.configuration.add(c);
        }
      }
      script.push_back(action);
      command = clock + 9;
    }
    for (Port u = 0; u < p.nodes; ++u) {
      if (random.below(1000) >= load) continue;
      const auto to = static_cast<Port>((u + 1 + random.below(partners)) % p.nodes);
      const Bytes bytes = random.below(5) == 0 ? random.below(1200) : random.below(100);
      script.push_back(Action::send(at, id++, {u, to}, bytes));
    }
  }
  return script;
}

template <class Node, class Nic>
void compare_network(Port nodes, std::uint32_t slots, const std::string& allocation, std::uint64_t clocks) {
  std::uint64_t compared = 0, delivered = 0;
  for (std::uint64_t seed = 1; compared < clocks && !testing::Test::HasFailure(); ++seed) {
    Random random(seed * 100 + nodes);
    SwitchParameters p = network_parameters(nodes, slots, allocation);
    p.predictor_timeout =
        kClock * static_cast<std::int64_t>(1 + random.below(random.below(2) == 0 ? 30 : 1000));
    if (random.below(2) == 0) p.guard = kClock * static_cast<std::int64_t>(random.below(3));
    if (random.below(2) == 0) p.reconfiguration = kClock * static_cast<std::int64_t>(random.below(6));
    p.slot_length = p.guard + p.reconfiguration + kClock * static_cast<std::int64_t>(1 + random.below(20));
    const std::vector<Action> script = random_actions(random, p, 2000);
    const Compared run = compare_runs<Node, Nic>(p, script, 10'000, fmt::format("{}_{}", nodes, seed));
    compared += static_cast<std::uint64_t>(run.clocks);
    delivered += run.delivered;
  }
  EXPECT_GT(delivered, clocks / 50) << nodes << " ports";
}

void compare_networks(std::uint64_t clocks) {
  compare_network<VSwitchNode4, VNic4>(4, 2, "none", clocks);
  compare_network<VSwitchNode8, VNic8>(8, 4, "ses", clocks);
  compare_network<VSwitchNode16, VNic16>(16, 4, "ses", clocks);
  compare_network<VSwitchNode32, VNic32>(32, 4, "ses", clocks);
}

/// The messages of a recorded job, at the times of its replay, each at the next clock; the first one at 0.
class SentMessages : public PortTimeline {
 public:
  void offered(Time from, std::uint32_t /*transfer*/, const Message& message) override {
    sent_.emplace_back(next_edge(from, kClock), message);
  }
  std::vector<Action> script(std::int64_t clocks) {
    std::sort(sent_.begin(), sent_.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first, a.second.id) < std::pair(b.first, b.second.id);
    });
    std::vector<Action> script;
    for (const auto& [time, message] : sent_)
      if (const Time at = time - sent_.front().first; clock_of(at) < clocks)
        script.push_back(Action::send(at, script.size(), message.connection, message.bytes));
    return script;
  }

 private:
  std::vector<std::pair<Time, Message>> sent_;
};

/// Compares on the messages of the first `clocks` of a trace under examples/traces.
void compare_trace(const std::string& name, std::int64_t clocks) {
  const TemporaryDirectory directory;
  const std::string archive = fmt::format("{}/{}-16.tar.xz", HYBRID_TRACES, name);
  ASSERT_EQ(std::system(fmt::format("tar -xf {} -C {}", archive, directory.path()).c_str()), 0);
  SwitchParameters p = network_parameters(16, 4, "ses");
  SentMessages sent;
  ReplayOptions options;
  options.timeline = &sent;
  replay(*open_trace(fmt::format("{}/{}-16", directory.path(), name)), p, options);
  const std::vector<Action> script = sent.script(clocks);
  ASSERT_GT(script.size(), 100U) << name;
  const Compared run =
      compare_runs<VSwitchNode16, VNic16>(p, script, std::numeric_limits<std::int32_t>::max(), name);
  EXPECT_EQ(run.delivered, script.size()) << name;
}

TEST(LockStep, Network) { compare_networks(15'000); }
TEST(LockStep, NetworkOnARecordedJob) { compare_trace("is", 100'000); }
TEST(LockStep, NightlyNetworkOnRecordedJobs) {
  for (const char* const name : {"bt", "cg", "ft", "is", "lu", "mg", "sp"})
    compare_trace(name, std::numeric_limits<std::int32_t>::max());
}
TEST(LockStep, NightlyNetwork) { compare_networks(10'000'000); }

}  // namespace
}  // namespace hybrid
