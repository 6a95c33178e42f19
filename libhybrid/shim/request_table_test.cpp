#include "libhybrid/shim/request_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "core/random.h"
#include "libhybrid/shim/handle_table.h"

namespace hybrid::shim {
namespace {

Request send_of(std::uint64_t bytes) {
  Request r;
  r.kind = RequestKind::send;
  r.bytes = bytes;
  return r;
}

TEST(RequestTable, FindsNothingThatWasNotInserted) {
  RequestTable table;
  EXPECT_EQ(table.find(0x98000000u), nullptr);
}

TEST(RequestTable, AHandleRefersToItsLatestRequest) {
  RequestTable table;
  table.insert(0x98000001u, send_of(1));
  RequestTable::Slot* const slot = table.insert(0x98000001u, send_of(2));
  EXPECT_EQ(table.find(0x98000001u), slot);
  EXPECT_EQ(slot->request.bytes, 2u);
}

TEST(RequestTable, AReusedHandleGetsAnotherJournalId) {
  RequestTable table;
  std::set<std::uint32_t> ids;
  for (int use = 0; use < 100; ++use) ids.insert(table.insert(0x98000001u, send_of(1))->request.id);
  EXPECT_EQ(ids.size(), 100u);
}

TEST(RequestTable, IdsOfOpenRequestsAndSecondHalvesDiffer) {
  RequestTable table;
  std::set<std::uint32_t> ids;
  constexpr std::uint32_t kRequests = 100000;  // over several blocks
  for (std::uint32_t i = 0; i < kRequests; ++i) {
    const std::uint32_t id = table.insert(0x98000000u + i, send_of(i))->request.id;
    EXPECT_TRUE(ids.insert(id).second);
    EXPECT_TRUE(ids.insert(second_half(id)).second);
  }
  for (std::uint32_t i = 0; i < kRequests; ++i) EXPECT_EQ(table.find(0x98000000u + i)->request.bytes, i);
}

TEST(RequestTable, AgreesWithAMapOnRandomHandles) {
  RequestTable table;
  std::map<std::uint32_t, std::uint64_t> reference;
  Random random(7);  // any seed
  for (int step = 0; step < 50000; ++step) {
    const auto handle = static_cast<std::uint32_t>(random.below(30000) * 2654435761u | 1u);
    table.insert(handle, send_of(static_cast<std::uint64_t>(step)));
    reference[handle] = static_cast<std::uint64_t>(step);
  }
  for (const auto& [handle, bytes] : reference) {
    ASSERT_NE(table.find(handle), nullptr);
    EXPECT_EQ(table.find(handle)->request.bytes, bytes);
  }
}

TEST(RequestTable, ThreadsInsertAndFindAtTheSameTime) {
  RequestTable table;
  constexpr std::uint32_t kThreads = 4, kEach = 5000;
  std::vector<std::thread> threads;
  std::vector<int> wrong(kThreads, 0);
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 3; ++round)
        for (std::uint32_t i = 0; i < kEach; ++i) {
          const std::uint32_t handle = 0x98000001u + i * kThreads + t;
          table.insert(handle, send_of(handle));
          if (table.find(handle)->request.bytes != handle) ++wrong[t];
        }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(kThreads, 0));
}

TEST(RequestTable, KnowsWhichCommunicatorsAreInUse) {
  RequestTable table;
  Communicator used, unused;
  Request r = send_of(1);
  r.communicator = &used;
  table.insert(0x98000001u, r);
  EXPECT_TRUE(table.uses(used));
  EXPECT_FALSE(table.uses(unused));
}

TEST(CommunicatorTable, FindsInsertedAndNotErasedHandles) {
  CommunicatorTable table;
  EXPECT_EQ(table.find(0x84000001u), nullptr);
  auto made = std::make_unique<Communicator>();
  made->id = 5;
  const Communicator* const known = table.insert(0x84000001u, std::move(made));
  EXPECT_EQ(table.find(0x84000001u), known);
  table.erase(0x84000001u, table.find(0x84000001u));
  EXPECT_EQ(table.find(0x84000001u), nullptr);
  EXPECT_EQ(known->id, 5u) << "a request may still refer to it";
  table.reclaim([](const Communicator&) { return false; });
  EXPECT_EQ(table.objects(), 0u);
}

TEST(CommunicatorTable, ReclaimKeepsObjectsInUse) {
  CommunicatorTable table;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    auto made = std::make_unique<Communicator>();
    made->id = i;
    table.insert(0x84000000u + i, std::move(made));
    if (i % 2 == 1) table.erase(0x84000000u + i, table.find(0x84000000u + i));
  }
  table.reclaim([](const Communicator& each) { return each.id % 10 == 1; });
  EXPECT_EQ(table.objects(), 600u);
  for (std::uint32_t i = 0; i < 1000; i += 2) EXPECT_EQ(table.find(0x84000000u + i)->id, i);
}

TEST(CommunicatorTable, ReadsWhileAnotherThreadInserts) {
  CommunicatorTable table;
  auto first = std::make_unique<Communicator>();
  first->id = 42;
  table.insert(0x44000000u, std::move(first));
  std::atomic<bool> done{false};
  int wrong = 0;
  std::thread reader([&] {
    while (!done.load()) wrong += table.find(0x44000000u)->id != 42;
  });
  for (std::uint32_t i = 0; i < 5000; ++i) {
    table.insert(0x84000000u + i, std::make_unique<Communicator>());
    if (i >= 10) table.erase(0x84000000u + i - 10, table.find(0x84000000u + i - 10));
  }
  done = true;
  reader.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Communicator, PeersOfAnIntercommunicatorAreTheOtherGroup) {
  Communicator both;
  both.members = {0, 1};
  both.remote = {4, 5, 6};
  both.inter = true;
  EXPECT_EQ(both.world_rank(2), 6);
  EXPECT_EQ(both.world_rank(3), kNoPeer);
  EXPECT_EQ(both.world_rank(kAnyPeer), kAnyPeer);
  EXPECT_EQ(both.world_rank(kNoPeer), kNoPeer);
}

TEST(SharedRequests, KnowsTheSharedHandlesOfMpich) {
  EXPECT_TRUE(is_shared(0x6C000001u));
  EXPECT_TRUE(is_shared(0x6C000010u)) << "a receive from MPI_PROC_NULL";
  EXPECT_FALSE(is_shared(0x98000001u)) << "from a pool";
  EXPECT_FALSE(is_shared(0x2C000000u)) << "MPI_REQUEST_NULL";
}

TEST(SharedRequests, AreTakenInOrder) {
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

TEST(SharedRequests, ThreadsTakeEachRequestOnce) {
  SharedRequests queue(1, true);
  constexpr std::uint64_t kThreads = 4, kEach = 20000;
  std::atomic<std::uint64_t> sum{0}, taken{0};
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < kEach; ++i) {
        Request r;
        r.bytes = t * kEach + i;
        ASSERT_TRUE(queue.push(r));
        Request other;
        ASSERT_TRUE(queue.pop(other)) << "as many requests were appended as are taken";
        sum += other.bytes;
        ++taken;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken.load(), kThreads * kEach);
  EXPECT_EQ(sum.load(), kThreads * kEach * (kThreads * kEach - 1) / 2);
}

TEST(SharedRequestTable, HasOneQueuePerHandle) {
  SharedRequestTable table;
  EXPECT_EQ(table.queue(0x6C000001u, false), table.queue(0x6C000001u, false));
  EXPECT_NE(table.queue(0x6C000001u, false), table.queue(0x6C000010u, false));
}

}  // namespace
}  // namespace hybrid::shim
