// DeviceScheduler on a device in C++ that stores R and K slots as greedy_rows.sv does, and the frames of the
// line.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>  // posix_openpt
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "emulator/device/greedy_device.h"
#include "emulator/device/serial_device.h"
#include "emulator/device/serial_frame.h"
#include "emulator/scheduler/greedy.h"
#include "emulator/scheduler/testing/random_passes.h"

namespace hybrid {
namespace {

/// `ports` and `k` of the device; checks the preconditions of its commands. `fault`: adds an impossible
/// toggle.
class ModelDevice final : public GreedyDevice {
 public:
  ModelDevice(std::uint32_t ports, std::uint32_t k, std::uint64_t& commands, bool fault = false)
      : state_(ports, k), scheduler_({ports}), commands_(commands), fault_(fault) {}

  std::uint32_t ports() const override { return static_cast<std::uint32_t>(state_.ports()); }
  std::uint32_t slots() const override { return static_cast<std::uint32_t>(state_.slots.size()); }
  void set_request(Connection c, bool requested) override {
    ++commands_;
    EXPECT_NE(state_.requests.test(c.source, c.destination), requested) << "a command without effect";
    if (requested)
      state_.requests.set(c.source, c.destination);
    else
      state_.requests.reset(c.source, c.destination);
  }
  void hold(std::uint32_t slot, Connection c) override {
    ++commands_;
    EXPECT_TRUE(state_.hold(slot, c));
  }
  void drop(std::uint32_t slot, Port source) override {
    ++commands_;
    const Port held = state_.slots[slot].destination_of(source);
    ASSERT_NE(held, kNoPort);
    state_.slots[slot].remove({source, held});
    state_.established.reset(source, held);
  }
  std::span<const Connection> pass(std::uint32_t slot, SchedulingPriority priority) override {
    const auto toggles = scheduler_.pass(state_.pass(slot, priority));
    result_.assign(toggles.begin(), toggles.end());
    state_.toggle(slot, toggles);
    if (fault_) result_.push_back({0, 0});
    return result_;
  }

 private:
  SlotState state_;
  GreedyScheduler scheduler_;
  std::vector<Connection> result_;
  std::uint64_t& commands_;
  bool fault_;
};

std::shared_ptr<SharedDevice> shared_model(std::uint32_t ports, std::uint32_t k, std::uint64_t& commands,
                                           bool fault = false) {
  return std::make_shared<SharedDevice>("the model",
                                        std::make_unique<ModelDevice>(ports, k, commands, fault));
}

/// A switch whose scheduler is a device, beside its model.
class BothSides {
 public:
  BothSides(std::uint32_t ports, std::size_t slots, std::shared_ptr<SharedDevice> device, std::uint64_t seed)
      : model_({ports}), device_({ports}, std::move(device)), passes_(ports, slots, model_, device_, seed) {}
  std::string pass() { return passes_.pass(); }

 private:
  GreedyScheduler model_;
  DeviceScheduler device_;
  RandomPasses passes_;
};

TEST(DeviceScheduler, AnyNumberOfSlotsGivesTheTogglesOfGreedy) {
  for (const std::uint32_t slots : {1u, 2u, 3u, 7u})
    for (const std::uint32_t device_slots : {1u, 2u, 4u}) {
      std::uint64_t commands = 0;
      BothSides both(12, slots, shared_model(16, device_slots, commands), slots * 10 + device_slots);
      for (int i = 0; i < 2000; ++i) ASSERT_EQ(both.pass(), "");
    }
}

TEST(DeviceScheduler, SwitchesOfDifferentSizesShareADevice) {
  std::uint64_t commands = 0;
  const auto device = shared_model(16, 4, commands);
  BothSides small(3, 5, device, 1), large(16, 2, device, 2), middle(9, 4, device, 3);
  Random random(4);
  for (int i = 0; i < 2000; ++i) {
    BothSides& side = i % 100 < 20 ? small : random.below(2) == 0 ? large : middle;
    ASSERT_EQ(side.pass(), "");
  }
}

TEST(DeviceScheduler, APassWithoutChangesSendsNothing) {
  std::uint64_t commands = 0;
  DeviceScheduler device({8}, shared_model(8, 2, commands));
  SlotState state(8, 2);
  state.requests.set(1, 2);
  state.toggle(0, device.pass(state.pass(0)));
  EXPECT_EQ(commands, 1);
  EXPECT_THAT(device.pass(state.pass(0)), testing::IsEmpty());
  EXPECT_EQ(commands, 1);
}

TEST(DeviceScheduler, AnImpossibleToggleIsAnError) {
  std::uint64_t commands = 0;
  DeviceScheduler device({8}, shared_model(8, 2, commands, true));
  const SlotState state(8, 2);
  EXPECT_THROW(device.pass(state.pass(0)), RunError);
}

TEST(DeviceScheduler, ADeviceWithTooFewPortsIsRefused) {
  std::uint64_t commands = 0;
  EXPECT_THROW(DeviceScheduler({9}, shared_model(8, 2, commands)), UserError);
}

/// The other end of a serial line: answers each good frame with `answer(content)`, and sends `noise` all the
/// time.
class OtherEnd {
 public:
  using Bytes = std::vector<std::uint8_t>;
  OtherEnd(std::function<Bytes(std::span<const std::uint8_t>)> answer, Bytes noise = {})
      : answer_(std::move(answer)), noise_(std::move(noise)) {
    end_ = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (end_ < 0 || grantpt(end_) != 0 || unlockpt(end_) != 0) throw std::runtime_error("no pseudo-terminal");
    path_ = ptsname(end_);
    host_ = open(path_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);  // so that the line stays open without a host
    thread_ = std::thread([this] { run(); });
  }
  ~OtherEnd() {
    stops_ = true;
    thread_.join();
    close(host_);
    close(end_);
  }
  OtherEnd(const OtherEnd&) = delete;
  OtherEnd& operator=(const OtherEnd&) = delete;
  const std::string& path() const { return path_; }

