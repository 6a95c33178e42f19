// Tests of the checker: it finds every kind of fault and accepts valid schedules.
#include "emulator/scheduler/schedule_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace hybrid {
namespace {

using testing::HasSubstr;

TEST(ScheduleCheck, RequestSets) {
  EXPECT_EQ(fault_of(RequestSet{3, {{{0, 1}, 0}, {{1, 0}, 0}}}), "");
  EXPECT_THAT(fault_of(RequestSet{3, {{{0, 3}, 0}}}), HasSubstr("0 -> 3"));
  EXPECT_THAT(fault_of(RequestSet{3, {{{1, 1}, 0}}}), HasSubstr("itself"));
  EXPECT_THAT(fault_of(RequestSet{3, {{{0, 1}, 0}, {{0, 1}, 4}}}), HasSubstr("twice"));
}

TEST(ScheduleCheck, SlotFits) {
  const RequestSet set{3, {{{0, 1}, 0}, {{0, 2}, 0}, {{1, 2}, 0}}};
  EXPECT_EQ(fault_of({set, 0, {}}, {2, {0, 1, 0}}), "");
  EXPECT_EQ(fault_of({set, 1, {}}, {1, {0, kNoSlot, 0}}), "");
  EXPECT_THAT(fault_of({set, 0, {}}, {1, {0, kNoSlot, 0}}), HasSubstr("left out"));
  EXPECT_THAT(fault_of({set, 0, {}}, {1, {0, 0, 0}}), HasSubstr("input 0"));
  EXPECT_THAT(fault_of({set, 0, {}}, {2, {0, 1, 1}}), HasSubstr("output 2"));
  EXPECT_THAT(fault_of({set, 1, {}}, {2, {0, 1, 0}}), HasSubstr("2 slots used of 1"));
  EXPECT_THAT(fault_of({set, 0, {}}, {2, {0, 2, 0}}), HasSubstr("only 2 slots"));
  EXPECT_THAT(fault_of({set, 0, {}}, {3, {0, 1, 0}}), HasSubstr("3 slots are reported"));
  EXPECT_THAT(fault_of({set, 0, {}}, {2, {0, 1}}), HasSubstr("2 results"));
}

TEST(ScheduleCheck, FixedSlots) {
  const RequestSet set{3, {{{0, 1}, 0}, {{1, 2}, 0}}};
  std::vector<Configuration> fixed(1, Configuration(3));
  fixed[0].add({0, 1});
  EXPECT_EQ(fault_of({set, 0, fixed}, {2, {0, 1}}), "");
  EXPECT_EQ(fault_of({set, 1, fixed}, {1, {0, kNoSlot}}), "");
  EXPECT_THAT(fault_of({set, 0, fixed}, {1, {0, 0}}), HasSubstr("added to fixed slot 0"));
  EXPECT_THAT(fault_of({set, 0, fixed}, {2, {1, 1}}), HasSubstr("a fixed slot holds it"));
  EXPECT_THAT(fault_of({set, 2, fixed}, {2, {kNoSlot, 1}}), HasSubstr("a fixed slot holds it"));
}

TEST(ScheduleCheck, DemandSchedules) {
  const RequestSet set{2, {{{0, 1}, 100}}};
  const DemandProblem problem{set, 8'000'000'000, nanoseconds(10)};  // a byte a nanosecond
  Configuration right(2), wrong(2);
  right.add({0, 1});
  wrong.add({1, 0});
  EXPECT_EQ(fault_of(problem, std::vector<TimedConfiguration>{{right, nanoseconds(110)}}), "");
  EXPECT_THAT(fault_of(problem, std::vector<TimedConfiguration>{{right, nanoseconds(109)}}),
              HasSubstr("1 bytes are never carried"));
  EXPECT_THAT(fault_of(problem, std::vector<TimedConfiguration>{{right, nanoseconds(110)}, {wrong, {}}}),
              HasSubstr("1 -> 0, which is not requested"));
  EXPECT_THAT(fault_of(problem, std::vector<TimedConfiguration>{{right, nanoseconds(-1)}}),
              HasSubstr("lasts"));
  EXPECT_THAT(fault_of(problem, std::vector<TimedConfiguration>{{Configuration(3), {}}}),
              HasSubstr("3 ports"));
}

/// FT(2, 2, 2): nodes 0, 1 on one switch, 2, 3 on the other.
constexpr FatTreeShape kSmall{2, 2, 2};

TreePath turn_at(std::uint8_t turn, std::uint16_t first = 0) {
  TreePath path;
  path.granted = true;
  path.turn = turn;
  path.up[0] = first;
  return path;
}

TEST(ScheduleCheck, TreePaths) {
  const std::vector<Connection> requests{{0, 2}, {1, 3}};
  EXPECT_EQ(fault_of(kSmall, requests, std::vector<TreePath>{turn_at(1, 0), turn_at(1, 1)}), "");
  EXPECT_EQ(fault_of(kSmall, requests, std::vector<TreePath>{turn_at(1, 0), TreePath{}}), "");
  EXPECT_THAT(fault_of(kSmall, requests, std::vector<TreePath>{turn_at(1, 0), turn_at(1, 0)}),
              HasSubstr("share an upward link"));
  EXPECT_THAT(fault_of(kSmall, requests, std::vector<TreePath>{turn_at(0), TreePath{}}),
              HasSubstr("below a common switch"));
  EXPECT_THAT(fault_of(kSmall, requests, std::vector<TreePath>{turn_at(3), TreePath{}}),
              HasSubstr("above the tree"));
  EXPECT_THAT(fault_of(kSmall, requests, std::vector<TreePath>{turn_at(1, 2), TreePath{}}),
              HasSubstr("upward port 2 of 2"));
  EXPECT_THAT(fault_of(kSmall, requests, std::vector<TreePath>{turn_at(1)}), HasSubstr("1 results"));
  const std::vector<Connection> same_output{{0, 1}, {2, 1}};
  EXPECT_THAT(fault_of(kSmall, same_output, std::vector<TreePath>{turn_at(0), turn_at(1)}),
              HasSubstr("node 1 receives twice"));
  const std::vector<Connection> outside{{0, 4}};
  EXPECT_THAT(fault_of(kSmall, outside, std::vector<TreePath>{turn_at(1)}), HasSubstr("of 4 nodes"));
}

TEST(ScheduleCheck, TreePathsAcrossTheTop) {
  // 0 -> 2 climbs by port 0, crosses by port 1 and descends on the link of 1 -> 3, which climbs by port 1.
  const auto across = [](std::uint16_t first, std::uint16_t by) {
    TreePath path = turn_at(2, first);
    path.up[1] = by;
    return path;
  };
  const std::vector<Connection> one{{0, 2}}, two{{0, 2}, {1, 3}};
  EXPECT_EQ(fault_of(kSmall, one, std::vector<TreePath>{across(0, 1)}), "");
  EXPECT_EQ(fault_of(kSmall, two, std::vector<TreePath>{across(0, 1), across(1, 0)}), "");
  EXPECT_THAT(fault_of(kSmall, two, std::vector<TreePath>{across(0, 1), turn_at(1, 1)}),
              testing::HasSubstr("share a downward link"));
  EXPECT_THAT(fault_of(kSmall, one, std::vector<TreePath>{across(0, 0)}),
              testing::HasSubstr("to its own switch"));
  EXPECT_THAT(fault_of(kSmall, one, std::vector<TreePath>{across(0, 2)}),
              testing::HasSubstr("upward port 2"));
  EXPECT_THAT(fault_of(FatTreeShape{1, 4, 2}, one, std::vector<TreePath>{turn_at(1)}),
              testing::HasSubstr("above the tree"));
}

TEST(ScheduleCheck, TreePathsThatMeetOnTheirPathDown) {
  // FT(2, 3, 2): from different switches by upward ports of the same number, down to one switch by the same
  // link.
  const std::vector<Connection> requests{{0, 6}, {3, 7}};
  EXPECT_THAT(fault_of({2, 3, 2}, requests, std::vector<TreePath>{turn_at(1, 1), turn_at(1, 1)}),
              HasSubstr("share a downward link"));
  EXPECT_EQ(fault_of({2, 3, 2}, requests, std::vector<TreePath>{turn_at(1, 1), turn_at(1, 0)}), "");
}

TEST(ScheduleCheck, SlotsOfAFatTree) {
  // Two leaves of two nodes and two links up. 0 -> 2 and 1 -> 3 fit one slot by different ports.
  const FatTreeShape tree{2, 2, 2};
  const RequestSet set{4, {{{0, 2}, 1}, {{1, 3}, 1}, {{0, 3}, 1}}};
  const TreePath by_0{true, 1, {0}}, by_1{true, 1, {1}};
  const TreeSlotFit good{2, {0, 0, 1}, {by_0, by_1, by_0}};
  EXPECT_EQ(fault_of(tree, set, 0, good), "");
  EXPECT_EQ(fault_of(tree, set, 2, good), "");
  const auto fault = [&](const TreeSlotFit& fit, std::uint32_t slots = 0) {
    return fault_of(tree, set, slots, fit);
  };
  EXPECT_THAT(fault(good, 1), HasSubstr("2 slots used of 1"));
  EXPECT_THAT(fault({2, {0, 0}, {by_0, by_1}}), HasSubstr("3 requests"));
  EXPECT_THAT(fault({2, {0, 0, 1}, {by_0, by_0, by_0}}), HasSubstr("slot 0: two connections share"));
  EXPECT_THAT(fault({2, {0, 1, 0}, {by_0, by_0, by_1}}), HasSubstr("slot 0: node 0 sends twice"));
  EXPECT_THAT(fault({2, {0, 0, 2}, {by_0, by_1, by_0}}), HasSubstr("slot 2 of 2"));
  EXPECT_THAT(fault({2, {0, 0, 1}, {by_0, by_1, {}}}), HasSubstr("without a path"));
  EXPECT_THAT(fault({3, {0, 0, 2}, {by_0, by_1, by_0}}),
              HasSubstr("3 slots are reported as used, but 2 are"));
  EXPECT_THAT(fault({1, {0, 0, kNoSlot}, {by_0, by_1, {}}}), HasSubstr("left out"));
  EXPECT_EQ(fault({1, {0, 0, kNoSlot}, {by_0, by_1, {}}}, 1), "");
}

}  // namespace
}  // namespace hybrid
