#include "predictor/timeline.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hybrid {

namespace {

using Timeline = UseHistory::Timeline;
using Use = UseHistory::Use;
using Window = UseHistory::Window;
using WindowSet = UseHistory::WindowSet;

bool contains(const WindowSet& set, std::size_t window) {
  return (set[window / kWordBits] & bit_of(window)) != 0;
}

// Moves window w to place_after[w]; windows with the same new place become one.
void rearrange(Timeline& timeline, const std::vector<std::size_t>& place_after, std::size_t windows_after) {
  std::vector<Window> windows(windows_after);
  for (std::size_t w = 0; w < timeline.windows.size(); ++w) windows[place_after[w]].add(timeline.windows[w]);
  timeline.windows = std::move(windows);
  for (Use& use : timeline.uses) {
    WindowSet after{};
    for_each_port(use.windows,
                  [&](std::size_t w) { after[place_after[w] / kWordBits] |= bit_of(place_after[w]); });
    use.windows = after;
  }
}

void double_length(Timeline& timeline) {
  std::vector<std::size_t> place_after(timeline.windows.size());
  for (std::size_t w = 0; w < place_after.size(); ++w) place_after[w] = w / 2;
  rearrange(timeline, place_after, (place_after.size() + 1) / 2);
}

void drop_empty(Timeline& timeline) {
  std::vector<std::size_t> place_after(timeline.windows.size());
  std::size_t kept = 0;
  for (std::size_t w = 0; w < place_after.size(); ++w) {
    // An empty window adds nothing to whatever place it is given.
    place_after[w] = timeline.windows[w].messages == 0 ? 0 : kept++;
  }
  rearrange(timeline, place_after, kept);
}

// The share of the job in windows that have most in common with the next window in which anybody sends.
double recurring_share(const Timeline& timeline) {
  const std::size_t count = timeline.windows.size();
  std::vector<std::size_t> next(count, count);  // the next window that is not empty
  for (std::size_t w = count, following = count; w-- > 0;) {
    next[w] = following;
    if (timeline.windows[w].messages != 0) following = w;
  }
  std::vector<double> used(count + 1), common(count + 1);
  for (const Use& use : timeline.uses) {
    const auto weight = static_cast<double>(use.messages);
    for_each_port(use.windows, [&](std::size_t w) {
      used[w] += weight;
      if (next[w] != count && contains(use.windows, next[w])) common[w] += weight;
    });
  }
  const std::vector<double> before = cumulative_shares(timeline);
  double share = 0, recurring = 0;
  for (std::size_t w = 0; w < count; ++w) {
    if (timeline.windows[w].messages == 0 || next[w] == count) continue;
    const double weight = before[w + 1] - before[w];
    share += weight;
    if (common[w] >= 0.5 * (used[w] + used[next[w]] - common[w])) recurring += weight;
  }
  return share == 0 ? 1.0 : recurring / share;
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

void widen_to_recurrence(Timeline& timeline) {
  while (timeline.windows.size() > 1 && recurring_share(timeline) < 0.5) double_length(timeline);
  drop_empty(timeline);
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
    std::size_t first = timeline.windows.size(), last = 0, used = 0, weak = 0;
    for_each_port(use.windows, [&](std::size_t w) {
      first = std::min(first, w);
      last = w;
      ++used;
      weak += static_cast<double>(use.messages) * 8 < typical[w] ? 1 : 0;
    });
    strays.push_back(weak * 10 >= used * 9 && used <= std::max<std::size_t>(2, (last - first + 1) / 4));
  }
  return strays;
}

}  // namespace hybrid
