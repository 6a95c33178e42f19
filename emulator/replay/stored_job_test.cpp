#include "emulator/replay/stored_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <utility>

#include "core/error.h"
#include "emulator/replay/testing/memory_trace.h"

namespace hybrid {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

/// Each member is its default value, or a number of any length.
class RandomOperations {
 public:
  explicit RandomOperations(std::uint64_t seed) : random_(seed) {}

  Operation operator()() {
    Operation op;
    op.kind = static_cast<Operation::Kind>(random_() % (static_cast<int>(Operation::Kind::finish) + 1));
    for (Time* time : {&op.compute, &op.at, &op.completed})
      time->ps = static_cast<std::int64_t>(number() >> 2) * (random_() % 4 == 0 ? -1 : 1);
    if (random_() % 8 == 0) op.completed = op.at;
    for (std::uint32_t* value :
         {&op.call, &op.call_site, &op.peer, &op.communicator, &op.order, &op.window, &op.region})
      *value = static_cast<std::uint32_t>(number());
    op.tag = static_cast<std::int32_t>(number());
    op.bytes = number();
    op.request = number();
    op.mode = static_cast<SendMode>(random_() % 4);
    if (random_() % 2 == 0) op.number = static_cast<std::uint32_t>(number());
    op.persistent = random_() % 2 == 0;
    op.matched = random_() % 2 == 0;
    op.collective = static_cast<CollectiveOp>(random_() % 8);
    op.sync = static_cast<RmaSync>(random_() % 8);
    for (auto* list : {&op.group, &op.neighbors_out, &op.neighbors_in})
      for (std::size_t n = random_() % 8; n > 5; --n) list->push_back(static_cast<std::uint32_t>(number()));
    for (auto* list : {&op.counts_sent, &op.counts_received})
      for (std::size_t n = random_() % 8; n > 5; --n) list->push_back(number());
    return op;
  }

 private:
  std::uint64_t number() { return random_() % 2 == 0 ? 0 : random_() >> random_() % 64; }

  std::mt19937_64 random_;
};

std::vector<Operation> all_of(JobTrace& trace, std::uint32_t location) {
  std::vector<Operation> all;
  for (Operation op; trace.next(location, op);) all.push_back(op);
  return all;
}

MemoryTrace random_job(std::uint32_t ranks, int operations) {
  MemoryTrace job(ranks);
  job.add_location(1);  // a thread
  for (std::uint32_t location = 0; location < job.locations().size(); ++location) {
    RandomOperations random(location);
    for (int i = 0; i < operations; ++i) job.add(location, random());
  }
  job.facts = {{"application", "random"}};
  job.regions = {"MPI_Send"};
  return job;
}

TEST(StoredJob, ReadsTheOperationsOfTheTrace) {
  const MemoryTrace job = random_job(5, 1000);
  const TraceOpener open = [&] { return std::make_unique<MemoryTrace>(job); };
  for (const unsigned threads : {1u, 3u}) {
    const auto stored = StoredJob::read(open, threads, kAny, {});
    ASSERT_NE(stored, nullptr);
    EXPECT_EQ(stored->operations(), 6u * 1000u);
    for (int pass = 0; pass < 2; ++pass) {
      const auto expected = open(), trace = stored->open();
      EXPECT_EQ(trace->ranks(), 5u);
      EXPECT_EQ(trace->locations().at(5).rank, 1u);
      EXPECT_EQ(trace->property("application"), "random");
      EXPECT_EQ(trace->region_name(0), "MPI_Send");
      EXPECT_EQ(trace->communicator(0).members, expected->communicator(0).members);
      for (std::uint32_t location = 0; location < 6; ++location)
        EXPECT_EQ(all_of(*trace, location), all_of(*expected, location)) << location;
      EXPECT_EQ(trace->events().read, 6u * 1000u);
      EXPECT_EQ(trace->events().all, 6u * 1000u);
    }
  }
}

TEST(StoredJob, AnOperationOfAUsualJobTakesFewBytes) {
  MemoryTrace job(2);
  for (std::int64_t i = 0; i < 1000; ++i) {
    Operation op;
    op.kind = Operation::Kind::send;
    op.at = microseconds(10 * i);
    op.compute = microseconds(8);
    op.peer = 1;
    op.bytes = 4096;
    job.add(0, op);
  }
  const auto stored = StoredJob::read([&] { return std::make_unique<MemoryTrace>(job); }, 1, kAny, {});
  EXPECT_LE(stored->bytes(), 1000u * 16u);
}

TEST(StoredJob, DoesNotStoreALargerJob) {
  const MemoryTrace job = random_job(3, 10'000);
  const TraceOpener open = [&] { return std::make_unique<MemoryTrace>(job); };
  const std::size_t bytes = StoredJob::read(open, 2, kAny, {})->bytes();
  EXPECT_NE(StoredJob::read(open, 2, bytes, {}), nullptr);
  EXPECT_EQ(StoredJob::read(open, 2, bytes - 1, {}), nullptr);
  EXPECT_EQ(StoredJob::read(open, 2, bytes / 100, {}), nullptr);
}

TEST(StoredJob, ReportsTheDamageOfTheLowestRank) {
  MemoryTrace job = random_job(8, 100);
  for (const std::uint32_t damaged : {3u, 6u})
    job.generate(damaged, [damaged](std::uint64_t number, Operation& op) {
      if (number == 50) throw UserError("damaged: rank " + std::to_string(damaged));
      op = {};
      return true;
    });
  const TraceOpener open = [&] { return std::make_unique<MemoryTrace>(job); };
  for (int repetition = 0; repetition < 20; ++repetition) try {
      StoredJob::read(open, 4, kAny, {});
      ADD_FAILURE() << "no error";
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 3"));
    }
}

TEST(StoredJob, NotesItsProgress) {
  const MemoryTrace job = random_job(4, 10'000);
  std::size_t notes = 0;
  StoredJob::read([&] { return std::make_unique<MemoryTrace>(job); }, 2, kAny,
                  [&](JobTrace::EventsRead) { ++notes; });
  EXPECT_GE(notes, 5u * 2u) << "every 4096 operations, and at each rank's end";
}

}  // namespace
}  // namespace hybrid
