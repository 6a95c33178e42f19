#include "emulator/device/serial_device.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "core/error.h"
#include "emulator/scheduler/algorithm.h"

namespace hybrid {

namespace {

constexpr std::size_t kWindow = 4;         // frames on the way
constexpr std::size_t kMostContent = 255;  // bytes of a frame
constexpr std::uint8_t kReset = 0x80, kSequences = 0x80;
using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kAnswerTime{100};  // 10 times that of a full frame and its answer
constexpr int kMostTries = 50;
constexpr std::uint32_t kPortNumbers = 127, kSlotNumbers = 16;  // of commands

enum Command : std::uint8_t { kPass = 0x80, kHold = 0x90, kDrop = 0xa0 };
constexpr std::uint8_t kBit = 0x80;  // requested; established; end of a pass

}  // namespace

SerialDevice::SerialDevice(const std::string& path) : path_(path) {
  line_ = open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (line_ < 0)
    throw UserError(fmt::format("{}: cannot open the serial line: {}", path, std::strerror(errno)),
                    "Check that the board is connected and that you may use it (on Debian: group dialout).");
  termios settings{};
  const bool is_line = tcgetattr(line_, &settings) == 0;
  const bool is_ours = is_line && flock(line_, LOCK_EX | LOCK_NB) == 0;
  if (is_ours) {
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= ~static_cast<tcflag_t>(CSTOPB | PARENB | CRTSCTS);
    cfsetspeed(&settings, B1000000);
    tcsetattr(line_, TCSANOW, &settings);
    tcflush(line_, TCIOFLUSH);
  }
  try {
    if (!is_line) throw UserError(path + ": not a serial line", "Give a device such as serial:/dev/ttyUSB0.");
    if (!is_ours) throw UserError(path + ": another program uses the scheduler", "Wait for it to end.");
    reset();
  } catch (...) {
    close(line_);
    throw;
  }
}

SerialDevice::~SerialDevice() { close(line_); }

void SerialDevice::fail(const std::string& problem) const {
  throw RunError(fmt::format("{}: {}", path_, problem), "Check the line and the board, then run again.");
}

void SerialDevice::reset() {
  content_ = {static_cast<std::uint8_t>(kReset | sequence_)};
  send_frame();
  try {
    while (!unanswered_.empty()) read_answer();
  } catch (const RunError&) {
    throw UserError(
        path_ + ": no scheduler answers",
        "Program the board (docs/hardware.md) or start hybrid-fpga-twin; the line runs at 1 Mbaud.");
  }
  if (answer_.size() < 4) fail("the scheduler's identity is incomplete");
  identity_ = {answer_[0], answer_[1], answer_[2], answer_[3]};
  if (identity_.protocol != kProtocol || identity_.design != kGreedyDesign)
    throw UserError(
        fmt::format("{}: design {} with version {} of the protocol; expected design {} with version {}",
                    path_, identity_.design, identity_.protocol, kGreedyDesign, kProtocol),
        "Program the board with a bitstream of this release.");
  if (identity_.ports - 1 >= kPortNumbers || identity_.slots - 1 >= kSlotNumbers)
    throw UserError(fmt::format("{}: a scheduler of {} ports and {} slots; expected 1 to {} and 1 to {}",
                                path_, identity_.ports, identity_.slots, kPortNumbers, kSlotNumbers),
                    "Check that the line belongs to the scheduler, and program the board again.");
}

void SerialDevice::add(std::initializer_list<std::uint8_t> command) {
  if (content_.size() + command.size() > kMostContent) send_frame();
  content_.insert(content_.end(), command);
}

void SerialDevice::set_request(Connection c, bool requested) {
  add({static_cast<std::uint8_t>(c.source),
       static_cast<std::uint8_t>(c.destination | (requested ? kBit : 0))});
}

void SerialDevice::hold(std::uint32_t slot, Connection c) {
  add({static_cast<std::uint8_t>(kHold | slot), static_cast<std::uint8_t>(c.source),
       static_cast<std::uint8_t>(c.destination)});
}

void SerialDevice::drop(std::uint32_t slot, Port source) {
  add({static_cast<std::uint8_t>(kDrop | slot), static_cast<std::uint8_t>(source)});
}

std::span<const Connection> SerialDevice::pass(std::uint32_t slot, SchedulingPriority priority) {
  add({static_cast<std::uint8_t>(kPass | slot), static_cast<std::uint8_t>(priority.input),
       static_cast<std::uint8_t>(priority.output)});
  send_frame();
  while (!unanswered_.empty()) read_answer();
  toggles_.clear();
  std::size_t i = 0;
  for (; i + 1 < answer_.size() && (answer_[i] & kBit) == 0; i += 2)
    toggles_.push_back({answer_[i], answer_[i + 1] & static_cast<Port>(~kBit)});
  if (i + 1 != answer_.size() || answer_[i] != kBit) fail("the scheduler's answer to a pass is incomplete");
  return toggles_;
}

/// Sends the gathered commands; waits while the window is full.
void SerialDevice::send_frame() {
  while (unanswered_.size() >= kWindow) read_answer();
  Frame frame{content_[0], {}};
  append_frame(content_, frame.line);
  sequence_ = (sequence_ + 1) % kSequences;
  content_.assign(1, sequence_);
  ++traffic_.frames;
  unanswered_.push_back(std::move(frame));
  send(unanswered_.back().line);
}

void SerialDevice::send(std::span<const std::uint8_t> rest) {
  while (!rest.empty()) {
    const ssize_t sent = write(line_, rest.data(), rest.size());
    if (sent > 0) {
      traffic_.sent_bytes += static_cast<std::uint64_t>(sent);
      rest = rest.subspan(static_cast<std::size_t>(sent));
      continue;
    }
    if (sent < 0 && errno != EAGAIN && errno != EINTR)
      fail(fmt::format("the serial line failed: {}", std::strerror(errno)));
    pollfd wait{line_, POLLOUT, 0};
    if (poll(&wait, 1, kMostTries * static_cast<int>(kAnswerTime.count())) == 0)
      fail("the serial line accepts no more bytes");
  }
}

/// Waits for the answer of the oldest frame. Sends all unanswered frames again after each kAnswerTime without
/// it, whatever else arrives.
void SerialDevice::read_answer() {
  const std::size_t before = unanswered_.size();
  Clock::time_point deadline = Clock::now() + kAnswerTime;
  for (int tries = 1;;) {
    for (; received_begin_ < received_end_; ++received_begin_)
      if (reader_.take(received_[received_begin_])) {
        take_answer(reader_.content());
        if (unanswered_.size() != before) {
          ++received_begin_;
          return;
        }
      }
    pollfd wait{line_, POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    const int ready = left.count() <= 0 ? 0 : poll(&wait, 1, static_cast<int>(left.count()));
    if (ready == 0) {
      if (++tries > kMostTries)
        fail(fmt::format("no answer from the scheduler in {} ms", kMostTries * kAnswerTime.count()));
      deadline = Clock::now() + kAnswerTime;
      send(std::array{kFrameFlag});  // ends what arrived damaged
      for (const Frame& frame : unanswered_) send(frame.line);
      traffic_.resent_frames += unanswered_.size();
      continue;
    }
    if (ready < 0 && errno == EINTR) continue;
    // Does not block. NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection)
    const ssize_t got = read(line_, received_.data(), received_.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0)
      fail(got == 0 ? "the serial line was closed"
                    : fmt::format("the serial line failed: {}", std::strerror(errno)));
    traffic_.received_bytes += static_cast<std::uint64_t>(got);
    received_begin_ = 0;
    received_end_ = static_cast<std::size_t>(got);
  }
}

/// Answers come in the order of the frames; others are repetitions.
void SerialDevice::take_answer(std::span<const std::uint8_t> content) {
  if (unanswered_.empty() || content[0] != unanswered_.front().control) return;
  answer_.assign(content.begin() + 1, content.end());
  unanswered_.pop_front();
}

namespace {

/// The device at `path`, which all schedulers of the process on that line share: a job is emulated several
/// times, in threads.
std::shared_ptr<SharedDevice> shared_device(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<SharedDevice>> open;
  const std::lock_guard lock(mutex);
  std::weak_ptr<SharedDevice>& known = open[path];
  auto device = known.lock();
  if (device == nullptr) {
    device = std::make_shared<SharedDevice>("the device at " + path, std::make_unique<SerialDevice>(path));
    known = device;
  }
  return device;
}

class SerialAlgorithm final : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<SerialAlgorithm>(); }
  std::unique_ptr<Scheduler> one_slot(const SchedulerShape& shape) const override {
    return std::make_unique<DeviceScheduler>(shape, shared_device(shape.device));
  }
  bool schedules_one_slot() const override { return true; }
};

const SchedulerRegistration kSerial{"serial:DEVICE",
                                    "greedy on an FPGA behind a serial line, such as serial:/dev/ttyUSB0",
                                    &SerialAlgorithm::make,
                                    {.argument = true}};

}  // namespace

}  // namespace hybrid
