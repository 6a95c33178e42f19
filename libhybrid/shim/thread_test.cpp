#include "libhybrid/shim/thread.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/temporary_directory.h"

namespace hybrid::shim {
namespace {

class NullCalls : public ::testing::Test {
 protected:
  // As the handler of a send to MPI_PROC_NULL does. Returns whether the quick way was taken.
  bool call(const NullCall& call, Ticks at) {
    if (thread_.may_record_again(call) && thread_.record_again(at)) return true;
    thread_.enter(0, at);
    const Record record{.kind = EventKind::send, .tag = call.tag, .bytes = call.count_and_mode};
    thread_.record(record, at, at);
    thread_.allow_again(call, record);
    return false;
  }
  std::vector<Event> events() {
    thread_.finish(begin_ + 1'000'000, 1'000'000'000);
    const JournalReader reader(directory_ / "thread");
    JournalEvents all = reader.events();
    std::vector<Event> sends;
    for (Event event; all.next(event);)
      if (event.kind == EventKind::send) sends.push_back(event);
    return sends;
  }

  const TemporaryDirectory directory_;
  const RecordingRules rules_{TickScale(1'000'000'000)};
  Thread thread_{directory_ / "thread", {}, rules_};
  const Ticks begin_ = ticks();
  const NullCall call_{0x1000, 8, 1, 5};
};

TEST_F(NullCalls, EqualOnesAreRecordedQuicklyWithTheirTimes) {
  int quick = 0;
  for (Ticks i = 0; i < 50'000; ++i) quick += call(call_, begin_ + 20 * i) ? 1 : 0;
  EXPECT_GT(quick, 49'900);
  const std::vector<Event> sends = events();
  ASSERT_EQ(sends.size(), 50'000u);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    ASSERT_EQ(sends[i].begin, begin_ + 20 * i);
    ASSERT_EQ(sends[i].duration, 0u);
    ASSERT_EQ(sends[i].tag, 5);
    ASSERT_EQ(sends[i].bytes, 8u);
  }
}

TEST_F(NullCalls, AnyOtherCallOrLongGapNeedsTheUsualWay) {
  EXPECT_FALSE(call(call_, begin_));
  EXPECT_TRUE(call(call_, begin_ + 10));
  for (const NullCall& other : {NullCall{0x1004, 8, 1, 5}, NullCall{0x1000, 9, 1, 5},
                                NullCall{0x1000, 8, 2, 5}, NullCall{0x1000, 8, 1, 6}})
    EXPECT_FALSE(thread_.may_record_again(other));
  EXPECT_FALSE(call(call_, begin_ + 100'000));
  EXPECT_TRUE(call(call_, begin_ + 100'010));
  thread_.record({.kind = EventKind::call}, begin_ + 100'020, begin_ + 100'030);
  EXPECT_FALSE(call(call_, begin_ + 100'040)) << "after another event";
  thread_.poll(begin_ + 100'050, begin_ + 100'060);
  EXPECT_FALSE(call(call_, begin_ + 100'070)) << "after a poll";
  EXPECT_EQ(events().size(), 6u);
}

TEST_F(NullCalls, OfValuesThatNeedAnExtensionAreRecordedTheUsualWay) {
  const NullCall large{0x1000, std::uint64_t{1} << 33, 1, 5};
  for (Ticks i = 0; i < 5; ++i) EXPECT_FALSE(call(large, begin_ + 20 * i));
  EXPECT_EQ(events().size(), 5u);
}

}  // namespace
}  // namespace hybrid::shim
