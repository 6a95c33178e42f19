#include "emulator/network/repetition.h"

#include <gtest/gtest.h>

namespace hybrid {
namespace {

/// A minimal network: a clock of 10 ps that takes `words` words from a queue at each edge.
struct Clockwork {
  EventQueue events;
  Time last{};  // edge
  Time deadline = Time::never();
  std::uint64_t edges = 0;
  RunQueue queue;
  std::uint64_t words = 0;

  void visit(StateVisitor& v) {
    v.events(events);
    v.instant(last);
    v.instant(deadline);
    v.total(edges);
    v.words(queue);
  }
  void step() {
    const SwitchEvent event = events.pop();
    last = event.at;
    ++edges;
    queue.pop_all(words);
    events.push(last + picoseconds(10), 1);
  }
  StateVisitor::Outcome compare(StateVisitor& v, int steps = 1) {
    v.begin_save(last);
    visit(v);
    for (int k = 0; k < steps; ++k) step();
    v.begin_compare(last);
    visit(v);
    return v.outcome();
  }
};

Clockwork started() {
  Clockwork c;
  c.last = picoseconds(1000);
  c.events.push(picoseconds(1010), 1);
  return c;
}

TEST(Repetition, SkipsPeriodsUpToAnEventThatDoesNotMove) {
  Clockwork c = started();
  c.events.push(picoseconds(1100), 2);
  StateVisitor v(picoseconds(5), 1);
  ASSERT_EQ(c.compare(v), StateVisitor::Outcome::repeats);
  EXPECT_EQ(v.period(), picoseconds(10));
  EXPECT_EQ(v.times(), 8);  // from 1010 to 1090, before the event at 1100
  v.begin_repeat(8);
  c.visit(v);
  EXPECT_EQ(c.last, picoseconds(1090));
  EXPECT_EQ(c.edges, 9);
  EXPECT_EQ(c.events.pop().at, picoseconds(1100));
  EXPECT_EQ(c.events.pop().at, picoseconds(1100));
}

TEST(Repetition, AnInstantThatDoesNotMoveMustBeFarAway) {
  StateVisitor v(picoseconds(50), 1);
  Clockwork c = started();
  c.deadline = picoseconds(900);  // longer ago than any delay
  EXPECT_EQ(c.compare(v), StateVisitor::Outcome::repeats);
  c.deadline = picoseconds(1000);
  EXPECT_EQ(c.compare(v), StateVisitor::Outcome::unsettled);
  c.deadline = c.last + picoseconds(60);
  EXPECT_EQ(c.compare(v), StateVisitor::Outcome::unsettled);
  c.deadline = c.last + picoseconds(210);
  ASSERT_EQ(c.compare(v), StateVisitor::Outcome::repeats);
  EXPECT_EQ(v.times(), 14);  // 200 from now, less 50, exclusive
}

TEST(Repetition, AnInstantThatMovedByLessThanThePeriodDiffers) {
  StateVisitor v(picoseconds(5), 1);
  Clockwork c = started();
  v.begin_save(c.last);
  c.visit(v);
  c.step();
  c.last += picoseconds(1);
  v.begin_compare(c.last - picoseconds(1));
  c.visit(v);
  EXPECT_EQ(v.outcome(), StateVisitor::Outcome::differs);
}

TEST(Repetition, WordsThatEnterAtTheRateTheyLeaveRepeat) {
  StateVisitor v(picoseconds(5), 1);
  Clockwork c = started();
  c.words = 2;
  c.queue.push({picoseconds(1001), picoseconds(5), 1000});
  ASSERT_EQ(c.compare(v), StateVisitor::Outcome::repeats);
  const std::uint64_t times = v.times();
  EXPECT_GT(times, 490);
  EXPECT_LT(times, 499);
  v.begin_repeat(times);
  c.visit(v);
  EXPECT_EQ(c.queue.size(), 998 - 2 * times);
  EXPECT_EQ(c.queue.front().first, c.last + picoseconds(1));
}

TEST(Repetition, WordsThatEnterTooLateForThePeriodDoNotRepeat) {
  StateVisitor v(picoseconds(5), 1);
  Clockwork c = started();
  c.words = 2;
  c.queue.push({picoseconds(900), picoseconds(6), 1000});
  EXPECT_NE(c.compare(v), StateVisitor::Outcome::differs);
  EXPECT_LT(v.times(), 100 / 6 / 2);  // only the words that were there for long
}

TEST(Repetition, WordsThatWereThereForLongRepeat) {
  StateVisitor v(picoseconds(5), 1);
  Clockwork c = started();
  c.words = 3;
  for (int k = 0; k < 300; ++k) c.queue.push({picoseconds(k), {}, k % 3 == 0 ? 5U : 1U});
  const std::uint64_t size = c.queue.size();
  ASSERT_EQ(c.compare(v), StateVisitor::Outcome::repeats);
  v.begin_repeat(v.times());
  c.visit(v);
  EXPECT_LT(c.queue.size(), size / 10);
  EXPECT_EQ(c.queue.size(), size - 3 * c.edges);
}

TEST(Repetition, ARoundRobinPointerIsComparedOnlyIfItMatters) {
  for (const bool matters : {false, true}) {
    StateVisitor v(picoseconds(5), 1);
    Clockwork c = started();
    std::uint32_t pointer = 3;
    v.begin_save(c.last);
    c.visit(v);
    v.turn(pointer, 5, matters);
    c.step();
    pointer = 0;
    v.begin_compare(c.last);
    c.visit(v);
    v.turn(pointer, 5, matters);
    EXPECT_EQ(v.outcome(), matters ? StateVisitor::Outcome::differs : StateVisitor::Outcome::repeats);
    if (matters) continue;
    v.begin_repeat(4);
    c.visit(v);
    v.turn(pointer, 5, matters);
    EXPECT_EQ(pointer, 3U);  // advances by 2 each time
  }
}

}  // namespace
}  // namespace hybrid
