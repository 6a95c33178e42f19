#include "emulator/scheduler/demand_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/error.h"

namespace hybrid {

namespace {
__extension__ using Wide = unsigned __int128;
constexpr std::size_t kNoEntry = ~std::size_t{0};
}  // namespace

std::vector<DemandEntry> demand_entries(const DemandProblem& problem) {
  std::vector<DemandEntry> entries;
  for (const Request& r : problem.set.requests)
    if (r.bytes > 0) entries.push_back({r.connection, time_on_link(r.bytes, problem.link_rate).ps, 0});
  return entries;
}

void stuff(std::vector<DemandEntry>& entries, std::uint32_t ports) {
  std::vector<std::int64_t> row(ports), column(ports);
  std::int64_t largest = 0;
  for (DemandEntry& e : entries) {
    e.stuffed = e.left;
    largest =
        std::max({largest, row[e.connection.source] += e.left, column[e.connection.destination] += e.left});
  }
  const auto add = [&](DemandEntry& e) {
    const std::int64_t room =
        std::min(largest - row[e.connection.source], largest - column[e.connection.destination]);
    e.stuffed += room;
    row[e.connection.source] += room;
    column[e.connection.destination] += room;
  };
  for (DemandEntry& e : entries) add(e);
  // Each new entry completes its row or its column; the sum that all rows lack equals the sum that all
  // columns lack.
  for (Port i = 0, j = 0; i < ports && j < ports;) {
    if (row[i] == largest) {
      ++i;
    } else if (column[j] == largest) {
      ++j;
    } else {
      entries.push_back({{i, j}, 0, 0});
      add(entries.back());
    }
  }
}

void check_schedule_size(std::size_t configurations, std::uint32_t ports) {
  if (configurations * ports > kMostScheduleCells)
    throw UserError(
        fmt::format("demand: the schedule has more than {} configurations of {} ports, too many to "
                    "store",
                    kMostScheduleCells / ports, ports),
        "Give fewer requests, another --scheduler, or a larger --packet-plane.");
}

DrainBuilder::DrainBuilder(const DemandProblem& problem, std::vector<DemandEntry>& entries)
    : problem_(problem),
      entries_(entries),
      packets_(packet_rate(problem)),
      row_(problem.set.ports),
      column_(problem.set.ports) {
  for (const DemandEntry& e : entries_) {
    row_[e.connection.source] += e.left;
    column_[e.connection.destination] += e.left;
  }
  done_ = busiest_after({}, 0) == 0;
}

/// Returns what is left at the busiest port after the members have carried for `time`; sets row_after_ and
/// column_after_ of all ports.
std::int64_t DrainBuilder::busiest_after(std::span<const std::size_t> members, std::int64_t time) {
  row_after_ = row_;
  column_after_ = column_;
  for (const std::size_t m : members) {
    const DemandEntry& e = entries_[m];
    row_after_[e.connection.source] -= std::min(time, e.left);
    column_after_[e.connection.destination] -= std::min(time, e.left);
  }
  std::int64_t busiest = 0;
  for (const auto* loads : {&row_after_, &column_after_})
    for (const std::int64_t load : *loads) busiest = std::max(busiest, load);
  return busiest;
}

std::int64_t DrainBuilder::packet_time(std::int64_t load) const {
  if (load == 0) return 0;
  if (packets_ == 0) return std::numeric_limits<std::int64_t>::max();
  const Wide time = (Wide{static_cast<std::uint64_t>(load)} * problem_.link_rate + packets_ - 1) / packets_;
  return time < static_cast<Wide>(std::numeric_limits<std::int64_t>::max())
             ? static_cast<std::int64_t>(time)
             : std::numeric_limits<std::int64_t>::max();
}

void DrainBuilder::hold(std::span<const std::size_t> members, std::int64_t time) {
  Configuration configuration(problem_.set.ports);
  std::int64_t longest = 0;
  for (const std::size_t m : members)
    if (entries_[m].left > 0) {
      configuration.add(entries_[m].connection);
      longest = std::max(longest, entries_[m].left);
    }
  if (configuration.empty() || done_) return;
  const bool same = !schedule_.empty() && schedule_.back().configuration == configuration;
  const std::int64_t start = now_ + (same ? 0 : problem_.reconfiguration.ps);
  time = std::min(time, longest);

  if (packet_time(busiest_after(members, time)) <= start + time) {
    // The last configuration: as short as the packet network allows, or omitted.
    std::int64_t enough = time, too_short = -1;
    while (enough - too_short > 1) {
      const std::int64_t middle = too_short + (enough - too_short) / 2;
      (packet_time(busiest_after(members, middle)) <= start + middle ? enough : too_short) = middle;
    }
    time = enough;
    done_ = true;
    if (packet_time(busiest_after({}, 0)) <= start + time) return;
    busiest_after(members, time);
  }
  row_ = row_after_;
  column_ = column_after_;
  for (const std::size_t m : members) entries_[m].left -= std::min(time, entries_[m].left);
  check_schedule_size(schedule_.size() + 1, problem_.set.ports);
  if (same)
    schedule_.back().lasts += Time{time};
  else
    schedule_.push_back({std::move(configuration), Time{start - now_ + time}});
  now_ = start + time;
}

void DrainBuilder::hold_for_least(std::span<const std::size_t> members) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const std::size_t m : members) least = std::min(least, entries_[m].stuffed);
  hold(members, least);
  for (const std::size_t m : members) entries_[m].stuffed -= least;
}

