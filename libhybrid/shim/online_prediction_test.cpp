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
  prediction.flush(thread);
  EXPECT_EQ(times.size(), before);
  EXPECT_EQ(prediction.counts().sends, 1u);
}

// Requests every destination at its first send.
class Collector : public Predictor {
 public:
  explicit Collector(std::vector<Port>& sends) : sends_(sends) {}
  Decisions on_send(Time, Port port, Bytes, std::uint64_t) override {
    sends_.push_back(port);
    if (held_.test(port)) return {};
    held_.set(port);
    requested_ = port;
    return {{}, {&requested_, 1}};
  }
  void on_flush() override { held_.clear(); }
  bool holds(Port port) const override { return held_.test(port); }
  std::size_t state_bytes() const override { return sizeof(*this); }

 private:
  std::vector<Port>& sends_;
  PortSet held_{4};
  Port requested_ = 0;
};

class WaitingSends : public ::testing::Test {
 protected:
  void start(double share) {
    prediction_.start(std::make_unique<Collector>(sends_), {0, 1, 2, 3}, 0, rules_.scale, false, share);
  }
  void send(Port to) { prediction_.on_send(thread_, ticks(), static_cast<std::int32_t>(to), 8, 0); }

  const TemporaryDirectory directory_;
  const RecordingRules rules_{TickScale(1'000'000'000), false};
  Thread thread_{directory_ / "thread", {}, rules_};
  std::vector<Port> sends_;
  OnlinePrediction prediction_;
};

TEST_F(WaitingSends, ThePredictorSeesAllSendsInOrder) {
  start(1);
  std::vector<Port> sent;
  for (int i = 0; i < 1000; ++i) {
    sent.push_back(i % 300 == 299 ? 2 : 1);
    send(sent.back());
  }
  EXPECT_LT(sends_.size(), sent.size());
  prediction_.finish(thread_);
  EXPECT_EQ(sends_, sent);
  EXPECT_EQ(prediction_.counts().sends, 1000u);
  EXPECT_EQ(prediction_.counts().hits, 998u) << "all but the first to each destination";
  EXPECT_EQ(prediction_.counts().requests, 2u);
}

TEST_F(WaitingSends, ASendToADestinationThatIsNotHeldWaitsForNothing) {
  start(1);
  for (int i = 0; i < 100; ++i) send(1);
  send(3);
  EXPECT_EQ(sends_.size(), 101u);
  EXPECT_EQ(prediction_.counts().requests, 2u);
  send(3);
  EXPECT_EQ(sends_.size(), 102u) << "while the predictor decides, it is notified at once";
}

TEST_F(WaitingSends, AFlushComesAfterTheSendsBeforeIt) {
  start(1);
  for (int i = 0; i < 40; ++i) send(1);
  prediction_.flush(thread_);
  EXPECT_EQ(sends_.size(), 40u);
  send(1);
  EXPECT_EQ(prediction_.counts().requests, 2u);
}

TEST_F(WaitingSends, APredictorThatTakesMoreThanItsSharePauses) {
  start(1e-12);
  for (int i = 0; i < 100; ++i) send(static_cast<Port>(1 + i % 2));
  prediction_.finish(thread_);
  const PredictionCounts counts = prediction_.counts();
  EXPECT_TRUE(counts.paused_since.has_value());
  EXPECT_EQ(counts.sends + counts.skipped, 100u);
  EXPECT_EQ(counts.sends, sends_.size());
}

TEST(WorkPace, PausesWhenItsShareOfTheTimeIsExceeded) {
  WorkPace pace(1.0 / 128);
  // 7.8 ms of a second.
  for (int i = 0; i < 156; ++i) ASSERT_EQ(pace.after(microseconds(50), milliseconds(100)), Time{}) << i;
  EXPECT_EQ(pace.after(microseconds(20), milliseconds(900)),
            microseconds(100'960) + WorkPace::kShortestPause);
  EXPECT_EQ(pace.after(microseconds(20), milliseconds(1012)), Time{});
  EXPECT_EQ(pace.after(microseconds(50), milliseconds(1005)), microseconds(4'920) + WorkPace::kShortestPause);
}

TEST(WorkPace, DoesNotCountWorkThatWasInterrupted) {
  WorkPace pace(0.01);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(pace.after(milliseconds(4), milliseconds(100)), Time{});
}

TEST(WorkPace, CountsSlowWorkOfManyUnits) {
  WorkPace pace(0.01);
  EXPECT_EQ(pace.after(milliseconds(3), milliseconds(100), 64), Time{});
  EXPECT_EQ(pace.after(milliseconds(3), milliseconds(100), 64), Time{});
  EXPECT_EQ(pace.after(milliseconds(3), milliseconds(100), 64), Time{});
  EXPECT_GT(pace.after(milliseconds(3), milliseconds(100), 64), WorkPace::kShortestPause);
}

}  // namespace
}  // namespace hybrid::shim
