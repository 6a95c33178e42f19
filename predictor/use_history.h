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

// Functions that prepare a timeline for the search of phases: the window length, and the connections to
// ignore.

/// Removes the windows without sends. Requires: the timeline has messages.
void drop_empty_windows(UseHistory::Timeline& timeline);

/// The same messages in fewer windows: window w becomes a part of window window_after[w]. Requires: the new
/// numbers are 0, 1, ... without gaps.
UseHistory::Timeline join_windows(const UseHistory::Timeline& timeline,
                                  const std::vector<std::size_t>& window_after);

/// Joins as few neighbouring windows as necessary so that, in at least half of the job, neighbouring windows
/// use mostly the same connections (weighted by their messages). Returns the new window of each, for
/// join_windows(). A window then contains at least one iteration of the job's loops; shorter windows would
/// show the order of the sends within an iteration as changes of the working set. Half of the job is enough,
/// so that a slow loop in one part does not widen the windows of a fast loop in another. The new windows have
/// equal shares of the job (cumulative_shares), so that a part that takes long (the first use of every
/// buffer, a rank that waits) does not take more windows than its share. No window is empty. Search by
/// halving, then to within an eighth: about 12 steps of O(uses x windows).
std::vector<std::size_t> widen_to_recurrence(const UseHistory::Timeline& timeline);

/// By index of timeline.uses: whether the connection is a stray. A stray satisfies both conditions: in nine
/// of ten windows that use it, the median of the connections has at least eight times its messages; and it is
/// used in at most two windows, or mostly with gaps of at least three windows without use. A rare but steady
/// connection (the all-reduce of a loop) and a burst of many connections that are used once (an all-to-all)
/// are not strays.
std::vector<bool> find_strays(const UseHistory::Timeline& timeline);

/// The share of the job in windows 0 .. w-1 at index w (windows + 1 values): half by the number of windows,
/// half by messages.
std::vector<double> cumulative_shares(const UseHistory::Timeline& timeline);

}  // namespace hybrid
