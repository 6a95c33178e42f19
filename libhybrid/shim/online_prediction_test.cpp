#include "libhybrid/shim/online_prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/temporary_directory.h"

namespace hybrid::shim {
namespace {

// Records the times of its notifications.
class TimeRecorder : public Predictor {
 public:
  TimeRecorder(std::vector<Time>& times, Time deadline) : times_(times), deadline_(deadline) {}
  Decisions on_send(Time now, Port, Bytes, std::uint64_t) override {
    times_.push_back(now);
    return {};
  }
  Time next_deadline() const override { return deadline_; }
  Decisions on_time(Time now) override {
    times_.push_back(now);
    return {};
  }
  void on_flush() override {}
  bool holds(Port) const override { return false; }
  std::size_t state_bytes() const override { return sizeof(*this); }

 private:
  std::vector<Time>& times_;
  Time deadline_;
};

TEST(OnlinePrediction, TimeNeverDecreasesWhenThreadsAreLate) {
  const TemporaryDirectory directory;
  std::vector<Time> times;
  const RecordingRules rules{TickScale(1'000'000'000), false};
  OnlinePrediction prediction;
  prediction.start(std::make_unique<TimeRecorder>(times, Time{0}), {0, 1}, 0, rules.scale, true);
  Thread first(directory / "first", {}, rules), second(directory / "second", {}, rules);
  const Ticks now = ticks();
  // The second thread read its clock earlier and gets here later; then the same in a call that sends nothing.
  prediction.on_send(first, now + 5'000, 1, 8, 0);
  prediction.on_send(second, now + 1'000, 1, 8, 0);
  prediction.on_time(second, now + 2'000);
  prediction.on_time(first, now + 9'000);
  ASSERT_EQ(times.size(), 6u) << "every call reports the deadline that has passed";
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_LT(times.front(), times.back());
  EXPECT_EQ(prediction.counts().skipped, 0u);
}

TEST(OnlinePrediction, NothingIsPredictedAfterStop) {
  const TemporaryDirectory directory;
  std::vector<Time> times;
  const RecordingRules rules{TickScale(1'000'000'000), false};
  OnlinePrediction prediction;
  prediction.start(std::make_unique<TimeRecorder>(times, Time{0}), {0, 1}, 0, rules.scale, false);
  Thread thread(directory / "thread", {}, rules);
  prediction.on_send(thread, ticks(), 1, 8, 0);
  const std::size_t before = times.size();
  prediction.stop();
  prediction.on_send(thread, ticks(), 1, 8, 0);
  prediction.on_time(thread, ticks());
  prediction.flush();
  EXPECT_EQ(times.size(), before);
  EXPECT_EQ(prediction.counts().sends, 1u);
}

}  // namespace
}  // namespace hybrid::shim
