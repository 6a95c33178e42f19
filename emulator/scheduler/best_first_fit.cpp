// `best-first-fit`: each connection is set up once and held until it is drained, as in Best First Fit (Liu,
// Xu and Fortnow 2018), the first to use partial reconfiguration; ours in the rule which connection comes
// first and in what goes to the packet network.
//
// - Partial: a list schedule of the open shop (open_shop.h).
// - Otherwise configurations change as a whole: requests go, longest first, into the first configuration with
//   both ports free; or by edge colouring into the fewest configurations; whichever drains earlier.
// - The packet network gets the smallest requests, as many at each port as it carries by a time T, which is
//   bisected: with T small the fabric is late, with T large the packet network.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/demand_matrix.h"
#include "emulator/scheduler/edge_colouring.h"
#include "emulator/scheduler/open_shop.h"

namespace hybrid {
namespace {

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
      std::int64_t late = 0, early = fabric_time(ascending_);  // for the fabric
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
    return problem_.partial ? by_starts(best) : by_batches(best);
  }

 private:
  /// What the packet network does not take by `time`; `packets`: how long it needs for the rest.
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

  std::vector<TimedConfiguration> by_starts(std::span<const std::size_t> members) {
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
        // What its ports carried before is drained.
        const Connection c = entries_[starts_[k].entry].connection;
        if (const Port old = now.destination_of(c.source); old != kNoPort) now.remove({c.source, old});
        if (const Port old = now.source_of(c.destination); old != kNoPort) now.remove({old, c.destination});
        now.add(c);
      }
      schedule.push_back({now, Time{(k < starts_.size() ? starts_[k].time : end) - time}});
    }
    return schedule;
  }

  // Whole configurations, by number of each member; the time that each lasts is its longest member's.

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
    for (std::size_t k = members.size(); k-- > 0;) {  // ascending by size
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

  std::vector<TimedConfiguration> by_batches(std::span<const std::size_t> members) const {
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

class BestFirstFit final : public DemandScheduler {
 public:
  std::vector<TimedConfiguration> drain(const DemandProblem& problem) override {
    check(problem);
    return BestFirstFitRun(problem).drain();
  }
};

class BestFirstFitAlgorithm final : public SchedulingAlgorithm {
 public:
  std::unique_ptr<DemandScheduler> demand() const override { return std::make_unique<BestFirstFit>(); }
};

const SchedulerRegistration kBestFirstFit{
    "best-first-fit",
    "each connection once, by most work waiting; uses partial reconfiguration (after Liu 2018)",
    []() -> std::unique_ptr<SchedulingAlgorithm> { return std::make_unique<BestFirstFitAlgorithm>(); }};

}  // namespace
}  // namespace hybrid
