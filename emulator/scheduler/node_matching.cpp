#include "emulator/scheduler/node_matching.h"

#include <algorithm>

namespace hybrid {

namespace {
constexpr std::uint32_t kNobody = ~std::uint32_t{0};
}

NodeMatching::NodeMatching(std::uint32_t nodes)
    : first_(nodes),
      next_(nodes),
      of_source_(nodes),
      of_destination_(nodes),
      level_(nodes),
      trying_(nodes),
      queue_(nodes),
      taken_(nodes) {}

std::span<const std::uint8_t> NodeMatching::match(std::span<const Connection> requests) {
  requests_ = requests;
  if (next_.size() < requests.size()) {
    next_.resize(requests.size());
    taken_.resize(requests.size());
  }
  for (auto* all : {&first_, &of_source_, &of_destination_}) std::fill(all->begin(), all->end(), kNobody);
  for (auto i = static_cast<std::uint32_t>(requests.size()); i-- > 0;) {
    next_[i] = first_[source(i)];
    first_[source(i)] = i;
  }
  for (std::uint32_t i = 0; i < requests.size(); ++i)
    if (of_source_[source(i)] == kNobody && of_destination_[destination(i)] == kNobody)
      of_source_[source(i)] = of_destination_[destination(i)] = i;
  while (find_levels()) {
    trying_ = first_;
    for (Port s = 0; s < first_.size(); ++s)
      if (of_source_[s] == kNobody) augment_from(s);
  }
  std::fill(taken_.begin(), taken_.end(), std::uint8_t{0});
  for (const std::uint32_t request : of_source_)
    if (request != kNobody) taken_[request] = 1;
  return {taken_.data(), requests.size()};
}

/// How far each source is from one without a request, along requests not taken and back along those taken.
/// False: no free destination can be come to.
bool NodeMatching::find_levels() {
  std::size_t end = 0;
  for (Port s = 0; s < first_.size(); ++s) {
    const bool starts = of_source_[s] == kNobody && first_[s] != kNobody;
    level_[s] = starts ? 0 : kNobody;
    if (starts) queue_[end++] = s;
  }
  bool found = false;
  for (std::size_t at = 0; at < end; ++at)
    for (std::uint32_t r = first_[queue_[at]]; r != kNobody; r = next_[r]) {
      const std::uint32_t there = of_destination_[destination(r)];
      if (there == kNobody) {
        found = true;
      } else if (level_[source(there)] == kNobody) {
        level_[source(there)] = level_[queue_[at]] + 1;
        queue_[end++] = source(there);
      }
    }
  return found;
}

/// Follows the levels to a free destination and exchanges what is taken on the way; each source is used once
/// a round.
void NodeMatching::augment_from(Port start) {
  std::vector<Port>& way = queue_;
  std::size_t depth = 0;
  way[depth++] = start;
  while (depth != 0) {
    const Port s = way[depth - 1];
    const std::uint32_t r = level_[s] == kNobody ? kNobody : trying_[s];
    if (r == kNobody) {
      level_[s] = kNobody;
      if (--depth != 0) trying_[way[depth - 1]] = next_[trying_[way[depth - 1]]];
      continue;
    }
    const std::uint32_t there = of_destination_[destination(r)];
    if (there == kNobody) {
      for (; depth != 0; --depth) {
        const Port on_way = way[depth - 1];
        of_source_[on_way] = trying_[on_way];
        of_destination_[destination(trying_[on_way])] = trying_[on_way];
        level_[on_way] = kNobody;
      }
      return;
    }
    if (level_[source(there)] == level_[s] + 1) {
      way[depth++] = source(there);
    } else {
      trying_[s] = next_[r];
    }
  }
}

}  // namespace hybrid
