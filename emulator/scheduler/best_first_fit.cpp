// `best-first-fit`: each connection is set up once and held until it is drained, as in Best First Fit (Liu,
// Xu and Fortnow 2018), the first algorithm to use partial reconfiguration. The rules for the order of the
// connections and for the share of the packet network are ours.
//
// - Partial reconfiguration: a list schedule of the open shop (OpenShop).
// - Otherwise configurations change as a whole: requests are placed, longest first, into the first
//   configuration with both ports free; or by edge colouring into the smallest number of configurations. The
//   one that drains earlier is taken.
// - The packet network gets the smallest requests, as many at each port as it carries by a time T, which is
//   found by bisection: with a small T the fabric ends last, with a large T the packet network.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/demand_matrix.h"
#include "emulator/scheduler/edge_colouring.h"

namespace hybrid {

namespace {

/// Draining with partial reconfiguration is an open shop: a connection occupies its input and its output
/// once, for its set-up and its demand; no two connections of a port overlap. This is a list schedule:
/// whenever ports are free, the one with the most work waiting (set-ups included) is connected to the free
/// partner with the most work waiting, so that no two free ports wait for one another. The schedule is
/// shorter than twice the largest work of a port.
class OpenShop {
 public:
  struct Start {
    std::int64_t time = 0;
    std::size_t entry = 0;
  };

  /// Entry e takes the time set_up + entries[e].left.
  OpenShop(const std::vector<DemandEntry>& entries, std::uint32_t ports, std::int64_t set_up);

  /// Schedules `members`. Returns the end of the last one; `starts` gets the starts in order of time.
  std::int64_t schedule(std::span<const std::size_t> members, std::vector<Start>& starts);

 private:
  using Running = std::pair<std::int64_t, std::size_t>;  // end, entry

  std::uint32_t input(std::size_t e) const { return entries_[e].connection.source; }
  std::uint32_t output(std::size_t e) const { return ports_ + entries_[e].connection.destination; }
  std::int64_t work(std::size_t e) const { return set_up_ + entries_[e].left; }
  void connect_free_ports(std::int64_t now, std::vector<Start>& starts);

  const std::vector<DemandEntry>& entries_;
  std::uint32_t ports_;
  std::int64_t set_up_;
  // Of each input, then each output.
  std::vector<std::vector<std::size_t>> waiting_;  // entries; started ones are removed lazily
  std::vector<std::int64_t> work_waiting_;
  std::vector<unsigned char> free_;
  std::vector<std::uint32_t> freed_;    // ports that have just become free
  std::vector<unsigned char> started_;  // by entry
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
};

OpenShop::OpenShop(const std::vector<DemandEntry>& entries, std::uint32_t ports, std::int64_t set_up)
    : entries_(entries), ports_(ports), set_up_(set_up), waiting_(2 * std::size_t{ports}) {}

std::int64_t OpenShop::schedule(std::span<const std::size_t> members, std::vector<Start>& starts) {
  starts.clear();
  for (auto& waiting : waiting_) waiting.clear();
  work_waiting_.assign(waiting_.size(), 0);
  free_.assign(waiting_.size(), 1);
  started_.assign(entries_.size(), 0);
  for (const std::size_t e : members)
    for (const std::uint32_t port : {input(e), output(e)}) {
      waiting_[port].push_back(e);
      work_waiting_[port] += work(e);
    }
  freed_.resize(waiting_.size());
  std::iota(freed_.begin(), freed_.end(), std::uint32_t{0});
  std::int64_t now = 0;
  for (connect_free_ports(now, starts); !running_.empty(); connect_free_ports(now, starts)) {
    now = running_.top().first;
    freed_.clear();
    while (!running_.empty() && running_.top().first == now) {
      const std::size_t e = running_.top().second;
      running_.pop();
      for (const std::uint32_t port : {input(e), output(e)}) {
        free_[port] = 1;
        freed_.push_back(port);
      }
    }
  }
  return now;
}

/// No two ports that were free before wait for one another: only ports that have just become free can be
/// connected.
void OpenShop::connect_free_ports(std::int64_t now, std::vector<Start>& starts) {
  std::sort(freed_.begin(), freed_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return work_waiting_[a] != work_waiting_[b] ? work_waiting_[a] > work_waiting_[b] : a < b;
  });
  for (const std::uint32_t port : freed_) {
    if (free_[port] == 0) continue;
    auto& waiting = waiting_[port];
    std::erase_if(waiting, [this](std::size_t e) { return started_[e] != 0; });
    const std::size_t* best = nullptr;
    std::uint32_t partner = 0;
    for (const std::size_t& e : waiting) {
      const std::uint32_t other = port < ports_ ? output(e) : input(e);
      if (free_[other] == 0 || (best != nullptr && work_waiting_[other] <= work_waiting_[partner])) continue;
      best = &e;
      partner = other;
    }
    if (best == nullptr) continue;
    started_[*best] = 1;
    for (const std::uint32_t end : {port, partner}) {
      free_[end] = 0;
      work_waiting_[end] -= work(*best);
    }
    running_.emplace(now + work(*best), *best);
    starts.push_back({now, *best});
  }
}

constexpr int kBisections = 16;

class BestFirstFitRun {
 public:
  explicit BestFirstFitRun(const DemandProblem& problem)
      : problem_(problem),
        entries_(demand_entries(problem)),
        ports_(problem.set.ports),
        set_up_(problem.reconfiguration.ps),
        shop_(entries_, ports_, set_up_),
        ascending_(entries_.size()) {
    std::iota(ascending_.begin(), ascending_.end(), std::size_t{0});
    std::sort(ascending_.begin(), ascending_.end(), [this](std::size_t a, std::size_t b) {
      return entries_[a].left != entries_[b].left ? entries_[a].left < entries_[b].left : a < b;
    });
  }

