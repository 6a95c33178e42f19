#include "emulator/scheduler/demand_drain.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace hybrid {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kPicosecondsPerByteAndBit = 8'000'000'000'000;  // 8 bits a byte, 10^12 ps a second

/// Returns the whole bytes that a link carries in `time`.
Bytes carried(Time time, BitRate rate) {
  return static_cast<Bytes>(Wide{static_cast<std::uint64_t>(time.ps)} * rate / kPicosecondsPerByteAndBit);
}

/// State of one request in the replay.
struct Progress {
  Time needs{};          // time on a link
  Time carried{};        // so far
  Time last{};           // when it last carried
  Time ready_at{};       // end of its set-up
  std::size_t seen = 0;  // the last configuration that held it, from 1
};

}  // namespace

Drain drain_time(const DemandProblem& problem, std::span<const TimedConfiguration> schedule) {
  const auto& requests = problem.set.requests;
  std::unordered_map<Connection, Progress> all;
  for (const Request& r : requests) all[r.connection].needs = time_on_link(r.bytes, problem.link_rate);

  Drain result;
  Time now{}, all_ready_at{};
  Configuration before(problem.set.ports);
  for (std::size_t k = 0; k < schedule.size(); ++k) {
    const Configuration& configuration = schedule[k].configuration;
    const Time end = now + schedule[k].lasts;
    const bool changes = !(configuration == before);
    if (changes) {
      ++result.reconfigurations;
      all_ready_at = now + problem.reconfiguration;
    }
    for (const Connection& c : configuration.connections()) {
      const auto found = all.find(c);
      if (found == all.end()) continue;
      Progress& f = found->second;
      if (f.seen != k || k == 0) f.ready_at = now + problem.reconfiguration;
      f.seen = k + 1;
      const Time begin = std::max(now, problem.partial ? f.ready_at : all_ready_at);
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
    const Progress& f = all.at(r.connection);
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

namespace {

/// The requests of one port, as input or as output.
struct Line {
  std::vector<Bytes> sizes;  // ascending
  std::vector<Wide> up_to;   // the sum of the k smallest
};

class Bound {
 public:
  explicit Bound(const DemandProblem& problem) : problem_(problem), packets_(packet_rate(problem)) {
    lines_.resize(2 * std::size_t{problem.set.ports});
    for (const Request& r : problem.set.requests) {
      if (r.bytes == 0) continue;
      lines_[r.connection.source].sizes.push_back(r.bytes);
      lines_[problem.set.ports + r.connection.destination].sizes.push_back(r.bytes);
    }
    std::erase_if(lines_, [](const Line& line) { return line.sizes.empty(); });
    for (Line& line : lines_) {
      std::sort(line.sizes.begin(), line.sizes.end());
      line.up_to.push_back(0);
      for (const Bytes size : line.sizes) line.up_to.push_back(line.up_to.back() + size);
    }
  }

  Time smallest() const {
    std::int64_t too_short = -1, enough = 1;
    while (!possible(enough)) {
      too_short = enough;
      enough *= 2;
    }
    if (possible(0)) return {};
    while (enough - too_short > 1) {
      const std::int64_t middle = too_short + (enough - too_short) / 2;
      (possible(middle) ? enough : too_short) = middle;
    }
    return {enough};
  }

 private:
  bool possible(std::int64_t time) const {
    const Wide by_packets = Wide{static_cast<std::uint64_t>(time)} * packets_;
    std::uint64_t most = 0;  // connections of the fabric that the port with the most needs
    for (const Line& line : lines_) most = std::max(most, circuits(line, by_packets));
    for (const Line& line : lines_) {
      const std::uint64_t own = circuits(line, by_packets);
      if (own == 0) continue;  // the packet network carries all of it
      const Wide still =
          Wide{problem_.partial ? own : most} * static_cast<std::uint64_t>(problem_.reconfiguration.ps);
      if (still > static_cast<std::uint64_t>(time)) return false;
      const Wide by_fabric = (static_cast<std::uint64_t>(time) - still) * problem_.link_rate;
      if (line.up_to.back() * kPicosecondsPerByteAndBit > by_fabric + by_packets) return false;
    }
    return true;
  }

  /// Number of the line's requests that the packet network cannot carry whole: the largest ones.
  static std::uint64_t circuits(const Line& line, Wide by_packets) {
    const auto past =
        std::upper_bound(line.up_to.begin(), line.up_to.end(), by_packets,
                         [](Wide bits, Wide sum) { return bits < sum * kPicosecondsPerByteAndBit; });
    return static_cast<std::uint64_t>(line.up_to.end() - past);
  }

  const DemandProblem& problem_;
  BitRate packets_;
  std::vector<Line> lines_;  // inputs and outputs with requests
};

}  // namespace

Time drain_bound(const DemandProblem& problem) {
  check_demand(problem);
  return Bound(problem).smallest();
}

}  // namespace hybrid
