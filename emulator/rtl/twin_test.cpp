// SerialDevice against the twin of the FPGA: the same grants as the C++ model, over a clean and over a bad
// line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "emulator/device/serial_device.h"
#include "emulator/device/serial_frame.h"
#include "emulator/rtl/device_line.h"
#include "emulator/rtl/fpga_twin.h"
#include "emulator/scheduler/greedy.h"
#include "emulator/scheduler/testing/random_passes.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

/// A twin that runs as long as this object exists.
class RunningTwin {
 public:
  explicit RunningTwin(const LineNoise& noise = {}) : twin_(noise), thread_([this] { twin_.run(); }) {}
  ~RunningTwin() {
    twin_.stop();
    thread_.join();
  }
  RunningTwin(const RunningTwin&) = delete;
  RunningTwin& operator=(const RunningTwin&) = delete;
  std::string scheduler() const { return "serial:" + twin_.path(); }
  const std::string& path() const { return twin_.path(); }

 private:
  FpgaTwin twin_;
  std::thread thread_;
};

void expect_grants_of_greedy(const std::string& scheduler, std::uint32_t ports, int passes,
                             std::uint64_t seed) {
  const auto device = make_one_slot_scheduler(scheduler, {ports});
  GreedyScheduler model({ports});
  RandomPasses both(ports, 3, model, *device, seed);
  for (int pass = 0; pass < passes; ++pass) ASSERT_EQ(both.pass(), "");
}

TEST(FpgaTwin, GrantsAreThoseOfGreedy) {
  const RunningTwin twin;
  for (const std::uint32_t ports : {2u, 5u, 16u, 64u})
    expect_grants_of_greedy(twin.scheduler(), ports, 60, ports);
}

TEST(FpgaTwin, ChangedLostAndDoubledBytesDoNotChangeTheGrants) {
  const RunningTwin twin({.changed = 0.002, .dropped = 0.002, .doubled = 0.002, .seed = 3});
  expect_grants_of_greedy(twin.scheduler(), 16, 150, 1);
}

TEST(FpgaTwin, ASwitchWithTheDeviceGivesTheMeasuresOfTheModel) {
  const RunningTwin twin;
  for (const char* const technique : {"tdm", "hybrid"}) {
    SwitchParameters p;
    p.nodes = 8;
    p.technique = technique;
    TrafficOptions traffic;
    traffic.pattern = "random-mesh";
    const Measures model = simulate(p, traffic);
    p.scheduler_name = twin.scheduler();
    const Measures device = simulate(p, traffic);
    EXPECT_GT(model.messages, 0);
    EXPECT_EQ(device.messages, model.messages);
    EXPECT_EQ(device.time, model.time) << technique;
    EXPECT_EQ(device.hit_rate, model.hit_rate) << technique;
    EXPECT_EQ(device.ports, model.ports) << technique;
  }
}

TEST(FpgaTwin, ItReportsWhatItIs) {
  const RunningTwin twin;
  const SerialDevice device(twin.path());
  EXPECT_EQ(device.ports(), 64);
  EXPECT_EQ(device.slots(), 16);
}

TEST(FpgaTwin, OneHostAtATime) {
  const RunningTwin twin;
  const SerialDevice device(twin.path());
  EXPECT_THROW(SerialDevice(twin.path()), UserError);
}

TEST(FpgaTwin, ALineThatEndsIsAnError) {
  auto twin = std::make_unique<RunningTwin>();
  const auto device = make_one_slot_scheduler(twin->scheduler(), {8});
  SlotState state(8);
  state.requests.set(1, 2);
  state.toggle(0, device->pass(state.pass(0)));
  twin.reset();
  state.requests.set(2, 3);
  EXPECT_THROW(device->pass(state.pass(0)), RunError);
}

