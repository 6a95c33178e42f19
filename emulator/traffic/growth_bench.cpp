// How the time that a message costs grows with the ports. Two things grow: what the emulator does for a
// message, which is its own, and the state that it does it on, which with thousands of ports no longer lies
// in the caches, whoever works on it. So a switch of many ports is measured beside as many ports in switches
// of 128 each, which are emulated cycle by cycle in turn: their work is linear in the ports by construction,
// and their state is as large. All three in turn, in short pieces, from a warm state on, by processor time;
// medians over the pieces, since what else runs on a machine disturbs some of them:
//
// - `growth`: a message of the large switch over one of a single switch of 128 ports;
// - `beside`: a message of the large switch over one of the many small ones; 1 or less where the emulator
//   adds nothing to what that many ports cost.
//
// - `asked`: circuits that a message of the large switch asks for over those of one of the small ones. Among
//   more destinations fewer messages share a circuit: that is the traffic's, not the emulator's.
//
// Messages are counted where they are offered: all are offered as many in the same emulated time, whether or
// not a switch keeps up with them.
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

/// `switches` of so many ports each under open-loop traffic within each of them.
class SideBySide final : private TransferListener {
 public:
  SideBySide(const Setting& setting, std::uint32_t switches, std::uint32_t ports)
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
      arrive_after(Time{}, port);
    }
  }
  SideBySide(const SideBySide&) = delete;
  SideBySide& operator=(const SideBySide&) = delete;

  /// Goes on until `end`; returns ns of processor time per message offered.
  double run_until(Time end) {
    const std::uint64_t before = sent_;
    const std::clock_t begin = std::clock();
    for (; now_ < end; now_ = now_ + kSlice) {
      while (arrivals_.next() < now_ + kSlice) {
        const SwitchEvent arrival = arrivals_.pop();
        Technique& technique = *switches_[arrival.a / ports_];
        run(technique, arrival.at - picoseconds(1));
        send(technique, arrival.at, arrival.a);
        arrive_after(arrival.at, arrival.a);
      }
      for (const auto& technique : switches_) run(*technique, now_ + kSlice - picoseconds(1));
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    return seconds * 1e9 / static_cast<double>(sent_ - before);
  }

  /// So far, circuits asked for per message offered.
  double asked() const {
    std::uint64_t requests = 0;
    for (const auto& technique : switches_) requests += technique->statistics().requests;
    return static_cast<double>(requests) / static_cast<double>(sent_);
  }

 private:
  static constexpr Time kSlice = nanoseconds(10);

  void run(Technique& technique, Time until) {
    while (technique.next_event() <= until) technique.advance(until, *this);
  }
  void arrive_after(Time t, Port port) {
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
  Time gap_;  // mean, between two messages of a port
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
  SideBySide single(setting, 1, kSmall), large(setting, 1, ports), small(setting, ports / kSmall, kSmall);
  // As many messages of each are measured; a single switch's last longer.
  const Time warm = microseconds(20), piece = microseconds(1);
  Time at = warm, single_at = warm;
  for (SideBySide* switches : {&single, &large, &small}) switches->run_until(warm);
  std::vector<double> ns_per_message, growth, beside;
  for (auto _ : state) {
    at = at + piece;
    single_at = single_at + piece * (ports / kSmall);
    const double single_ns = single.run_until(single_at), large_ns = large.run_until(at),
                 small_ns = small.run_until(at);
    ns_per_message.push_back(large_ns);
    growth.push_back(large_ns / single_ns);
    beside.push_back(large_ns / small_ns);
  }
  state.counters["ns/message"] = median(ns_per_message);
  state.counters["growth"] = median(growth);
  state.counters["beside"] = median(beside);
  if (small.asked() > 0) state.counters["asked"] = large.asked() / small.asked();
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
