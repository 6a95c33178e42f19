#include "predictor/use_history.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hybrid {

void UseHistory::Window::add(const Window& other) {
  if (other.messages == 0) return;
  first = std::min(first, other.first);
  last = messages == 0 ? other.last : std::max(last, other.last);
  messages += other.messages;
  bytes += other.bytes;
}

void UseHistory::add(Time at, Connection connection, Bytes bytes) {
  make_room(at.ps);
  const auto place = static_cast<std::size_t>(at.ps >> shift_ & kMask);
  windows_[place].add({at, at, 1, bytes});

  const auto [entry, is_new] = index_.try_emplace(connection, static_cast<std::uint32_t>(uses_.size()));
  if (is_new) uses_.push_back({connection, 0, {}});
  Use& use = uses_[entry->second];
  ++use.messages;
  use.windows[place / kWordBits] |= bit_of(place);
}

void UseHistory::make_room(std::int64_t ps) {
  if (last_ < first_) {
    first_ = last_ = ps >> shift_;
    return;
  }
  while (std::max(last_, ps >> shift_) - std::min(first_, ps >> shift_) > kMask) double_length();
  first_ = std::min(first_, ps >> shift_);
  last_ = std::max(last_, ps >> shift_);
}

void UseHistory::double_length() {
  const auto place_after = [&](std::size_t place) {
    const std::int64_t number = first_ + ((static_cast<std::int64_t>(place) - first_) & kMask);
    return static_cast<std::size_t>(number >> 1 & kMask);
  };
  for (Use& use : uses_) {
    WindowSet merged{};
    for_each_port(use.windows, [&](std::size_t place) {
      const std::size_t after = place_after(place);
      merged[after / kWordBits] |= bit_of(after);
    });
    use.windows = merged;
  }
  std::array<Window, kWindows> merged{};
  for (std::size_t place = 0; place < kWindows; ++place) merged[place_after(place)].add(windows_[place]);
  windows_ = merged;
  ++shift_;
  first_ >>= 1;
  last_ >>= 1;
}

UseHistory::Timeline UseHistory::take() {
  Timeline timeline;
  for (std::int64_t number = first_; number <= last_; ++number)
    timeline.windows.push_back(windows_[static_cast<std::size_t>(number & kMask)]);
  for (Use& use : uses_) {
    WindowSet in_order{};
    for_each_port(use.windows, [&](std::size_t place) {
      const auto position = static_cast<std::size_t>((static_cast<std::int64_t>(place) - first_) & kMask);
      in_order[position / kWordBits] |= bit_of(position);
    });
    use.windows = in_order;
  }
  std::sort(uses_.begin(), uses_.end(),
            [](const Use& a, const Use& b) { return a.connection < b.connection; });
  timeline.uses = std::move(uses_);
  *this = {};
  return timeline;
}

namespace {

using Timeline = UseHistory::Timeline;
using Use = UseHistory::Use;
using Window = UseHistory::Window;
using WindowSet = UseHistory::WindowSet;

bool contains(const WindowSet& set, std::size_t window) {
  return (set[window / kWordBits] & bit_of(window)) != 0;
}

// Assigns each window to one of `count` windows with equal shares of the job, numbered without gaps.
std::vector<std::size_t> in_equal_shares(const Timeline& timeline, std::size_t count) {
  const std::vector<double> before = cumulative_shares(timeline);
  std::vector<std::size_t> window_after(timeline.windows.size());
  std::size_t windows = 0, last = count;
  for (std::size_t w = 0; w < window_after.size(); ++w) {
    const double middle = (before[w] + before[w + 1]) / 2;
    const auto place = std::min(count - 1, static_cast<std::size_t>(middle * static_cast<double>(count)));
    if (place != last) ++windows, last = place;
    window_after[w] = windows - 1;
  }
  return window_after;
}

// Whether at least half of the job is in windows that have at least half of their uses in common with the
// next window. A single window counts as recurring.
bool recurs(const Timeline& timeline) {
  const std::size_t count = timeline.windows.size();
  std::vector<double> used(count), common(count);
  for (const Use& use : timeline.uses) {
    const auto weight = static_cast<double>(use.messages);
    for_each_port(use.windows, [&](std::size_t w) {
      used[w] += weight;
      if (w + 1 < count && contains(use.windows, w + 1)) common[w] += weight;
    });
  }
  const std::vector<double> before = cumulative_shares(timeline);
  double recurring = 0;
  for (std::size_t w = 0; w + 1 < count; ++w)
    if (common[w] >= 0.5 * (used[w] + used[w + 1] - common[w])) recurring += before[w + 1] - before[w];
  return recurring >= 0.5 * before[count - 1];
}

}  // namespace

