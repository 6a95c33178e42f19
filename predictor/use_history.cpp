#include "predictor/use_history.h"

#include <algorithm>
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

}  // namespace hybrid
