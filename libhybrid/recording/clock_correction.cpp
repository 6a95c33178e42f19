#include "libhybrid/recording/clock_correction.h"

#include <algorithm>
#include <map>
#include <memory>
#include <queue>
#include <vector>

#include "libhybrid/recording/journal_track.h"
#include "libhybrid/recording/matching.h"

namespace hybrid {

namespace {

using DomainPair = std::pair<std::uint32_t, std::uint32_t>;  // sender's, receiver's

/// The least (time received - time sent) from domain to domain.
class Slacks {
 public:
  Slacks(const Recording& recording, const RankClocks& clocks) : recording_(recording), clocks_(clocks) {}

  // The tracks are merged by their clocks as they are: sends and receives meet soon, and what waits for its
  // partner stays little.
  void collect() {
    std::vector<std::unique_ptr<JournalTrack>> tracks;
    using Entry = std::pair<Time, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> order;
    for (const Recording::Thread& thread : recording_.threads) {
      tracks.push_back(std::make_unique<JournalTrack>(thread));
      if (tracks.back()->more)
        order.emplace(clocks_.at(thread.process, tracks.back()->step.begin), tracks.size() - 1);
    }
    while (!order.empty()) {
      const std::size_t index = order.top().second;
      order.pop();
      JournalTrack& track = *tracks[index];
      look_at(track);
      track.next();
      if (track.more) order.emplace(clocks_.at(track.process, track.step.begin), index);
    }
  }

  const std::map<DomainPair, Time>& least() const { return least_; }
  std::uint64_t early() const { return early_; }

 private:
  void look_at(const JournalTrack& track) {
    const ProcessDefinitions& process = recording_.definitions.processes[track.process];
    for (const JournalRecord& record : track.step.records) {
      if (const auto key = sent_message(process, record); key && crosses(*key)) {
        const Time sent = clocks_.at(track.process, track.step.begin);
        if (const auto received = received_.pop(*key))
          met(*key, sent, *received);
        else
          sent_.push(*key, sent);
      } else if (const auto arrived = received_message(process, record); arrived && crosses(*arrived)) {
        const Time received = clocks_.at(track.process, track.step.end);
        if (const auto before = sent_.pop(*arrived))
          met(*arrived, *before, received);
        else
          received_.push(*arrived, received);
      } else if (const auto freed = freed_message(process, record); freed && crosses(*freed)) {
        if (!sent_.pop(*freed)) received_.push(*freed, Time::never());  // when it came nobody knows
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

  void met(const MessageKey& key, Time sent, Time received) {
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
  // After as many rounds as there are clocks, anything still short is a cycle that no shift can satisfy.
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
