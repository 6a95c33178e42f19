// Growth of the time per message with the number of ports. Two factors grow: the emulator's work per message,
// and the state, which with thousands of ports exceeds the caches. To separate them, a switch with many ports
// is compared with the same number of ports in switches of 128 ports each, emulated alternately cycle by
// cycle: their work is linear in the ports by construction, and their state has the same size. The single
// switch, the large switch and the small switches run alternately in short pieces from a warm state. Times
// are processor times; the results are medians over the pieces, because other load on the machine disturbs
// some pieces:
//
// - `growth`: time per message of the large switch / that of a single switch of 128 ports;
// - `ratio_to_small`: time per message of the large switch / that of the small switches; 1 or less if the
// emulator adds
//   no cost per port;
// - `requests_ratio`: circuit requests per message of the large switch / those of the small switches. With
// more
//   destinations fewer messages share a circuit: a property of the traffic, not of the emulator.
//
// Offered messages are counted: all switches are offered the same number in the same emulated time, whether
// or not they can deliver them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/registry.h"
#include "emulator/network/event_queue.h"
#include "emulator/network/technique.h"
#include "emulator/parameters.h"
#include "emulator/traffic/arrivals.h"

namespace hybrid {
namespace {

constexpr std::uint32_t kSmall = 128;
constexpr Bytes kMessage = 128;
constexpr int kPieces = 31;

struct Setting {
  std::string technique;
  bool permutation = false;  // otherwise uniform
  double load = 0;
};

/// `switches` switches of `ports` ports each, with open-loop traffic within each switch.
class SwitchGroup final : private TransferListener {
 public:
  SwitchGroup(const Setting& setting, std::uint32_t switches, std::uint32_t ports)
      : permutation_(setting.permutation), ports_(ports), arrivals_(kSlice) {
    SwitchParameters p;
    p.technique = setting.technique;
    p.nodes = ports;
    p.buffer = 8192;
    p.allocation = "adaptive";
    const double gap = static_cast<double>(time_on_link(kMessage, p.link_rate).ps) / setting.load;
    gap_ = picoseconds(static_cast<std::int64_t>(gap));
    for (std::uint32_t s = 0; s < switches; ++s) {
      switches_.push_back(TechniqueRegistration::make(p.technique, p));
      switches_.back()->disable_injection_reports();
    }
    for (Port port = 0; port < switches * ports; ++port) {
      random_.emplace_back(SmallRandom::mixed(port));
      schedule_arrival(Time{}, port);
    }
  }
  SwitchGroup(const SwitchGroup&) = delete;
  SwitchGroup& operator=(const SwitchGroup&) = delete;

  /// Runs until `end` and returns the processor time per offered message in ns.
  double run_until(Time end) {
    const std::uint64_t before = sent_;
    const std::clock_t begin = std::clock();
    for (; now_ < end; now_ = now_ + kSlice) {
      while (arrivals_.next() < now_ + kSlice) {
        const SwitchEvent arrival = arrivals_.pop();
        Technique& technique = *switches_[arrival.a / ports_];
        advance(technique, arrival.at - picoseconds(1));
        send(technique, arrival.at, arrival.a);
        schedule_arrival(arrival.at, arrival.a);
      }
      for (const auto& technique : switches_) advance(*technique, now_ + kSlice - picoseconds(1));
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    return seconds * 1e9 / static_cast<double>(sent_ - before);
  }

  /// Circuit requests per offered message so far.
  double requests_per_message() const {
    std::uint64_t requests = 0;
    for (const auto& technique : switches_) requests += technique->statistics().requests;
    return static_cast<double>(requests) / static_cast<double>(sent_);
  }

 private:
  static constexpr Time kSlice = nanoseconds(10);

  void advance(Technique& technique, Time until) {
    while (technique.next_event() <= until) technique.advance(until, *this);
  }
  void schedule_arrival(Time t, Port port) {
    arrivals_.push_sorted(t + exponential(random_[port], gap_), 0, port, 0);
  }
  void send(Technique& technique, Time at, Port port) {
    const Port source = port % ports_;
    const auto hop = permutation_ ? ports_ / 2 + 1 : static_cast<Port>(1 + random_[port].below(ports_ - 1));
    technique.send(at, {sent_++, {source, (source + hop) % ports_}, kMessage});
  }
  void injected(Time /*at*/, const Message& /*message*/) override {}
  void delivered(Time /*at*/, const Message& /*message*/, bool /*hit*/) override {}

  bool permutation_;
  std::uint32_t ports_;
  Time gap_;  // mean time between two messages of a port
  std::vector<std::unique_ptr<Technique>> switches_;
  std::vector<SmallRandom> random_;
  EventQueue arrivals_;
  Time now_{};
  std::uint64_t sent_ = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void growth(benchmark::State& state, const Setting& setting, std::uint32_t ports) {
  SwitchGroup single(setting, 1, kSmall), large(setting, 1, ports), small(setting, ports / kSmall, kSmall);
  // The same number of messages is measured of each; those of the single switch take longer.
  const Time warm = microseconds(20), piece = microseconds(1);
  Time at = warm, single_at = warm;
  for (SwitchGroup* switches : {&single, &large, &small}) switches->run_until(warm);
  std::vector<double> ns_per_message, growth, ratio_to_small;
  for (auto _ : state) {
    at = at + piece;
    single_at = single_at + piece * (ports / kSmall);
    const double single_ns = single.run_until(single_at), large_ns = large.run_until(at),
                 small_ns = small.run_until(at);
    ns_per_message.push_back(large_ns);
    growth.push_back(large_ns / single_ns);
    ratio_to_small.push_back(large_ns / small_ns);
  }
  state.counters["ns/message"] = median(ns_per_message);
  state.counters["growth"] = median(growth);
  state.counters["ratio_to_small"] = median(ratio_to_small);
  if (small.requests_per_message() > 0)
    state.counters["requests_ratio"] = large.requests_per_message() / small.requests_per_message();
}

const bool kAdded = [] {
  for (const char* technique : {"wormhole", "circuit", "tdm", "hybrid"})
    for (const bool permutation : {false, true})
      for (const double load : {0.1, 0.4})
        for (const std::uint32_t ports : {512u, 2048u, 4096u}) {
          const std::string name = std::string("ports/") + technique +
                                   (permutation ? "/permutation" : "/uniform") +
                                   (load < 0.2 ? "/load0.1" : "/load0.4") + "/N" + std::to_string(ports);
          benchmark::RegisterBenchmark(
              name.c_str(), [=](benchmark::State& s) { growth(s, {technique, permutation, load}, ports); })
              ->Unit(benchmark::kMillisecond)
              ->Iterations(kPieces);
        }
  return true;
}();

}  // namespace
}  // namespace hybrid
