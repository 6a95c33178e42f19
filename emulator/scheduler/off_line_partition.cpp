#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "emulator/scheduler/delivery_cycles.h"
#include "emulator/topology/channel_load.h"

namespace hybrid {

namespace {

constexpr std::uint32_t kNoMessage = ~std::uint32_t{0};

using Numbers = std::vector<std::uint32_t>;  // message numbers in M

std::vector<Numbers> by_turn_height(const BinaryFatTree& tree, std::span<const Connection> messages) {
  std::vector<Numbers> heights(tree.height() + 1);
  for (std::uint32_t i = 0; i < messages.size(); ++i) heights[turn_height(messages[i])].push_back(i);
  return heights;
}

class Halving {
 public:
  Halving(const BinaryFatTree& tree, std::span<const Connection> messages)
      : messages_(messages),
        loads_(tree),
        by_source_(messages.size(), kNoMessage),
        by_destination_(messages.size(), kNoMessage),
        half_(messages.size(), kOpen) {}

  /// Splits messages that all turn at height `turn` into parts that pass through the network at once.
  std::vector<Numbers> split_into_parts(const Numbers& set, std::uint32_t turn) {
    std::vector<Numbers> done, left;
    if (!set.empty()) left.push_back(set);
    while (!left.empty()) {
      Numbers part = std::move(left.back());
      left.pop_back();
      if (fits_one_cycle(part)) {
        done.push_back(std::move(part));
        continue;
      }
      auto [one, other] = halve(part, turn);
      left.push_back(std::move(one));
      left.push_back(std::move(other));
    }
    return done;
  }

 private:
  static constexpr std::uint8_t kOpen = 2;  // in neither half yet

  bool fits_one_cycle(const Numbers& part) {
    std::size_t added = 0;
    for (; added < part.size() && loads_.fits(messages_[part[added]]); ++added)
      loads_.add(messages_[part[added]]);
    for (std::size_t i = 0; i < added; ++i) loads_.remove(messages_[part[i]]);
    return added == part.size();
  }

  /// Pairs messages without a mate at each node below height `turn`: at most one message of each channel
  /// remains without a mate.
  void pair_messages(const Numbers& set, std::uint32_t turn, Port Connection::* end, Numbers& mate) {
    alone_ = set;
    std::sort(alone_.begin(), alone_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(messages_[a].*end, a) < std::pair(messages_[b].*end, b);
    });
    for (const std::uint32_t m : set) mate[m] = kNoMessage;
    for (std::uint32_t h = 0; h < turn; ++h) {
      std::size_t kept = 0;
      for (const std::uint32_t m : alone_) {
        const std::uint32_t before = kept == 0 ? kNoMessage : alone_[kept - 1];
        if (before != kNoMessage && (messages_[before].*end) >> h == (messages_[m].*end) >> h) {
          mate[m] = before;
          mate[before] = m;
          --kept;
        } else {
          alone_[kept++] = m;
        }
      }
      alone_.resize(kept);
    }
  }

  std::pair<Numbers, Numbers> halve(const Numbers& set, std::uint32_t turn) {
    pair_messages(set, turn, &Connection::source, by_source_);
    pair_messages(set, turn, &Connection::destination, by_destination_);
    for (const std::uint32_t m : set) half_[m] = kOpen;
    std::pair<Numbers, Numbers> result;
    for (const std::uint32_t m : set) {
      if (half_[m] == kOpen) {
        half_[m] = 0;
        assign_halves(by_source_[m], false);
        assign_halves(by_destination_[m], true);
      }
      (half_[m] == 0 ? result.first : result.second).push_back(m);
    }
    return result;
  }

  /// Assigns halves alternately along the chain of pairs, by source and by destination in turn, from a mate
  /// of a message in half 0 to the end of the chain or, in a ring, to its beginning.
  void assign_halves(std::uint32_t m, bool by_source) {
    for (std::uint8_t half = 1; m != kNoMessage && half_[m] == kOpen; half ^= 1U, by_source = !by_source) {
      half_[m] = half;
      m = by_source ? by_source_[m] : by_destination_[m];
    }
  }

  std::span<const Connection> messages_;
  ChannelLoads loads_;                  // of the part under test; 0 otherwise
  Numbers by_source_, by_destination_;  // mate of each message
  Numbers alone_;
  std::vector<std::uint8_t> half_;
};

}  // namespace

DeliveryCycles off_line_partition(const BinaryFatTree& tree, std::span<const Connection> messages) {
  require_messages(tree, messages);
  const auto heights = by_turn_height(tree, messages);
  Halving halving(tree, messages);
  Numbers order;
  for (std::uint32_t turn = tree.height(); turn > 0; --turn)
    for (const Numbers& part : halving.split_into_parts(heights[turn], turn))
      order.insert(order.end(), part.begin(), part.end());
  return first_fit_delivery(tree, messages, order);
}

std::uint32_t off_line_bound(const BinaryFatTree& tree, std::span<const Connection> messages) {
  std::uint32_t bound = 0;
  for (const Numbers& set : by_turn_height(tree, messages)) {
    if (set.empty()) continue;
    ChannelLoads loads(tree);
    for (const std::uint32_t m : set) loads.add(messages[m]);
    bound += std::bit_ceil(loads.fewest_cycles());
  }
  return bound;
}

DeliveryCycles first_fit_delivery(const BinaryFatTree& tree, std::span<const Connection> messages) {
  require_messages(tree, messages);
  std::vector<std::uint32_t> order;
  order.reserve(messages.size());
  for (std::uint32_t turn = tree.height(); turn > 0; --turn)
    for (std::uint32_t m = 0; m < messages.size(); ++m)
      if (turn_height(messages[m]) == turn) order.push_back(m);
  return first_fit_delivery(tree, messages, order);
}

DeliveryCycles first_fit_delivery(const BinaryFatTree& tree, std::span<const Connection> messages,
                                  std::span<const std::uint32_t> order) {
  DeliveryCycles result;
  result.cycle_of.resize(messages.size());
  std::vector<ChannelLoads> cycles;
  for (const std::uint32_t m : order) {
    std::uint32_t cycle = 0;
    while (cycle < cycles.size() && !cycles[cycle].fits(messages[m])) ++cycle;
    if (cycle == cycles.size()) cycles.emplace_back(tree);
    cycles[cycle].add(messages[m]);
    result.cycle_of[m] = cycle;
  }
  result.cycles = static_cast<std::uint32_t>(cycles.size());
  return result;
}

}  // namespace hybrid
