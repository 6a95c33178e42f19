#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "emulator/replay/operation.h"
#include "emulator/replay/trace_format.h"
#include "libhybrid/recording/testing/trace_writer_fixture.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using testing::ElementsAre;

TEST_F(TraceWriter, WritesOneSidedOperationsAndSynchronisations) {
  ranks(2);
  const auto sync = [&](std::uint32_t r, RmaSync what, std::uint64_t at, std::int32_t target = kNoPeer) {
    rank(r)->event(EventKind::rma_sync, at, 10,
                   {.op = static_cast<std::uint8_t>(what), .communicator = 3, .peer = target});
  };
  for (std::uint32_t r = 0; r < 2; ++r) {
    rank(r).definitions.window(3, kWorldCommunicator);
    sync(r, RmaSync::fence, 100);
  }
  rank(0)->event(EventKind::put, 200, 10, {.communicator = 3, .peer = 1, .bytes = 256});
  rank(1)->event(EventKind::get, 200, 10, {.communicator = 3, .peer = 0, .bytes = 512});
  for (std::uint32_t r = 0; r < 2; ++r) sync(r, RmaSync::fence, 300);
  sync(0, RmaSync::lock, 400, 1);
  rank(0)->event(EventKind::accumulate, 500, 10, {.communicator = 3, .peer = 1, .bytes = 8});
  sync(0, RmaSync::flush, 600, 1);
  sync(0, RmaSync::unlock, 700, 1);
  sync(1, RmaSync::post, 800);
  sync(1, RmaSync::wait, 900);
  const auto trace = open();
  const auto zero = operations(*trace, 0);
  ASSERT_EQ(kinds(zero), (std::vector{Kind::rma_sync, Kind::put, Kind::rma_sync, Kind::rma_sync,
                                      Kind::accumulate, Kind::rma_sync, Kind::rma_sync, Kind::finish}));
  EXPECT_EQ(zero[0].sync, RmaSync::fence);
  EXPECT_EQ(zero[1].peer, 1u);
  EXPECT_EQ(zero[1].bytes, 256u);
  EXPECT_EQ(zero[3].sync, RmaSync::lock);
  EXPECT_EQ(zero[5].sync, RmaSync::flush);
  EXPECT_EQ(zero[6].sync, RmaSync::unlock);
  const auto one = operations(*trace, 1);
  EXPECT_EQ(one[1].kind, Kind::get);
  EXPECT_EQ(one[1].bytes, 512u);
  EXPECT_EQ(one[3].sync, RmaSync::post);
  EXPECT_EQ(one[4].sync, RmaSync::wait);
}

TEST_F(TraceWriter, TheEndsOfEpochsHaveTheirGroup) {
  ranks(4);
  const auto sync = [&](std::uint32_t r, RmaSync what, std::uint64_t at,
                        const std::vector<std::int32_t>& group = {}, std::uint32_t thread = 0) {
    for (const std::int32_t member : group) rank(r).thread(thread).extension(Extension::member, member, 0);
    rank(r).thread(thread).event(EventKind::rma_sync, at, 10,
                                 {.op = static_cast<std::uint8_t>(what), .communicator = 3});
  };
  for (std::uint32_t r = 0; r < 4; ++r) {
    rank(r).definitions.communicator(7, std::array<std::int32_t, 4>{3, 2, 1, 0});
    rank(r).definitions.window(3, 7);
    sync(r, RmaSync::create, 100);
  }
  sync(0, RmaSync::start, 200, {3, 1});
  sync(0, RmaSync::post, 250, {2});
  rank(0).thread(1).start(260);
  sync(0, RmaSync::complete, 300, {}, 1);  // by another thread
  sync(0, RmaSync::wait, 400);
  sync(0, RmaSync::start, 500, {1});
  sync(0, RmaSync::complete, 600);
  for (std::uint32_t r = 0; r < 4; ++r) sync(r, RmaSync::free, 700);
  const TraceSummary summary = write();
  const auto trace = open_trace(summary.anchor);
  const auto zero = operations(*trace, 0);
  ASSERT_EQ(zero.size(), 6u);  // creating and freeing the window are no operations
  EXPECT_EQ(zero[0].sync, RmaSync::start);
  EXPECT_THAT(zero[0].group, ElementsAre(3, 1)) << "world ranks";
  EXPECT_THAT(zero[1].group, ElementsAre(2));
  EXPECT_EQ(zero[2].sync, RmaSync::wait);
  EXPECT_THAT(zero[2].group, ElementsAre(2));
  EXPECT_THAT(zero[3].group, ElementsAre(1));
  EXPECT_THAT(zero[4].group, ElementsAre(1));
  const auto other = operations(*trace, 0, 1);
  ASSERT_EQ(other.size(), 2u);
  EXPECT_EQ(other[0].sync, RmaSync::complete);
  EXPECT_THAT(other[0].group, ElementsAre(3, 1));
  const auto events = printed(summary.anchor);
  ASSERT_TRUE(events.has_value());
  const auto lines_with = [&](const char* word) {
    std::size_t count = 0;
    for (std::size_t at = events->find(word); at != std::string::npos; at = events->find(word, at + 1))
      ++count;
    return count;
  };
  EXPECT_EQ(lines_with("RMA_WIN_CREATE "), 4u) << *events;
  EXPECT_EQ(lines_with("RMA_WIN_DESTROY "), 4u);
  EXPECT_EQ(lines_with("RMA_GROUP_SYNC "), 6u);
  EXPECT_EQ(events->find("warning"), std::string::npos) << *events;
}

}  // namespace
}  // namespace hybrid
