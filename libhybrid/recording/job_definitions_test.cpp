#include "libhybrid/recording/job_definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "libhybrid/recording/testing/recorded_process.h"

namespace hybrid {
namespace {

using Members = std::vector<std::int32_t>;
using testing::ElementsAre;

std::uint32_t id_of(const JobDefinitions& job, std::uint32_t rank, std::uint32_t local_id) {
  return job.processes.at(rank).communicators.at(local_id).id;
}

TEST(JobDefinitions, MatchesCommunicatorsByMembersAndOrderOfCreation) {
  const TemporaryDirectory directory;
  const auto create = [&](std::uint32_t rank,
                          const std::vector<std::pair<std::uint32_t, Members>>& communicators) {
    DefinitionWriter writer(definitions_path(directory.path(), rank));
    writer.communicator(0, Members{0, 1, 2, 3});
    writer.communicator(1, Members{static_cast<std::int32_t>(rank)});
    for (const auto& [id, members] : communicators) writer.communicator(id, members);
    writer.property("ranks", "4");
  };
  // The even ranks split twice, with other communicators in between, so that their ids differ.
  create(0, {{2, {0, 2}}, {3, {0, 1, 2, 3}}, {4, {0, 2}}, {5, {2, 0}}});
  create(1, {{2, {1}}, {3, {1, 3}}, {4, {0, 1, 2, 3}}});
  create(2, {{2, {2, 3}}, {3, {0, 2}}, {7, {0, 1, 2, 3}}, {8, {2, 0}}, {9, {0, 2}}});
  create(3, {{2, {2, 3}}, {3, {1, 3}}, {4, {0, 1, 2, 3}}, {5, {0, 1, 2, 3}}});
  const JobDefinitions job = merge_definitions(directory.path(), {0, 1, 2, 3});
  EXPECT_EQ(job.ranks, 4u);
  EXPECT_EQ(id_of(job, 0, 2), id_of(job, 2, 3));
  EXPECT_EQ(id_of(job, 0, 4), id_of(job, 2, 9));
  EXPECT_NE(id_of(job, 0, 2), id_of(job, 0, 4));
  EXPECT_EQ(id_of(job, 0, 5), id_of(job, 2, 8));
  EXPECT_NE(id_of(job, 0, 5), id_of(job, 0, 2)) << "the same ranks in another order";
  EXPECT_EQ(id_of(job, 2, 2), id_of(job, 3, 2));
  EXPECT_EQ(id_of(job, 1, 3), id_of(job, 3, 3));
  for (std::uint32_t rank = 1; rank < 4; ++rank)
    EXPECT_EQ(id_of(job, rank, rank == 2 ? 7 : 4), id_of(job, 0, 3)) << "the duplicate of the world";
  EXPECT_NE(id_of(job, 3, 5), id_of(job, 3, 4)) << "only rank 3 created it";
  EXPECT_NE(id_of(job, 0, 3), 0u) << "a duplicate differs from the world";
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(id_of(job, rank, 0), 0u);
    EXPECT_EQ(id_of(job, rank, 1), 1u);
  }
}

// Two duplicates of the world are duplicated again, in a different order on each rank. This happens with
// threads and nonblocking duplication.
TEST(JobDefinitions, MatchesChildrenOfDifferentCommunicatorsInAnyOrder) {
  const TemporaryDirectory directory;
  const Members both{0, 1};
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    DefinitionWriter writer(definitions_path(directory.path(), rank));
    writer.communicator(0, both);
    writer.communicator(1, Members{static_cast<std::int32_t>(rank)});
    writer.communicator(2, both, {}, {0, "0"});
    writer.communicator(3, both, {}, {0, "1"});
    writer.communicator(rank == 0 ? 4 : 5, both, {}, {2, "0"});
    writer.communicator(rank == 0 ? 5 : 4, both, {}, {3, "0"});
    // The second call on the world makes none on rank 1 (a split without colour), the third one makes one on
    // both.
    if (rank == 0) writer.communicator(6, Members{0}, {}, {0, "2"});
    writer.communicator(7, both, {}, {0, "3"});
    // Created by their members alone: matched by tag, and by order for equal tags.
    writer.communicator(rank == 0 ? 8 : 9, both, {}, {0, "group 5"});
    writer.communicator(rank == 0 ? 9 : 8, both, {}, {0, "group 6"});
    writer.communicator(10, both, {}, {0, "group 6"});
  }
  const JobDefinitions job = merge_definitions(directory.path(), {0, 1});
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> same{{2, 2}, {3, 3}, {4, 5}, {5, 4},
                                                                  {7, 7}, {8, 9}, {9, 8}, {10, 10}};
  for (const auto& [first, second] : same) {
    EXPECT_EQ(id_of(job, 0, first), id_of(job, 1, second)) << first;
    for (const auto& [other, unused] : same) {
      if (other != first) {
        EXPECT_NE(id_of(job, 0, first), id_of(job, 0, other)) << first << " and " << other;
      }
    }
  }
}