 private:
  void run() {
    FrameReader reader;
    while (!stops_) {
      pollfd wait{end_, static_cast<short>(noise_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
      poll(&wait, 1, 10);
      Bytes received(1024), line;
      const ssize_t got = read(end_, received.data(), received.size());
      for (ssize_t i = 0; i < got; ++i)
        if (reader.take(received[static_cast<std::size_t>(i)])) append_frame(answer_(reader.content()), line);
      line.insert(line.end(), noise_.begin(), noise_.end());
      [[maybe_unused]] const ssize_t sent = write(end_, line.data(), line.size());
    }
  }

  std::function<Bytes(std::span<const std::uint8_t>)> answer_;
  Bytes noise_;
  std::string path_;
  int end_ = -1, host_ = -1;
  std::atomic<bool> stops_{false};
  std::thread thread_;
};

TEST(SerialDevice, ALineThatNeverStopsSendingIsAnError) {
  const auto silent = [](auto) { return OtherEnd::Bytes(); };
  EXPECT_THROW(SerialDevice(OtherEnd(silent, OtherEnd::Bytes(500, 0x55)).path()), UserError);
}

TEST(SerialDevice, AnIdentityOutsideOfTheProtocolIsRefused) {
  for (const auto& [ports, slots] : {std::pair{64, 0}, {0, 16}, {128, 16}, {64, 17}}) {
    const OtherEnd line([=](std::span<const std::uint8_t> content) {
      return OtherEnd::Bytes{content[0], SerialDevice::kProtocol, SerialDevice::kGreedyDesign,
                             static_cast<std::uint8_t>(ports), static_cast<std::uint8_t>(slots)};
    });
    EXPECT_THROW(SerialDevice device(line.path()), UserError) << ports << " ports, " << slots << " slots";
  }
  const OtherEnd line([](std::span<const std::uint8_t> content) {
    return OtherEnd::Bytes{content[0], SerialDevice::kProtocol, SerialDevice::kGreedyDesign, 127, 1};
  });
  EXPECT_EQ(SerialDevice(line.path()).ports(), 127);
}

TEST(SerialFrame, TheChecksumIsThatOfRfc1662) {
  std::uint16_t fcs = kFirstFcs;
  for (const char byte : std::string("123456789")) fcs = fcs_after(fcs, static_cast<std::uint8_t>(byte));
  EXPECT_EQ(static_cast<std::uint16_t>(~fcs), 0x906e);  // the check value of CRC-16/X-25
}

TEST(SerialFrame, FramesWithAnyBytesAreReadBack) {
  Random random(1);
  std::vector<std::vector<std::uint8_t>> contents;
  std::vector<std::uint8_t> line;
  for (int frame = 0; frame < 300; ++frame) {
    std::vector<std::uint8_t> content(1 + random.below(100));
    for (std::uint8_t& byte : content)
      byte = random.below(3) == 0 ? std::uint8_t{0x7e} : static_cast<std::uint8_t>(random.below(256));
    append_frame(content, line);
    contents.push_back(content);
  }
  FrameReader reader;
  std::size_t frame = 0;
  for (const std::uint8_t byte : line)
    if (reader.take(byte)) {
      ASSERT_LT(frame, contents.size());
      EXPECT_THAT(reader.content(), testing::ElementsAreArray(contents[frame++]));
    }
  EXPECT_EQ(frame, contents.size());
}

TEST(SerialFrame, DamageLosesFramesAndNeverChangesOne) {
  Random random(2);
  const std::vector<std::uint8_t> content{1, 2, 3, 0x7e, 5, 6, 7};
  std::uint64_t good = 0;
  FrameReader reader;
  for (int frame = 0; frame < 20'000; ++frame) {
    std::vector<std::uint8_t> line;
    append_frame(content, line);
    const std::size_t at = random.below(line.size());
    switch (random.below(4)) {
      case 0:
        line[at] ^= static_cast<std::uint8_t>(1 + random.below(255));
        break;
      case 1:
        line.erase(line.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 2:
        line.insert(line.begin() + static_cast<std::ptrdiff_t>(at), line[at]);
        break;
      default:
        break;
    }
    for (const std::uint8_t byte : line)
      if (reader.take(byte)) {
        ++good;
        ASSERT_THAT(reader.content(), testing::ElementsAreArray(content));
      }
  }
  EXPECT_GT(good, 20'000 / 8);
}

TEST(SerialDevice, WhatIsNoSerialLineIsRefused) {
  EXPECT_THROW(SerialDevice("/no/such/line"), UserError);
  EXPECT_THROW(SerialDevice("/dev/null"), UserError);
}

}  // namespace
}  // namespace hybrid
