#include "libhybrid/recording/cpu_timeline.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "core/random.h"
#include "libhybrid/recording/matching.h"
#include "libhybrid/recording/testing/recorded_process.h"

namespace hybrid {
namespace {

struct Visited {
  std::size_t thread;
  EventKind kind;
  std::int32_t peer, tag;
  Time begin, end;
};

std::vector<Visited> timeline_of(const std::string& directory, std::uint64_t* given_up = nullptr) {
  const Recording recording = open_recording(directory);
  const RankClocks clocks(std::vector<ClockReading>(recording.definitions.processes.size(),
                                                    ClockReading{"host", 1'000'000'000, 5'000, 1'000'000}));
  CpuTimeline timeline(recording, clocks);
  std::vector<Visited> visited;
  timeline.run([&](std::size_t thread, const JournalStep& step, Time begin, Time end) {
    const Event& event = *step.records.front().event;
    visited.push_back({thread, event.kind, event.peer, event.tag, begin, end});
  });
  if (given_up != nullptr) *given_up = timeline.given_up();
  return visited;
}

Visited only(const std::vector<Visited>& all, std::size_t thread, EventKind kind) {
  std::optional<Visited> found;
  for (const Visited& v : all)
    if (v.thread == thread && v.kind == kind) {
      EXPECT_FALSE(found.has_value());
      found = v;
    }
  EXPECT_TRUE(found.has_value());
  return found.value_or(Visited{});
}

TEST(CpuTimeline, KeepsComputeGapsAndDropsTheDurationOfCalls) {
  const TemporaryDirectory directory;
  {
    RecordedProcess sender(directory.path(), 0, 2, test_clock()),
        receiver(directory.path(), 1, 2, test_clock());
    sender->start();
    sender->extension(Extension::compute, kNoPeer, 700);  // in a gap of 90000: the thread was preempted
    sender->event(EventKind::send, 90'000, 50'000, {.peer = 1, .tag = 3});
    sender->event(EventKind::call, 140'250, 10, {});  // a gap too short to measure
    sender->finish(140'260);
    receiver->start();
    receiver->extension(Extension::compute, kNoPeer, 100);
    receiver->event(EventKind::recv, 20'000, 100'000, {.peer = 0, .tag = 3});
    receiver->finish(120'040);
  }
  const auto all = timeline_of(directory.path());
  EXPECT_EQ(only(all, 0, EventKind::send).begin, nanoseconds(700));
  EXPECT_EQ(only(all, 0, EventKind::send).end, nanoseconds(700));
  EXPECT_EQ(only(all, 0, EventKind::call).begin, nanoseconds(950));
  EXPECT_EQ(only(all, 1, EventKind::recv).begin, nanoseconds(100));
  EXPECT_EQ(only(all, 1, EventKind::recv).end, nanoseconds(700)) << "not before the send";
  EXPECT_EQ(only(all, 1, EventKind::finish).begin, nanoseconds(740));
}

TEST(CpuTimeline, CollectivesWaitForTheRanksTheyDependOn) {
  const auto ends = [](CollectiveOp op, std::int32_t root) {
    const TemporaryDirectory directory;
    {
      std::vector<std::unique_ptr<RecordedProcess>> ranks;
      for (std::uint32_t r = 0; r < 3; ++r) {
        ranks.push_back(std::make_unique<RecordedProcess>(directory.path(), r, 3, test_clock()));
        RecordedProcess& rank = *ranks.back();
        rank->start();
        rank->extension(Extension::compute, kNoPeer, 100 * (r + 1));
        rank->event(EventKind::collective, 5'000, 10, {.op = static_cast<std::uint8_t>(op), .peer = root});
        rank->finish(5'010);
      }
    }
    const auto all = timeline_of(directory.path());
    std::vector<std::int64_t> result;
    for (std::size_t r = 0; r < 3; ++r) result.push_back(only(all, r, EventKind::collective).end.ps / 1000);
    return result;
  };
  using Ends = std::vector<std::int64_t>;
  EXPECT_EQ(ends(CollectiveOp::barrier, kNoPeer), (Ends{300, 300, 300}));
  EXPECT_EQ(ends(CollectiveOp::allreduce, kNoPeer), (Ends{300, 300, 300}));
  EXPECT_EQ(ends(CollectiveOp::bcast, 1), (Ends{200, 200, 300}));
  EXPECT_EQ(ends(CollectiveOp::reduce, 1), (Ends{100, 300, 300}));
  EXPECT_EQ(ends(CollectiveOp::scan, kNoPeer), (Ends{100, 200, 300}));
}

TEST(CpuTimeline, ANonblockingCollectiveWaitsAtItsCompletion) {
  const TemporaryDirectory directory;
  {
    RecordedProcess fast(directory.path(), 0, 2, test_clock()), slow(directory.path(), 1, 2, test_clock());
    const Event start{.op = static_cast<std::uint8_t>(CollectiveOp::allreduce), .request = 9};
    fast->start();
    fast->event(EventKind::collective_start, 100, 5, start);
    fast->event(EventKind::collective_complete, 200, 5'000, {.request = 9});
    slow->start();
    slow->event(EventKind::collective_start, 5'000, 5, start);
    slow->event(EventKind::collective_complete, 5'010, 5, {.request = 9});
  }
  const auto all = timeline_of(directory.path());
  EXPECT_EQ(only(all, 0, EventKind::collective_start).end, nanoseconds(100));
  EXPECT_EQ(only(all, 0, EventKind::collective_complete).begin, nanoseconds(195));
  EXPECT_EQ(only(all, 0, EventKind::collective_complete).end, nanoseconds(5'000));
}

TEST(CpuTimeline, GivesUpWaitsForEventsThatNoJournalHas) {
  const TemporaryDirectory directory;
  {
    RecordedProcess died(directory.path(), 0, 3, test_clock()), left(directory.path(), 1, 3, test_clock());
    died->start();
    died->event(EventKind::send, 100, 5, {.peer = 1, .tag = 1});
    left->start();
    left->event(EventKind::recv, 50, 100, {.peer = 0, .tag = 1});
    left->event(EventKind::recv, 200, 100, {.peer = 0, .tag = 2});
    left->event(EventKind::recv, 400, 10, {.peer = 2, .tag = 2});
    left->event(EventKind::collective, 500, 10, {.op = static_cast<std::uint8_t>(CollectiveOp::barrier)});
    left->finish(600);
  }
  std::uint64_t given_up = 0;
  const auto all = timeline_of(directory.path(), &given_up);
  EXPECT_EQ(given_up, 3u);
  EXPECT_EQ(all.size(), 8u) << "every step is visited";
  EXPECT_EQ(only(all, 1, EventKind::finish).begin, nanoseconds(100 + 50 + 100 + 90 + 90));
}

TEST(CpuTimeline, AThreadMayCompleteWhatAnotherStarted) {
  const TemporaryDirectory directory;
  {
    RecordedProcess process(directory.path(), 0, 2, test_clock()), peer(directory.path(), 1, 2, test_clock());
    process->start();
    // The first thread computes longer: ordered by their CPU clocks, the second thread would complete first.
    process->event(EventKind::recv_post, 9'000, 10, {.peer = 1, .tag = 1, .request = 4});
    process.thread(1).start(100);
    process.thread(1).extension(Extension::compute, kNoPeer, 10);
    process.thread(1).event(EventKind::recv_complete, 9'500, 10, {.peer = 1, .tag = 1, .request = 4});
    peer->start();
    peer->event(EventKind::send, 200, 10, {.peer = 0, .tag = 1});
  }
  const auto all = timeline_of(directory.path());
  std::vector<EventKind> order;
  for (const Visited& v : all)
    if (v.kind == EventKind::recv_post || v.kind == EventKind::recv_complete) order.push_back(v.kind);
  EXPECT_EQ(order, (std::vector{EventKind::recv_post, EventKind::recv_complete}));
}

TEST(CpuTimeline, NoMessageOfARandomJobArrivesBeforeItIsSent) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const TemporaryDirectory directory;
    constexpr std::uint32_t kRanks = 5;
    std::uint64_t messages = 400;
    {
      std::vector<std::unique_ptr<RecordedProcess>> ranks;
      for (std::uint32_t r = 0; r < kRanks; ++r) {
        ranks.push_back(std::make_unique<RecordedProcess>(directory.path(), r, kRanks, test_clock()));
        (*ranks.back())->start();
      }
      // A sequential execution of the job, in which each message is received later than it is sent.
      std::vector<std::deque<std::pair<std::uint32_t, std::int32_t>>> inbox(kRanks);
      std::uint64_t now = 10;
      while (messages > 0) {
        now += random.below(100) + 2;
        const auto rank = static_cast<std::uint32_t>(random.below(kRanks));
        RecordedProcess& process = *ranks[rank];
        if (random.below(2) == 0) process->extension(Extension::compute, kNoPeer, random.below(1'000));
        if (!inbox[rank].empty() && random.below(2) == 0) {
          const auto [source, tag] = inbox[rank].front();
          inbox[rank].pop_front();
          process->event(EventKind::recv, now, 1, {.peer = static_cast<std::int32_t>(source), .tag = tag});
        } else {
          const auto to = static_cast<std::uint32_t>(random.below(kRanks));
          const auto tag = static_cast<std::int32_t>(random.below(2));
          process->event(EventKind::send, now, 1, {.peer = static_cast<std::int32_t>(to), .tag = tag});
          inbox[to].emplace_back(rank, tag);
          --messages;
        }
      }
    }
    std::uint64_t given_up = 0;
    const auto all = timeline_of(directory.path(), &given_up);
    EXPECT_EQ(given_up, 0u);
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::vector<Time>> sent, received;
    for (const Visited& v : all) {
      const auto self = static_cast<std::int32_t>(v.thread);
      EXPECT_GE(v.end, v.begin);
      if (v.kind == EventKind::send) sent[{self, v.peer, v.tag}].push_back(v.begin);
      if (v.kind == EventKind::recv) received[{v.peer, self, v.tag}].push_back(v.end);
    }
    for (const auto& [key, ends] : received)
      for (std::size_t n = 0; n < ends.size(); ++n) ASSERT_GE(ends[n], sent[key].at(n)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace hybrid