TEST(JobDefinitions, TranslatesWorldRanks) {
  const TemporaryDirectory directory;
  {
    DefinitionWriter writer(definitions_path(directory.path(), 5));
    writer.communicator(2, Members{7, 5, 3});
    writer.property("ranks", "8");
  }
  const JobDefinitions job = merge_definitions(directory.path(), {5});
  const ProcessDefinitions& process = job.processes.front();
  const auto view = process.communicators.at(2);
  EXPECT_EQ(job.peer_rank(process, view, 7), 0u);
  EXPECT_EQ(job.peer_rank(process, view, 5), 1u);
  EXPECT_EQ(job.peer_rank(process, view, 3), 2u);
  EXPECT_EQ(job.peer_rank(process, view, 4), std::nullopt);
  EXPECT_EQ(job.peer_rank(process, view, kNoPeer), std::nullopt);
  EXPECT_EQ(job.peer_rank(process, process.communicators.at(0), 6), 6u);
  EXPECT_EQ(job.peer_rank(process, process.communicators.at(0), 8), std::nullopt);
  EXPECT_EQ(job.peer_rank(process, process.communicators.at(1), 5), 0u);
  EXPECT_EQ(job.peer_rank(process, process.communicators.at(1), 0), std::nullopt);
}

TEST(JobDefinitions, MatchesBothSidesOfAnInterCommunicator) {
  const TemporaryDirectory directory;
  const Members low{0, 2}, high{1, 3};
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    DefinitionWriter writer(definitions_path(directory.path(), rank));
    writer.communicator(10 + rank, rank % 2 == 0 ? low : high, rank % 2 == 0 ? high : low);
  }
  const JobDefinitions job = merge_definitions(directory.path(), {0, 1, 2, 3});
  ASSERT_EQ(job.communicators.size(), 3u);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const ProcessDefinitions& process = job.processes[rank];
    const auto view = process.communicators.at(10 + rank);
    EXPECT_EQ(view.id, 2u);
    EXPECT_THAT(job.own_group(view).members, testing::ElementsAreArray(rank % 2 == 0 ? low : high));
    // Peers are ranks of the other side.
    EXPECT_EQ(job.peer_rank(process, view, rank % 2 == 0 ? 3 : 2), 1u);
    EXPECT_EQ(job.peer_rank(process, view, rank % 2 == 0 ? 2 : 3), std::nullopt);
  }
}

TEST(JobDefinitions, MatchesWindowsAndRegions) {
  const TemporaryDirectory directory;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    DefinitionWriter writer(definitions_path(directory.path(), rank));
    if (rank == 1) writer.communicator(2, Members{1});
    writer.communicator(3, Members{0, 1});
    if (rank == 1) writer.window(0, 2);
    writer.window(rank + 5, 0);
    writer.window(rank + 7, 3);
    writer.window(rank + 9, 0);
    writer.window(100, 55);  // its communicator is not defined (a full disk)
    writer.region(0, rank == 0 ? "solve" : "exchange");
    writer.region(1, rank == 0 ? "exchange" : "solve");
  }
  const JobDefinitions job = merge_definitions(directory.path(), {0, 1});
  const auto& windows = job.processes[0].windows;
  EXPECT_EQ(windows.at(5), job.processes[1].windows.at(6));
  EXPECT_EQ(windows.at(7), job.processes[1].windows.at(8));
  EXPECT_EQ(windows.at(9), job.processes[1].windows.at(10));
  EXPECT_EQ(job.windows.size(), 4u);
  EXPECT_EQ(job.windows[windows.at(5)], 0u);
  EXPECT_FALSE(windows.contains(100));
  EXPECT_THAT(job.regions, ElementsAre("solve", "exchange"));
  EXPECT_EQ(job.processes[1].regions.at(1), job.processes[0].regions.at(0));
}

TEST(JobDefinitions, LeavesOutProcessesOfAnotherJob) {
  const TemporaryDirectory directory;
  {
    DefinitionWriter writer(definitions_path(directory.path(), 0));
    writer.communicator(2, Members{0, 1}, Members{kNoPeer, kNoPeer});
  }
  const JobDefinitions job = merge_definitions(directory.path(), {0});
  EXPECT_EQ(job.communicators[2].other_group, JobCommunicator::kNoGroup);
  EXPECT_THAT(job.groups[job.communicators[2].group].members, ElementsAre(0, 1));
}

}  // namespace
}  // namespace hybrid
