#include "libhybrid/live/service_thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "libhybrid/live/arbiter.h"
#include "libhybrid/live/client.h"
#include "libhybrid/live/region.h"
#include "libhybrid/live/service.h"
#include "libhybrid/live/testing/instant_port.h"
#include "libhybrid/live/testing/manual_clock.h"

namespace hybrid {
namespace {

using ::testing::HasSubstr;
using Pause = std::optional<ServicePace::Duration>;

TEST(ServicePace, DoublesTheSleepWhileThereIsNoWork) {
  ServicePace pace(std::chrono::microseconds(20), std::chrono::microseconds(100));
  EXPECT_EQ(pace.after(false, std::chrono::seconds(9), std::chrono::seconds(9)),
            Pause(std::chrono::microseconds(40)));
  EXPECT_EQ(pace.after(false, std::chrono::seconds(9), std::chrono::seconds(9)),
            Pause(std::chrono::microseconds(80)));
  EXPECT_EQ(pace.after(false, std::chrono::seconds(9), std::chrono::seconds(9)),
            Pause(std::chrono::microseconds(100)));
  EXPECT_EQ(pace.after(true, std::chrono::seconds(9), std::chrono::seconds(9)),
            Pause(std::chrono::microseconds(20)));
  EXPECT_EQ(pace.step_back().cpu, std::chrono::seconds(9));
  EXPECT_FALSE(pace.step_back().sampling_since || pace.step_back().stopped_at) << "no limit, no step back";
}

TEST(ServicePace, SleepsUntilTheCpuTimeIsWithinTheLimit) {
  ServicePace pace(std::chrono::microseconds(250), std::chrono::microseconds(10'000), 0.01);
  EXPECT_EQ(pace.after(true, std::chrono::microseconds(2), std::chrono::microseconds(100)),
            Pause(std::chrono::microseconds(250)));
  EXPECT_EQ(pace.after(true, std::chrono::microseconds(20), std::chrono::microseconds(500)),
            Pause(std::chrono::microseconds(1500)));
  EXPECT_FALSE(pace.step_back().sampling_since) << "not longer than an idle service sleeps";
  EXPECT_EQ(pace.after(true, std::chrono::microseconds(200), std::chrono::microseconds(3000)),
            Pause(std::chrono::microseconds(17'000)));
  EXPECT_EQ(pace.step_back().sampling_since, Pause(std::chrono::microseconds(3000)));
  EXPECT_EQ(pace.after(true, std::chrono::microseconds(210), std::chrono::microseconds(40'000)),
            Pause(std::chrono::microseconds(250)));
  EXPECT_EQ(pace.step_back().sampling_since, Pause(std::chrono::microseconds(3000))) << "the first time";
  EXPECT_FALSE(pace.step_back().stopped_at);
}

TEST(ServicePace, StopsIfItWouldHaveToSleepForLongerThanASecond) {
  ServicePace pace(std::chrono::microseconds(250), std::chrono::microseconds(10'000), 0.01);
  EXPECT_EQ(pace.after(false, std::chrono::microseconds(20'000), std::chrono::seconds(1)),
            Pause(std::chrono::seconds(1)));
  EXPECT_EQ(pace.after(false, std::chrono::microseconds(30'001), std::chrono::seconds(2)), std::nullopt);
  EXPECT_EQ(pace.step_back().stopped_at, Pause(std::chrono::seconds(2)));
  EXPECT_EQ(pace.step_back().cpu, std::chrono::microseconds(30'001));
}

// Its steps never take so much CPU time here, so the test passes the CPU time. The first reading is that
// before the counted steps: it may come after the step that establishes the connection.
TEST(ServiceThread, StopsAboveTheLimitAndGrantsNothingMore) {
  LiveMapping mapping = LiveMapping::create({std::vector<std::uint32_t>{0}, std::vector<Port>{0}, 3, 1});
  std::atomic<std::int64_t> cpu_seconds{0};
  ServiceThread thread(
      std::make_unique<OwningService>(
          *mapping.region(), real_clock(),
          LiveArbiter(std::make_unique<InstantPort>(SchedulerPort::Shape{3, 1}, nullptr), {0}, 0),
          std::vector<std::uint32_t>{0}, std::vector<Port>{0}, nullptr,
          std::span<const std::unique_ptr<MessageRing>>()),
      {"", false, [&, first = true]() mutable -> ServicePace::Duration {
         return std::chrono::seconds(std::exchange(first, false) ? 0 : cpu_seconds.load());
       }});
  LiveClient client(mapping.region(), 0);
  client.request(1);
  while (!client.established(1)) std::this_thread::yield();
  cpu_seconds = 1'000'000;
  while (client.established(1)) std::this_thread::yield();
  client.request(2);
  thread.stop();
  EXPECT_FALSE(client.established(1) || client.established(2));
  ASSERT_TRUE(thread.step_back().stopped_at);
  EXPECT_EQ(thread.step_back().sampling_since, thread.step_back().stopped_at);
  EXPECT_EQ(thread.step_back().cpu, std::chrono::seconds(1'000'000));
}

/// Grants at once, and fails at the second request, as a serial line that is unplugged.
class FailingPort final : public SchedulerPort {
 public:
  Shape shape() const override { return port_.shape(); }
  void preload(Time at, std::uint32_t slot, const Configuration& c) override { port_.preload(at, slot, c); }
  void request(Time at, Connection c) override {
    if (requests_++ == 1) throw RunError("/dev/ttyUSB0: the serial line failed");
    port_.request(at, c);
  }
  void release(Time at, Connection c) override { port_.release(at, c); }
  void flush(Time at, Port source) override { port_.flush(at, source); }
  void advance(Time until, std::vector<Grant>& grants) override { port_.advance(until, grants); }
  Time next_change() const override { return port_.next_change(); }

 private:
  InstantPort port_{Shape{3, 1}, nullptr};
  int requests_ = 0;
};

TEST(ServiceThread, AFailedSchedulerGrantsNothingMoreAndTheJobGoesOn) {
  LiveMapping mapping = LiveMapping::create({std::vector<std::uint32_t>{0}, std::vector<Port>{0}, 3, 1});
  ServiceThread thread(
      std::make_unique<OwningService>(*mapping.region(), real_clock(),
                                      LiveArbiter(std::make_unique<FailingPort>(), {0}, 0),
                                      std::vector<std::uint32_t>{0}, std::vector<Port>{0}, nullptr,
                                      std::span<const std::unique_ptr<MessageRing>>()),
      {"", true, {}});
  LiveClient client(mapping.region(), 0);
  client.request(1);
  while (!client.established(1)) std::this_thread::yield();
  client.request(2);
  while (client.established(1)) std::this_thread::yield();
  thread.stop();
  EXPECT_FALSE(client.established(1) || client.established(2));
  EXPECT_EQ(thread.step_back().failure, "/dev/ttyUSB0: the serial line failed");
}

TEST(ServiceThread, DescribesItsCpusAndPriority) {
  LiveMapping mapping = LiveMapping::create({std::vector<std::uint32_t>{0}, std::vector<Port>{0}, 2, 1});
  const auto service = [&] {
    return std::make_unique<OwningService>(
        *mapping.region(), real_clock(),
        LiveArbiter(std::make_unique<InstantPort>(SchedulerPort::Shape{2, 1}, nullptr), {0}, 0),
        std::vector<std::uint32_t>{0}, std::vector<Port>{0}, nullptr,
        std::span<const std::unique_ptr<MessageRing>>());
  };
  EXPECT_THAT(ServiceThread(service(), {"", false, {}}).note(), HasSubstr("at lowest priority"));
  EXPECT_THAT(ServiceThread(service(), {"60000", true, {}}).note(), HasSubstr("refuses CPU 60000"));
  EXPECT_THROW(ServiceThread(service(), {"none", true, {}}), UserError);
}

}  // namespace
}  // namespace hybrid
