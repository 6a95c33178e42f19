#include "libhybrid/shim/shared_requests.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace hybrid::shim {
namespace {

TEST(SharedRequests, KnowsTheSharedHandlesOfMpich) {
  EXPECT_TRUE(is_shared(0x6C000001u));
  EXPECT_TRUE(is_shared(0x6C000010u)) << "a receive from MPI_PROC_NULL";
  EXPECT_FALSE(is_shared(0x98000001u)) << "from a pool";
  EXPECT_FALSE(is_shared(0x2C000000u)) << "MPI_REQUEST_NULL";
}

TEST(SharedRequests, AreTakenInTheOrderMade) {
  SharedRequests queue(1, false);
  std::set<std::uint32_t> ids;
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t i = 0; i < SharedRequests::kCapacity; ++i) {
      Request r;
      r.bytes = i;
      ASSERT_TRUE(queue.push(r));
      EXPECT_TRUE(ids.insert(r.id).second);
    }
    Request more;
    EXPECT_FALSE(queue.push(more)) << "full";
    for (std::uint64_t i = 0; i < SharedRequests::kCapacity; ++i) {
      Request r;
      ASSERT_TRUE(queue.pop(r));
      EXPECT_EQ(r.bytes, i);
    }
    EXPECT_FALSE(queue.pop(more)) << "empty";
  }
}

TEST(SharedRequests, IdsOfDifferentHandlesDiffer) {
  SharedRequests sends(1, false), receives(2, false);
  Request a, b;
  sends.push(a);
  receives.push(b);
  EXPECT_NE(a.id, b.id);
}

TEST(SharedRequests, ThreadsLoseNothingAndTakeNothingTwice) {
  SharedRequests queue(1, true);
  constexpr std::uint64_t kThreads = 4, kEach = 20000;
  std::atomic<std::uint64_t> sum{0}, taken{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kEach; ++i) {
        Request r;
        r.bytes = t * kEach + i;
        const auto take_one = [&] {
          if (Request other; queue.pop(other)) {
            sum += other.bytes;
            ++taken;
          }
        };
        // A thread that the system stops inside makes the queue look empty to the others, and so fill up.
        while (!queue.push(r)) take_one();
        take_one();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (Request r; queue.pop(r); ++taken) sum += r.bytes;
  EXPECT_EQ(taken.load(), kThreads * kEach);
  EXPECT_EQ(sum.load(), kThreads * kEach * (kThreads * kEach - 1) / 2);
}

TEST(SharedRequestTable, HasOneQueueAHandle) {
  SharedRequestTable table;
  EXPECT_EQ(table.queue(0x6C000001u, false), table.queue(0x6C000001u, false));
  EXPECT_NE(table.queue(0x6C000001u, false), table.queue(0x6C000010u, false));
}

}  // namespace
}  // namespace hybrid::shim