std::vector<double> cumulative_shares(const Timeline& timeline) {
  double occupied = 0, messages = 0;
  for (const Window& window : timeline.windows) {
    occupied += window.messages != 0 ? 1 : 0;
    messages += static_cast<double>(window.messages);
  }
  std::vector<double> before{0.0};
  for (const Window& window : timeline.windows) {
    const double by_time = window.messages != 0 ? 1 / occupied : 0;
    const double by_messages = static_cast<double>(window.messages) / messages;
    before.push_back(before.back() + (by_time + by_messages) / 2);
  }
  return before;
}

void drop_empty_windows(Timeline& timeline) {
  std::vector<std::size_t> window_after(timeline.windows.size());
  std::size_t kept = 0;
  for (std::size_t w = 0; w < window_after.size(); ++w) {
    // An empty window adds nothing to window 0.
    window_after[w] = timeline.windows[w].messages == 0 ? 0 : kept++;
  }
  timeline = join_windows(timeline, window_after);
}

Timeline join_windows(const Timeline& timeline, const std::vector<std::size_t>& window_after) {
  Timeline joined;
  joined.windows.resize(*std::max_element(window_after.begin(), window_after.end()) + 1);
  for (std::size_t w = 0; w < window_after.size(); ++w)
    joined.windows[window_after[w]].add(timeline.windows[w]);
  joined.uses.reserve(timeline.uses.size());
  for (const Use& use : timeline.uses) {
    Use& after = joined.uses.emplace_back(Use{use.connection, use.messages, {}});
    for_each_port(use.windows, [&](std::size_t w) {
      after.windows[window_after[w] / kWordBits] |= bit_of(window_after[w]);
    });
  }
  return joined;
}

std::vector<std::size_t> widen_to_recurrence(const Timeline& timeline) {
  const auto enough = [&](std::size_t count) {
    return recurs(join_windows(timeline, in_equal_shares(timeline, count)));
  };
  std::size_t most = timeline.windows.size(), too_many = most + 1;
  while (!enough(most)) {
    too_many = most;
    most /= 2;
  }
  while (too_many - most > 1 + most / 8) {
    const std::size_t count = most + (too_many - most) / 2;
    (enough(count) ? most : too_many) = count;
  }
  return in_equal_shares(timeline, most);
}

std::vector<bool> find_strays(const Timeline& timeline) {
  // The median, within a factor of two, of the messages of the connections that each window uses.
  constexpr std::size_t kSizes = 64;  // by number of bits
  const auto size_of = [](std::uint64_t messages) {
    return static_cast<std::size_t>(std::bit_width(messages)) - 1;
  };
  std::vector<std::array<std::uint32_t, kSizes>> histogram(timeline.windows.size());
  for (const Use& use : timeline.uses)
    for_each_port(use.windows, [&](std::size_t w) { ++histogram[w][size_of(use.messages)]; });
  std::vector<double> typical(timeline.windows.size());
  for (std::size_t w = 0; w < histogram.size(); ++w) {
    std::uint64_t all = 0, below = 0;
    for (std::uint32_t n : histogram[w]) all += n;
    std::size_t size = 0;
    while (size + 1 < kSizes && (below += histogram[w][size]) * 2 <= all) ++size;
    typical[w] = static_cast<double>(std::uint64_t{1} << size);
  }

  std::vector<bool> strays;
  for (const Use& use : timeline.uses) {
    std::size_t used = 0, weak = 0, steady = 0, last = 0;
    for_each_port(use.windows, [&](std::size_t w) {
      steady += used != 0 && w - last <= 3 ? 1 : 0;
      last = w;
      ++used;
      weak += static_cast<double>(use.messages) * 8 < typical[w] ? 1 : 0;
    });
    strays.push_back(weak * 10 >= used * 9 && (used <= 2 || steady * 2 < used - 1));
  }
  return strays;
}

}  // namespace hybrid