  std::vector<TimedConfiguration> drain() {
    const double share = static_cast<double>(packet_rate(problem_)) / static_cast<double>(problem_.link_rate);
    std::vector<std::size_t> best = ascending_;
    if (share > 0) {
      std::int64_t late = 0, early = fabric_time(ascending_);  // for the fabric: T too small, T large enough
      std::int64_t shortest = early;
      const auto attempt = [&](std::int64_t time) {
        std::int64_t packets = 0;
        std::vector<std::size_t> circuits = split(time, share, packets);
        const std::int64_t fabric = fabric_time(circuits);
        if (std::max(fabric, packets) < shortest) {
          shortest = std::max(fabric, packets);
          best = std::move(circuits);
        }
        return fabric <= time;
      };
      attempt(early);
      for (int k = 0; k < kBisections && early - late > 1; ++k) {
        const std::int64_t middle = late + (early - late) / 2;
        (attempt(middle) ? early : late) = middle;
      }
    }
    return problem_.partial ? configurations_from_starts(best) : configurations_from_batches(best);
  }

 private:
  /// Returns the entries that the packet network does not carry by `time`; sets `packets` to the time that it
  /// needs for the others.
  std::vector<std::size_t> split(std::int64_t time, double share, std::int64_t& packets) const {
    const auto most = static_cast<std::int64_t>(static_cast<double>(time) * share);
    std::vector<std::int64_t> row(ports_), column(ports_);
    std::vector<std::size_t> circuits;
    std::int64_t busiest = 0;
    for (const std::size_t e : ascending_) {
      const auto [connection, left, stuffed] = entries_[e];
      if (row[connection.source] + left > most || column[connection.destination] + left > most) {
        circuits.push_back(e);
        continue;
      }
      busiest = std::max({busiest, row[connection.source] += left, column[connection.destination] += left});
    }
    packets = static_cast<std::int64_t>(static_cast<double>(busiest) / share);
    return circuits;
  }

  std::int64_t fabric_time(std::span<const std::size_t> members) {
    if (problem_.partial) return shop_.schedule(members, starts_);
    return std::min(time_of(longest_first(members)), time_of(fewest(members)));
  }

  // Partial reconfiguration.

