#include "emulator/replay/receive_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <tuple>

#include "emulator/replay/testing/jobs.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using testing::ElementsAre;

Operation completed(Operation operation, std::int64_t at) {
  operation.completed = nanoseconds(at);
  return operation;
}

std::vector<std::uint32_t> orders(JobTrace& trace, std::uint32_t location) {
  std::vector<std::uint32_t> result;
  for (Operation o; trace.next(location, o);) result.push_back(o.order);
  return result;
}

using Build = void (*)(MemoryTrace&);
std::unique_ptr<JobTrace> ordered(Build build) {
  auto trace = std::make_unique<MemoryTrace>(2);
  MemoryTrace again(2);
  build(*trace);
  build(again);
  return order_receives(std::move(trace), again);
}

TEST(ReceiveOrder, IsThatInWhichTheThreadsCompleted) {
  const auto trace = ordered([](MemoryTrace& t) {
    const std::uint32_t thread = t.add_location(1);
    t.add(1, completed(make(Kind::recv, 0), 10));
    t.add(1, completed(make(Kind::recv, 0), 40));
    t.add(1, tagged(completed(make(Kind::recv, 0), 50), 7));  // no other thread receives with this tag
    t.add(thread, make(Kind::send, 0));
    t.add(thread, completed(make(Kind::recv, 0), 20));
    t.add(thread, completed(make(Kind::recv, 0), 30));
  });
  EXPECT_THAT(orders(*trace, 1), ElementsAre(1, 4, 0));
  EXPECT_THAT(orders(*trace, 2), ElementsAre(0, 2, 3));
}

TEST(ReceiveOrder, OfOneThreadIsThatOfThePosts) {
  const auto trace = ordered([](MemoryTrace& t) {
    const std::uint32_t thread = t.add_location(1);
    t.add(1, completed(matched_post(0, 1), 50));
    t.add(1, completed(matched_post(0, 2), 10));
    t.add(1, make(Kind::recv_post, 0, 0, {}, 3));  // takes its message where it is completed
    t.add(1, completed(make(Kind::recv_complete, 0, 0, {}, 2), 10));
    t.add(1, completed(make(Kind::recv_complete, 0, 0, {}, 3), 30));
    t.add(1, completed(make(Kind::recv_complete, 0, 0, {}, 1), 50));
    t.add(thread, completed(make(Kind::recv, 0), 20));
  });
  EXPECT_THAT(orders(*trace, 1), ElementsAre(1, 2, 0, 0, 4, 0));
  EXPECT_THAT(orders(*trace, 2), ElementsAre(3));
}

TEST(ReceiveOrder, NeedsNoneInARankWithOneThread) {
  EXPECT_FALSE(has_threads(MemoryTrace(2)));
  MemoryTrace trace(2);
  trace.add_location(0);
  EXPECT_TRUE(has_threads(trace));
}

/// Records a random legal execution of 3 ranks with 3 threads each, which synchronise in ways that the trace
/// does not show: any thread may perform the next step of the job.
void record_threads(MemoryTrace& trace, std::uint64_t seed) {
  constexpr std::uint32_t kRanks = 3, kThreads = 9;
  for (std::uint32_t r = 0; r < kRanks; ++r)
    for (int i = 1; i < 3; ++i) trace.add_location(r);
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::int32_t>;  // from, to, tag
  struct Posted {
    std::size_t operation = 0;  // of its thread
    std::uint64_t request = 0;
    Key key;
    bool matched = false;
  };
  std::array<std::vector<Operation>, kThreads> operations;
  std::array<std::vector<std::shared_ptr<Posted>>, kThreads> open;
  std::map<Key, std::uint32_t> unmatched;
  std::map<Key, std::deque<std::shared_ptr<Posted>>> waiting;
  Random random(seed);
  std::uint64_t requests = 0;
  const auto rank_of = [&](std::uint32_t thread) { return trace.locations()[thread].rank; };
  const auto compute = [&] { return nanoseconds(static_cast<std::int64_t>(random.below(4000))); };
  const auto send = [&](std::uint32_t thread, const Key& key) {
    operations[thread].push_back(tagged(make(Kind::send, std::get<1>(key), 8, compute()), std::get<2>(key)));
    auto& queue = waiting[key];
    if (queue.empty()) {
      ++unmatched[key];
      return;
    }
    queue.front()->matched = true;
    queue.pop_front();
  };
  const auto receive = [&](std::uint32_t thread, const Key& key, std::int64_t now) {
    operations[thread].push_back(
        tagged(completed(make(Kind::recv, std::get<0>(key), 8, compute()), now), std::get<2>(key)));
    --unmatched[key];
  };
  const auto complete = [&](std::uint32_t thread, std::size_t which, std::int64_t now) {
    const Posted posted = *open[thread][which];
    open[thread].erase(open[thread].begin() + static_cast<std::ptrdiff_t>(which));
    operations[thread][posted.operation].completed = nanoseconds(now);
    operations[thread].push_back(tagged(
        completed(make(Kind::recv_complete, std::get<0>(posted.key), 8, compute(), posted.request), now),
        std::get<2>(posted.key)));
  };
  std::int64_t now = 0;
  for (int step = 0; step < 300; ++step) {
    ++now;
    const auto thread = static_cast<std::uint32_t>(random.below(kThreads));
    const std::uint32_t rank = rank_of(thread);
    const auto other = (rank + 1 + static_cast<std::uint32_t>(random.below(kRanks - 1))) % kRanks;
    const auto tag = static_cast<std::int32_t>(random.below(2));
    const Key in{other, rank, tag};
    switch (random.below(4)) {
      case 0:
        send(thread, {rank, other, tag});
        break;
      case 1:
        if (unmatched[in] != 0) receive(thread, in, now);
        break;
      case 2: {
        Operation post = tagged(matched_post(other, ++requests), tag);
        post.compute = compute();
        const auto posted =
            std::make_shared<Posted>(Posted{operations[thread].size(), requests, in, unmatched[in] != 0});
        if (posted->matched)
          --unmatched[in];
        else
          waiting[in].push_back(posted);
        open[thread].push_back(posted);
        operations[thread].push_back(post);
        break;
      }
      default:
        if (open[thread].empty()) break;
        if (const std::size_t which = random.below(open[thread].size()); open[thread][which]->matched)
          complete(thread, which, now);
    }
  }
  for (auto& [key, queue] : waiting)
    while (!queue.empty()) send(std::get<0>(key), key);
  for (auto& [key, count] : unmatched)
    while (count != 0) receive(std::get<1>(key), key, ++now);
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    while (!open[thread].empty()) complete(thread, 0, ++now);
    for (const Operation& operation : operations[thread]) trace.add(thread, operation);
    trace.add(thread, finish());
  }
}

TEST(ReceiveOrder, AJobThatEndedDoesNotWaitForeverInAReplay) {
  std::uint32_t stalls = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    MemoryTrace unordered(3), again(3);
    auto trace = std::make_unique<MemoryTrace>(3);
    record_threads(unordered, seed);
    record_threads(again, seed);
    record_threads(*trace, seed);
    stalls += error_of(unordered).find("waits forever") != std::string::npos;
    const auto in_order = order_receives(std::move(trace), again);
    EXPECT_EQ(error_of(*in_order), "no error") << "seed " << seed;
  }
  EXPECT_GT(stalls, 0u);  // the jobs need the order
}

}  // namespace
}  // namespace hybrid
