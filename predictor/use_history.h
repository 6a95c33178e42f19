// UseHistory: the use of each connection during a job: one bit for each connection and window of time.
//
// There are at most kWindows windows of equal length. If a message is outside of them, the length doubles.
// The history of a job of any length contains all connections, with a resolution in time of 1/512 to 1/256 of
// the job. It does not depend on the order of the messages: the ranks may be added one after the other.
// Memory: about 112 bytes for each distinct connection, for any number of messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"
#include "core/time.h"
#include "core/units.h"

namespace hybrid {

class UseHistory {
 public:
  static constexpr std::size_t kWindows = 512;
  using WindowSet = std::array<Word, kWindows / kWordBits>;

  struct Use {
    Connection connection;
    std::uint64_t messages = 0;
    WindowSet windows{};  // those in which the connection was used
  };
  /// All messages of one window, of any connection.
  struct Window {
    Time first = Time::never(), last{};  // times of the messages; not set without messages
    std::uint64_t messages = 0;
    Bytes bytes = 0;
    void add(const Window& other);
  };
  struct Timeline {
    std::vector<Window> windows;  // in time order; the first and last are not empty
    std::vector<Use> uses;        // ascending by connection
  };

  void add(Time at, Connection connection, Bytes bytes);
  /// Returns the history so far, and clears it.
  Timeline take();

 private:
  static constexpr std::int64_t kMask = kWindows - 1;
  void make_room(std::int64_t ps);
  void double_length();

  // The number of a window is its begin >> shift_. The window is stored at number & kMask, so that the range
  // of numbers in use, first_ .. last_, can grow at both ends.
  int shift_ = 10;  // windows of about 1 ns
  std::int64_t first_ = 0, last_ = -1;
  std::array<Window, kWindows> windows_{};
  std::vector<Use> uses_;
  std::unordered_map<Connection, std::uint32_t> index_;
};

}  // namespace hybrid