  std::vector<TimedConfiguration> configurations_from_starts(std::span<const std::size_t> members) {
    const std::int64_t end = shop_.schedule(members, starts_);
    std::size_t changes = 0;
    for (std::size_t k = 0; k < starts_.size(); ++k)
      if (k == 0 || starts_[k].time != starts_[k - 1].time) ++changes;
    check_schedule_size(changes, ports_);
    std::vector<TimedConfiguration> schedule;
    Configuration now(ports_);
    for (std::size_t k = 0; k < starts_.size();) {
      const std::int64_t time = starts_[k].time;
      for (; k < starts_.size() && starts_[k].time == time; ++k) {
        // The connections that the two ports had before are drained.
        const Connection c = entries_[starts_[k].entry].connection;
        if (const Port old = now.destination_of(c.source); old != kNoPort) now.remove({c.source, old});
        if (const Port old = now.source_of(c.destination); old != kNoPort) now.remove({old, c.destination});
        now.add(c);
      }
      schedule.push_back({now, Time{(k < starts_.size() ? starts_[k].time : end) - time}});
    }
    return schedule;
  }

  // Whole configurations: the number of each member's configuration; the time of a configuration is that of
  // its longest member.

  struct Batches {
    std::span<const std::size_t> members;
    std::vector<std::uint32_t> of;
    std::vector<std::int64_t> lasts;
  };

  std::vector<Connection> connections_of(std::span<const std::size_t> members) const {
    std::vector<Connection> connections;
    connections.reserve(members.size());
    for (const std::size_t e : members) connections.push_back(entries_[e].connection);
    return connections;
  }

  Batches longest_first(std::span<const std::size_t> members) const {
    check_schedule_size(maximum_degree(connections_of(members), ports_), ports_);
    Batches batches{members, std::vector<std::uint32_t>(members.size()), {}};
    std::vector<Configuration> filled;
    for (std::size_t k = members.size(); k-- > 0;) {  // members are ascending by size
      const DemandEntry& e = entries_[members[k]];
      std::uint32_t batch = 0;
      while (batch < filled.size() && !filled[batch].fits(e.connection)) ++batch;
      if (batch == filled.size()) {
        check_schedule_size(filled.size() + 1, ports_);
        filled.emplace_back(ports_);
        batches.lasts.push_back(e.left);
      }
      filled[batch].add(e.connection);
      batches.of[k] = batch;
    }
    return batches;
  }

  Batches fewest(std::span<const std::size_t> members) const {
    const std::vector<Connection> connections = connections_of(members);
    Batches batches{members, colour_edges(connections, ports_), {}};
    batches.lasts.resize(maximum_degree(connections, ports_));
    for (std::size_t k = 0; k < members.size(); ++k) {
      std::int64_t& lasts = batches.lasts[batches.of[k]];
      lasts = std::max(lasts, entries_[members[k]].left);
    }
    return batches;
  }

  std::int64_t time_of(const Batches& batches) const {
    return std::accumulate(batches.lasts.begin(), batches.lasts.end(),
                           static_cast<std::int64_t>(batches.lasts.size()) * set_up_);
  }

  std::vector<TimedConfiguration> configurations_from_batches(std::span<const std::size_t> members) const {
    Batches batches = longest_first(members);
    if (Batches other = fewest(members); time_of(other) < time_of(batches)) batches = std::move(other);
    std::vector<TimedConfiguration> schedule;
    schedule.reserve(batches.lasts.size());
    for (const std::int64_t lasts : batches.lasts)
      schedule.push_back({Configuration(ports_), Time{set_up_ + lasts}});
    for (std::size_t k = 0; k < members.size(); ++k)
      schedule[batches.of[k]].configuration.add(entries_[members[k]].connection);
    return schedule;
  }

  const DemandProblem& problem_;
  std::vector<DemandEntry> entries_;
  std::uint32_t ports_;
  std::int64_t set_up_;
  OpenShop shop_;
  std::vector<OpenShop::Start> starts_;
  std::vector<std::size_t> ascending_;  // entries by what is left
};

std::vector<TimedConfiguration> drain_by_best_first_fit(const DemandProblem& problem) {
  return BestFirstFitRun(problem).drain();
}

const SchedulerRegistration kBestFirstFit{
    "best-first-fit",
    "each connection once, by most work waiting; uses partial reconfiguration (after Liu 2018)",
    &DemandAlgorithm<drain_by_best_first_fit>::make};

}  // namespace
}  // namespace hybrid
