// A greedy scheduler on a serial line: an FPGA board, or hybrid-fpga-twin. docs/hardware.md specifies the
// protocol.
//
// Commands gather in frames of up to 255 bytes. Up to four frames are on the way at once, so that the line is
// busy while the device works; the device answers each. A frame without an answer for some time is sent
// again, with all after it; the device executes every frame once, in order.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "emulator/device/greedy_device.h"
#include "emulator/device/serial_frame.h"

namespace hybrid {

/// What a device reports about itself.
struct DeviceIdentity {
  std::uint8_t protocol = 0;  // version
  std::uint8_t design = 0;    // 1: greedy
  std::uint32_t ports = 0, slots = 0;
};

class SerialDevice final : public GreedyDevice {
 public:
  static constexpr std::uint8_t kProtocol = 1, kGreedyDesign = 1;
  static constexpr int kBaud = 1'000'000;

  /// Opens the line, empties the device and reads its identity. Throws UserError if `path` is not a serial
  /// line, if another program uses it, if nothing answers, or for another version of the protocol.
  explicit SerialDevice(const std::string& path);
  ~SerialDevice() override;
  SerialDevice(const SerialDevice&) = delete;
  SerialDevice& operator=(const SerialDevice&) = delete;

  const DeviceIdentity& identity() const { return identity_; }
  std::uint32_t ports() const override { return identity_.ports; }
  std::uint32_t slots() const override { return identity_.slots; }

  void set_request(Connection c, bool requested) override;
  void hold(std::uint32_t slot, Connection c) override;
  void drop(std::uint32_t slot, Port source) override;
  std::span<const Connection> pass(std::uint32_t slot, SchedulingPriority priority) override;

  /// Counters of the line since the start.
  struct Traffic {
    std::uint64_t sent_bytes = 0, received_bytes = 0;  // with framing, and with what was sent again
    std::uint64_t frames = 0, resent_frames = 0;
  };
  const Traffic& traffic() const { return traffic_; }

 private:
  struct Frame {
    std::uint8_t control = 0;
    std::vector<std::uint8_t> line;  // as sent
  };

  void add(std::initializer_list<std::uint8_t> command);
  void send_frame();
  void send(std::span<const std::uint8_t> bytes);
  void read_answer();
  void take_answer(std::span<const std::uint8_t> content);
  void reset();
  [[noreturn]] void fail(const std::string& problem) const;

  std::string path_;
  int line_ = -1;
  DeviceIdentity identity_;
  std::uint8_t sequence_ = 0;          // of the frame that gathers commands
  std::vector<std::uint8_t> content_;  // of that frame
  std::deque<Frame> unanswered_;       // oldest first, at most kWindow
  std::vector<std::uint8_t> answer_;   // results of the last answered frame
  FrameReader reader_;
  std::array<std::uint8_t, 4096> received_{};
  std::size_t received_begin_ = 0, received_end_ = 0;
  std::vector<Connection> toggles_;
  Traffic traffic_;
};

}  // namespace hybrid