/// The answers of a device to frames with these contents, one after the other.
std::vector<std::vector<std::uint8_t>> answers_to(const std::vector<std::vector<std::uint8_t>>& contents) {
  DeviceLine line;
  FrameReader reader;
  std::vector<std::vector<std::uint8_t>> answers;
  for (const std::vector<std::uint8_t>& content : contents) {
    std::vector<std::uint8_t> bytes;
    append_frame(content, bytes);
    for (const std::uint8_t byte : bytes) line.send(byte);
    for (const std::size_t before = answers.size(); answers.size() == before;)
      if (const std::optional<std::uint8_t> byte = line.clock(); byte && reader.take(*byte))
        answers.emplace_back(reader.content().begin(), reader.content().end());
  }
  return answers;
}

TEST(DeviceLine, APassIsTheLastCommandOfItsFrame) {
  // After the pass: a request of input 1, and another pass.
  const auto answers = answers_to({{0x80}, {1, 5, 0x86, 0x80, 0, 0, 1, 0x82, 0x80, 0, 0}, {2, 0x80, 0, 0}});
  EXPECT_THAT(answers[1], testing::ElementsAre(1, 5, 0x86, 0x80));
  EXPECT_THAT(answers[2], testing::ElementsAre(2, 0x80));
}

TEST(DeviceLine, TheLongestAnswerIsComplete) {
  // Every input releases a connection, and all but the first take the output that the input before released.
  constexpr std::uint8_t kPorts = 64;
  std::vector<std::vector<std::uint8_t>> contents{{0x80}};
  for (const bool first : {true, false})
    for (std::uint8_t u = 0; u < kPorts; ++u) {
      const auto v = static_cast<std::uint8_t>(first ? kPorts - 1 - u : (kPorts - u) % kPorts);
      contents.push_back(
          {static_cast<std::uint8_t>(contents.size() % 128), u, static_cast<std::uint8_t>(v | 0x80)});
      if (!first)
        contents.back().insert(contents.back().end(), {u, static_cast<std::uint8_t>(kPorts - 1 - u)});
      if (u + 1 == kPorts) contents.back().insert(contents.back().end(), {0x80, 0, 0});
    }
  EXPECT_EQ(answers_to(contents).back().size(), 4 * kPorts);
}

TEST(DeviceLine, FourFramesOnTheWayKeepTheLineBusy) {
  // A host that sends full frames of requests with a pass each, and the next frame when an answer leaves
  // room.
  constexpr std::uint32_t kFrames = 100, kWindow = 4, kPorts = 64;
  DeviceLine line;
  Random random(5);
  FrameReader answers;
  std::vector<std::uint8_t> content{0x80}, bytes;  // a reset
  std::uint32_t sent = 0, answered = 0;
  std::uint64_t clocks = 0, in_use = 0;
  while (answered < kFrames) {
    if (sent < kFrames && sent < answered + kWindow && (sent == 0 || answered > 0)) {
      bytes.clear();
      append_frame(content, bytes);
      for (const std::uint8_t byte : bytes) line.send(byte);
      ++sent;
      content = {static_cast<std::uint8_t>(sent % 128)};
      while (content.size() + 2 + 3 <= 255) {
        content.push_back(static_cast<std::uint8_t>(random.below(kPorts)));
        content.push_back(static_cast<std::uint8_t>(random.below(kPorts) | (random.below(2) << 7)));
      }
      content.insert(content.end(), {static_cast<std::uint8_t>(0x80 + sent % 4), 0, 0});
    }
    const std::optional<std::uint8_t> byte = line.clock();
    if (answered > 0 && sent < kFrames) {
      ++clocks;
      in_use += line.line_in_use() ? 1 : 0;
    }
    if (byte && answers.take(*byte)) {
      ASSERT_EQ(answers.content().front() & 0x7f, answered % 128) << "in order, each once";
      ++answered;
    }
  }
  const double use = static_cast<double>(in_use) / static_cast<double>(clocks);
  EXPECT_GE(use, 0.8);
  RecordProperty("use", std::to_string(use));
}

}  // namespace
}  // namespace hybrid
