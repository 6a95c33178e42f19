#include "emulator/scheduler/demand_drain.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace hybrid {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kPicosecondsPerByteAndBit = 8'000'000'000'000;  // 8 bits a byte, 10^12 ps a second

/// Whole bytes that a link carries in `time`.
Bytes carried(Time time, BitRate rate) {
  return static_cast<Bytes>(Wide{static_cast<std::uint64_t>(time.ps)} * rate / kPicosecondsPerByteAndBit);
}

/// One request as the replay follows it.
struct Followed {
  Time needs{};          // on a link
  Time carried{};        // so far
  Time last{};           // when it last carried
  Time stands_until{};   // after it was set up
  std::size_t seen = 0;  // the last configuration that held it, from 1
};

}  // namespace

Drain drain_time(const DemandProblem& problem, std::span<const TimedConfiguration> schedule) {
  const auto& requests = problem.set.requests;
  std::unordered_map<Connection, Followed> all;
  for (const Request& r : requests) all[r.connection].needs = time_on_link(r.bytes, problem.link_rate);

  Drain result;
  Time now{}, all_stand_until{};
  Configuration before(problem.set.ports);
  for (std::size_t k = 0; k < schedule.size(); ++k) {
    const Configuration& configuration = schedule[k].configuration;
    const Time end = now + schedule[k].lasts;
    const bool changes = !(configuration == before);
    if (changes) {
      ++result.reconfigurations;
      all_stand_until = now + problem.reconfiguration;
    }
    for (const Connection& c : configuration.connections()) {
      const auto found = all.find(c);
      if (found == all.end()) continue;
      Followed& f = found->second;
      if (f.seen != k || k == 0) f.stands_until = now + problem.reconfiguration;
      f.seen = k + 1;
      const Time begin = std::max(now, problem.partial ? f.stands_until : all_stand_until);
      const Time time = std::min(end - begin, f.needs - f.carried);
      if (time <= Time{}) continue;
      f.carried += time;
      f.last = begin + time;
    }
    before = configuration;
    now = end;
  }

  const BitRate packets = packet_rate(problem);
  std::vector<Bytes> out(problem.set.ports), in(problem.set.ports);
  Bytes busiest = 0;
  for (const Request& r : requests) {
    const Followed& f = all.at(r.connection);
    const Bytes by_circuit =
        f.carried >= f.needs ? r.bytes : std::min(r.bytes, carried(f.carried, problem.link_rate));
    result.by_circuits += by_circuit;
    if (by_circuit > 0) result.circuits = std::max(result.circuits, f.last);
    const Bytes left = r.bytes - by_circuit;
    (packets > 0 ? result.by_packets : result.undrained) += left;
    busiest = std::max({busiest, out[r.connection.source] += left, in[r.connection.destination] += left});
  }
  if (packets > 0 && busiest > 0) result.packets = time_on_link(busiest, packets);
  result.time = result.undrained > 0 ? Time::never() : std::max(result.circuits, result.packets);
  return result;
}

}  // namespace hybrid
