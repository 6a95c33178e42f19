#include "emulator/rtl/fpga_twin.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdlib.h>  // posix_openpt
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <deque>

#include "core/error.h"
#include "core/random.h"
#include "emulator/rtl/device_line.h"

namespace hybrid {

namespace {

constexpr int kIdleClocks = 4 * DeviceLine::kByteClocks;  // without activity, after which the design rests

/// Passes bytes on, with damage.
class NoisyLine {
 public:
  explicit NoisyLine(const LineNoise& noise) : noise_(noise), random_(noise.seed) {}

  template <class Pass>
  void pass(std::uint8_t byte, Pass&& pass_on) {
    if (happens(noise_.dropped)) return;
    if (happens(noise_.changed)) byte ^= static_cast<std::uint8_t>(1 + random_.below(255));
    pass_on(byte);
    if (happens(noise_.doubled)) pass_on(byte);
  }

 private:
  bool happens(double share) {
    constexpr std::uint64_t kSteps = 1'000'000;
    return share > 0 && static_cast<double>(random_.below(kSteps)) < share * kSteps;
  }
  LineNoise noise_;
  Random random_;
};

}  // namespace

class FpgaTwin::Board {
 public:
  explicit Board(const LineNoise& noise) : noise_(noise), bytes_left_(noise.ends_after) {
    host_ = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    stop_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    std::array<char, 128> name{};
    if (host_ < 0 || stop_ < 0 || grantpt(host_) != 0 || unlockpt(host_) != 0 ||
        ptsname_r(host_, name.data(), name.size()) != 0)
      throw RunError(fmt::format("cannot open a pseudo-terminal: {}", std::strerror(errno)));
    path_ = name.data();
    // While this end of the line is open, reads of the other end do not fail when a host leaves.
    line_ = open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios settings{};
    tcgetattr(line_, &settings);
    cfmakeraw(&settings);
    tcsetattr(line_, TCSANOW, &settings);
  }
  ~Board() {
    close(line_);
    close(host_);
    close(stop_);
  }
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  const std::string& path() const { return path_; }
  void stop() {
    const std::uint64_t one = 1;
    if (write(stop_, &one, sizeof one) < 0) return;  // it is already set
  }

  void run() {
    while (read_line()) {
      for (int clock = 0; clock < DeviceLine::kByteClocks; ++clock) {
        if (const auto byte = design_.clock(); byte)
          noise_.pass(*byte, [this](std::uint8_t b) { to_host_.push_back(b); });
        idle_clocks_ = design_.active() ? 0 : idle_clocks_ + 1;
      }
      write_line();
    }
  }

 private:
  /// Takes what the host has sent; waits for it while there is nothing to do. Returns false after stop() and
  /// at the end of the line.
  bool read_line() {
    const bool rests = idle_clocks_ > kIdleClocks && design_.waiting() == 0 && to_host_.empty();
    std::array<pollfd, 2> wait{{{host_, POLLIN, 0}, {stop_, POLLIN, 0}}};
    // The host's queue is the terminal's: at most a frame or two wait here.
    if (design_.waiting() < 512 || rests) {
      if (poll(wait.data(), wait.size(), rests ? -1 : 0) > 0 && (wait[0].revents & POLLIN) != 0) {
        std::array<std::uint8_t, 512> bytes{};
        const ssize_t got = ::read(host_, bytes.data(), bytes.size());
        for (ssize_t i = 0; i < got; ++i) {
          if (bytes_left_ != 0 && --bytes_left_ == 0) return false;
          noise_.pass(bytes[static_cast<std::size_t>(i)], [this](std::uint8_t b) { design_.send(b); });
        }
      }
    } else {
      poll(&wait[1], 1, 0);
    }
    return (wait[1].revents & POLLIN) == 0;
  }

  void write_line() {
    while (!to_host_.empty()) {
      const std::uint8_t byte = to_host_.front();
      if (::write(host_, &byte, 1) != 1) return;  // the terminal is full
      to_host_.pop_front();
    }
  }

  DeviceLine design_;
  NoisyLine noise_;
  std::uint64_t bytes_left_;  // from the host, before the line ends; 0: any number
  int host_ = -1, line_ = -1, stop_ = -1;
  std::string path_;
  std::deque<std::uint8_t> to_host_;
  int idle_clocks_ = 0;
};

FpgaTwin::FpgaTwin(const LineNoise& noise) : board_(std::make_unique<Board>(noise)) {}
FpgaTwin::~FpgaTwin() = default;
const std::string& FpgaTwin::path() const { return board_->path(); }
void FpgaTwin::run() { board_->run(); }
void FpgaTwin::stop() { board_->stop(); }

}  // namespace hybrid