KeptMatching::KeptMatching(const std::vector<DemandEntry>& entries, std::uint32_t ports)
    : entries_(entries),
      ports_(ports),
      first_(std::size_t{ports} + 1),
      around_(entries.size()),
      entry_of_input_(ports, kNoEntry),
      entry_of_output_(ports, kNoEntry),
      seen_(ports, 0) {
  for (const DemandEntry& e : entries) ++first_[e.connection.source + 1];
  for (Port p = 0; p < ports; ++p) first_[p + 1] += first_[p];
  std::vector<std::size_t> at(first_.begin(), first_.end() - 1);
  for (std::size_t i = 0; i < entries.size(); ++i) around_[at[entries[i].connection.source]++] = i;
}

bool KeptMatching::complete(std::int64_t least) {
  for (Port input = 0; input < ports_; ++input) {
    std::size_t& entry = entry_of_input_[input];
    if (entry == kNoEntry || entries_[entry].stuffed >= least) continue;
    entry_of_output_[entries_[entry].connection.destination] = kNoEntry;
    entry = kNoEntry;
  }
  for (Port input = 0; input < ports_; ++input)
    if (entry_of_input_[input] == kNoEntry && !augment(input, least)) return false;
  return true;
}

/// Depth-first search along an alternating path (Kuhn); a search visits each output at most once.
bool KeptMatching::augment(Port input, std::int64_t least) {
  ++search_;
  path_.assign(1, {input, first_[input]});
  while (!path_.empty()) {
    Visit& visit = path_.back();
    if (visit.next == first_[visit.input + 1]) {
      path_.pop_back();
      continue;
    }
    const DemandEntry& e = entries_[around_[visit.next++]];
    const Port output = e.connection.destination;
    if (e.stuffed < least || seen_[output] == search_) continue;
    seen_[output] = search_;
    if (entry_of_output_[output] != kNoEntry) {
      const Port holder = entries_[entry_of_output_[output]].connection.source;
      path_.push_back({holder, first_[holder]});
      continue;
    }
    for (const Visit& v : path_) {  // each input takes the entry that continued the path from it
      const std::size_t entry = around_[v.next - 1];
      entry_of_input_[v.input] = entry;
      entry_of_output_[entries_[entry].connection.destination] = entry;
    }
    return true;
  }
  return false;
}

std::vector<TimedConfiguration> drain_by_perfect_matchings(const DemandProblem& problem,
                                                           FirstThreshold first) {
  std::vector<DemandEntry> entries = demand_entries(problem);
  DrainBuilder schedule(problem, entries);
  stuff(entries, problem.set.ports);
  KeptMatching matching(entries, problem.set.ports);
  for (std::int64_t threshold = first(entries); !schedule.done() && threshold > 0;) {
    if (matching.complete(threshold))
      schedule.hold_for_least(matching.members());
    else
      threshold /= 2;
  }
  return schedule.take_schedule();
}

}  // namespace hybrid
