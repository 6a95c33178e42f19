#include "libhybrid/recording/rank_clocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <queue>
#include <vector>

#include "libhybrid/recording/journal_steps.h"
#include "libhybrid/recording/matching.h"

namespace hybrid {

namespace {

constexpr int kFractionBits = 44;                  // 2 ps after three hours of a 3 GHz counter
constexpr std::uint64_t kSlowestRate = 1'000'000;  // lower rates would overflow RankClocks::Line::factor
constexpr std::int64_t kSameClockNs = 10'000'000;
__extension__ typedef unsigned __int128 Wide;  // for products of 64-bit ticks and rates

template <typename T>
T median(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Wall-clock time at `ticks` by the reading of one process, relative to epoch_ns.
std::int64_t wall_ns(const ClockReading& reading, std::uint64_t rate, std::uint64_t ticks,
                     std::uint64_t epoch_ns) {
  const auto elapsed = static_cast<std::int64_t>(ticks - reading.origin_ticks);
  const long double ns = static_cast<long double>(elapsed) * 1e9L / static_cast<long double>(rate);
  return static_cast<std::int64_t>(reading.origin_ns - epoch_ns) + std::llround(ns);
}

std::uint64_t common_rate(const std::vector<ClockReading>& readings,
                          const std::vector<std::uint32_t>& processes) {
  std::vector<std::uint64_t> rates;
  for (const std::uint32_t p : processes)
    if (readings[p].ticks_per_second != 0) rates.push_back(readings[p].ticks_per_second);
  return rates.empty() ? 1'000'000'000 : std::max(median(std::move(rates)), kSlowestRate);
}

using DomainPair = std::pair<std::uint32_t, std::uint32_t>;  // sender's, receiver's

/// The least (time received - time sent) from domain to domain.
class Slacks {
 public:
  Slacks(const Recording& recording, const RankClocks& clocks) : recording_(recording), clocks_(clocks) {}

  // The threads are read in the order of their uncorrected clocks, so that matching sends and receives are
  // close to each other and few messages wait for their partner.
  void collect() {
    std::vector<std::unique_ptr<JournalCursor>> cursors;
    using Entry = std::pair<Time, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> order;
    for (const Recording::Thread& thread : recording_.threads) {
      cursors.push_back(std::make_unique<JournalCursor>(thread));
      if (cursors.back()->has_step)
        order.emplace(clocks_.at(thread.process, cursors.back()->step.begin), cursors.size() - 1);
    }
    while (!order.empty()) {
      const std::size_t index = order.top().second;
      order.pop();
      JournalCursor& cursor = *cursors[index];
      add_step(cursor);
      cursor.next();
      if (cursor.has_step) order.emplace(clocks_.at(cursor.process, cursor.step.begin), index);
    }
  }

  const std::map<DomainPair, Time>& least() const { return least_; }
  std::uint64_t early() const { return early_; }

 private:
  void add_step(const JournalCursor& cursor) {
    const ProcessDefinitions& process = recording_.definitions.processes[cursor.process];
    for (const JournalRecord& record : cursor.step.records) {
      if (const auto key = sent_message(process, record); key && crosses(*key)) {
        const Time sent = clocks_.at(cursor.process, cursor.step.begin);
        if (const auto received = received_.pop(*key))
          add_message(*key, sent, *received);
        else
          sent_.push(*key, sent);
      } else if (const auto arrived = received_message(process, record); arrived && crosses(*arrived)) {
        const Time received = clocks_.at(cursor.process, cursor.step.end);
        if (const auto before = sent_.pop(*arrived))
          add_message(*arrived, *before, received);
        else
          received_.push(*arrived, received);
      } else if (const auto freed = freed_message(process, record); freed && crosses(*freed)) {
        if (!sent_.pop(*freed)) received_.push(*freed, Time::never());  // its time of arrival is not known
      }
    }
  }

  DomainPair domains(const MessageKey& key) const { return {domain(key.source), domain(key.destination)}; }
  bool crosses(const MessageKey& key) const {
    const DomainPair pair = domains(key);
    return pair.first != kNowhere && pair.second != kNowhere && pair.first != pair.second;
  }

  static constexpr std::uint32_t kNowhere = UINT32_MAX;
  std::uint32_t domain(std::int32_t rank) const {
    const auto& processes = recording_.definitions.processes;
    const auto found = std::lower_bound(processes.begin(), processes.end(), rank,
                                        [](const ProcessDefinitions& p, std::int32_t wanted) {
                                          return static_cast<std::int32_t>(p.rank) < wanted;
                                        });
    if (found == processes.end() || static_cast<std::int32_t>(found->rank) != rank) return kNowhere;
    return clocks_.domain(static_cast<std::uint32_t>(found - processes.begin()));
  }

  void add_message(const MessageKey& key, Time sent, Time received) {
    const Time slack = received - sent;
    early_ += slack < Time{};
    const auto [entry, is_new] = least_.try_emplace(domains(key), slack);
    if (!is_new) entry->second = std::min(entry->second, slack);
  }

  const Recording& recording_;
  const RankClocks& clocks_;
  MessageQueue sent_, received_;
  std::map<DomainPair, Time> least_;
  std::uint64_t early_ = 0;
};

}  // namespace

Time RankClocks::Line::at(std::uint64_t ticks) const {
  const bool before = ticks < origin_ticks;
  const std::uint64_t elapsed = before ? origin_ticks - ticks : ticks - origin_ticks;
  const auto ps = static_cast<std::int64_t>(static_cast<Wide>(elapsed) * factor >> kFractionBits);
  return {origin.ps + (before ? -ps : ps)};
}

RankClocks::Line RankClocks::fit(const std::vector<ClockReading>& readings,
                                 const std::vector<std::uint32_t>& processes, std::uint64_t epoch_ns) {
  const std::uint64_t rate = common_rate(readings, processes);
  Line line;
  line.origin_ticks = readings[processes.front()].origin_ticks;
  line.factor = static_cast<std::uint64_t>((static_cast<Wide>(1'000'000'000'000) << kFractionBits) / rate);
  std::vector<std::int64_t> origins;
  origins.reserve(processes.size());
  for (const std::uint32_t p : processes)
    origins.push_back(wall_ns(readings[p], rate, line.origin_ticks, epoch_ns));
  line.origin = nanoseconds(median(std::move(origins)));
  return line;
}

RankClocks::RankClocks(const std::vector<ClockReading>& readings) : domain_of_(readings.size()) {
  std::map<std::string, std::vector<std::uint32_t>> hosts;
  for (std::uint32_t p = 0; p < readings.size(); ++p) {
    if (readings[p].origin_ns == 0) continue;
    hosts[readings[p].host].push_back(p);
    epoch_ns_ = epoch_ns_ == 0 ? readings[p].origin_ns : std::min(epoch_ns_, readings[p].origin_ns);
  }
  for (const auto& [host, processes] : hosts) {
    const std::uint64_t rate = common_rate(readings, processes);
    const std::uint64_t ticks = readings[processes.front()].origin_ticks;
    std::vector<std::int64_t> at;
    at.reserve(processes.size());
    for (const std::uint32_t p : processes) at.push_back(wall_ns(readings[p], rate, ticks, epoch_ns_));
    const std::int64_t middle = median(at);
    std::vector<std::uint32_t> together;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      if (std::abs(at[i] - middle) <= kSameClockNs) {
        domain_of_[processes[i]] = domains();
        together.push_back(processes[i]);
      }
    }
    lines_.push_back(fit(readings, together, epoch_ns_));
    for (std::size_t i = 0; i < processes.size(); ++i) {
      if (std::abs(at[i] - middle) <= kSameClockNs) continue;
      domain_of_[processes[i]] = domains();
      lines_.push_back(fit(readings, {processes[i]}, epoch_ns_));
    }
  }
  if (lines_.empty() && !readings.empty()) lines_.emplace_back();
}

ClockCorrection correct_clocks(const Recording& recording, RankClocks& clocks) {
  ClockCorrection correction;
  if (clocks.domains() < 2) return correction;
  Slacks slacks(recording, clocks);
  slacks.collect();
  correction.early_messages = slacks.early();

  std::vector<Time> shifts(clocks.domains());
  const auto shortfall = [&](const DomainPair& pair, Time slack) {
    return shifts[pair.first] - shifts[pair.second] - slack;  // > 0: received early
  };
  // A shortfall that remains after as many rounds as there are clocks is a cycle that no shift can satisfy.
  for (std::uint32_t round = 0; round < clocks.domains(); ++round) {
    for (const auto& [pair, slack] : slacks.least())
      if (const Time by = shortfall(pair, slack); by > Time{}) shifts[pair.second] += by;
  }
  for (const auto& [pair, slack] : slacks.least())
    correction.remaining = std::max(correction.remaining, shortfall(pair, slack));
  for (std::uint32_t domain = 0; domain < clocks.domains(); ++domain) {
    clocks.shift(domain, shifts[domain]);
    correction.largest_shift = std::max(correction.largest_shift, shifts[domain]);
  }
  return correction;
}

}  // namespace hybrid
