// When each connection was used, over the whole of a job: one bit per connection and window of time.
//
// There are at most kWindows windows, all of one length. When a message falls outside of them, the length
// doubles. So the history of a job of any length is exact in its connections and resolves 1/512 to 1/256 of
// the job in time; and it does not depend on the order in which messages come: ranks may be fed in turn.
// Memory: 112 bytes or so for each distinct connection, never more than for ports x ports of them, however
// many the messages.
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
    Time first = Time::never(), last{};  // of its messages; not set where there are none
    std::uint64_t messages = 0;
    Bytes bytes = 0;
    void add(const Window& other);
  };
  struct Timeline {
    std::vector<Window> windows;  // in time order; the first and last are not empty
    std::vector<Use> uses;        // ascending by connection
  };

  void add(Time at, Connection connection, Bytes bytes);
  /// Everything so far; the history is empty afterwards.
  Timeline take();

 private:
  static constexpr std::int64_t kMask = kWindows - 1;
  void make_room(std::int64_t ps);
  void double_length();

  // A window's number is its begin >> shift_. It is kept at number & kMask, so that the range of numbers in
  // use, first_ .. last_, can grow both ways.
  int shift_ = 10;  // windows of about 1 ns
  std::int64_t first_ = 0, last_ = -1;
  std::array<Window, kWindows> windows_{};
  std::vector<Use> uses_;
  std::unordered_map<Connection, std::uint32_t> index_;
};

}  // namespace hybrid
