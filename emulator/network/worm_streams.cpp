// Streams of worms that repeat: how a long message crosses the digital fabric in a few steps.
//
// After a pass at e, a full worm whose data is there has its tail at e + setup + k spacing; the next worm of
// the stream asks then and is granted at the first edge at or after that, so one `period` after e. While
// nobody else asks for the input or the output, only data that comes too late could change this; as data
// comes at an even rate, it is enough that it does for the next worm and does not fall behind from period to
// period.
#include <algorithm>

#include "emulator/network/switch_node.h"

namespace hybrid {

/// How many full worms will follow each other on `c` by the rule above, after the one with its tail at
/// `tail`; the worm that ends a message is not counted.
std::uint64_t SwitchNode::full_worms_after(Time now, Time tail, Connection c) {
  const VirtualQueue& queue = *queues_.find(c.source, c.destination);
  if (queue.messages.empty() || queue.arrived.empty()) return 0;
  const Time pass = tail - full_worm_time();
  if (pass > now || next_edge(tail, cycle_) != pass + period() || pass.ps % cycle_.ps != 0) return 0;
  const Run& data = queue.arrived.front();
  const std::uint64_t words = full_worm();
  const Run starts{pass + period() + fabric_.setup, fabric_.spacing, words};
  const std::uint64_t flit = std::min(timing_.flit_words, words);
  const bool in_time =
      data.at(flit - 1) <= tail && data.first <= starts.first && data.at(words - 1) <= starts.last();
  if (!in_time || data.step * static_cast<std::int64_t>(words) > period()) return 0;
  return std::min((queue.messages.front().words - 1) / timing_.worm_words, data.count / words);
}

std::uint64_t SwitchNode::repetition(Time now, const EventQueue& events) {
  if (timing_.bounded() || timing_.input_fifo || scheduler_.wanted() || pass_at_ != Time::never() ||
      sending_.any())
    return 0;
  steady_.clear();
  granted_.clear();
  Time horizon = Time::never();
  std::uint64_t times = ~std::uint64_t{0};
  for (const SwitchEvent& event : events.all()) {
    const std::uint64_t worms =
        event.kind() == kinds_.tail ? full_worms_after(now, event.at, {event.a, event.b}) : 0;
    if (worms == 0) {
      horizon = std::min(horizon, event.at);
      continue;
    }
    steady_.set(event.a);
    granted_.push_back(event.at - full_worm_time());
    times = std::min(times, worms);
  }
  if (granted_.empty() || horizon <= now) return 0;
  if (horizon == Time::never()) return times;
  return std::min(times, static_cast<std::uint64_t>((horizon - now - picoseconds(1)) / period()));
}

void SwitchNode::repeat(std::uint64_t times, EventQueue& events) {
  const Time by = period() * static_cast<std::int64_t>(times);
  for_each_port(steady_.words(), [&](Port input) {
    Worm& worm = worms_of_[input];
    worm.queue->arrived.pop(times * full_worm());
    worm.queue->messages.front().words -= times * timing_.worm_words;
    worm.queue->last_left += by;
    worm.free += by;
  });
  events.put_off(
      by, [&](const SwitchEvent& event) { return event.kind() == kinds_.tail && steady_.test(event.a); });
  // One pass serves all streams that were granted at the same edge.
  std::sort(granted_.begin(), granted_.end());
  const auto passes = std::unique(granted_.begin(), granted_.end()) - granted_.begin();
  scheduler_.repeat(times * static_cast<std::uint64_t>(passes));
  last_pass_ = granted_[static_cast<std::size_t>(passes) - 1] + by;
}

}  // namespace hybrid
