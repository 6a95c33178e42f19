#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "emulator/scheduler/delivery_cycles.h"

namespace hybrid {

namespace {

constexpr std::uint32_t kUndelivered = ~std::uint32_t{0};

/// A message in the network.
struct InFlight {
  Port source, destination;
  std::uint32_t number;  // in M
};

/// The messages that the processors still have to send.
class Processors {
 public:
  Processors(const BinaryFatTree& tree, std::span<const Connection> messages)
      : tree_(tree),
        messages_(messages),
        first_(tree.processors() + 1),
        left_(tree.processors()),
        own_(messages.size()) {
    for (const Connection m : messages) ++left_[m.source];
    for (Port p = 0; p < tree.processors(); ++p) {
      first_[p + 1] = first_[p] + left_[p];
      if (left_[p] != 0) active_.push_back(p);
    }
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::uint32_t i = 0; i < messages.size(); ++i) own_[next[messages[i].source]++] = i;
  }

  bool done() const { return active_.empty(); }
  /// Upper bound on the messages sent in one of the following cycles.
  std::size_t most_sent() const {
    std::size_t most = 0;
    for (const Port p : active_) most += sends(p);
    return most;
  }

  /// "Processor Arbitration Delivery": draws Q of each processor, in the processors' order.
  std::size_t send_messages(std::vector<InFlight>& sent, Random& random) {
    std::size_t n = 0;
    for (const Port p : active_) {
      std::uint32_t* own = own_.data() + first_[p];
      // Drawn messages are swapped to the end.
      for (std::uint32_t at = left_[p], last = at - sends(p); at > last; --at) {
        std::swap(own[random.below(at)], own[at - 1]);
        sent[n++] = {p, messages_[own[at - 1]].destination, own[at - 1]};
      }
    }
    return n;
  }

  /// Removes the delivered ones of the messages that the last send_messages() returned.
  void remove_delivered(std::span<const std::uint32_t> cycle_of) {
    std::size_t kept = 0;
    for (const Port p : active_) {
      std::uint32_t* own = own_.data() + first_[p];
      for (std::uint32_t at = left_[p], last = at - sends(p); at-- > last;)
        if (cycle_of[own[at]] != kUndelivered) own[at] = own[--left_[p]];
      if (left_[p] != 0) active_[kept++] = p;
    }
    active_.resize(kept);
  }

 private:
  std::uint32_t sends(Port p) const { return std::min(left_[p], tree_.capacity(tree_.processor(p))); }

  const BinaryFatTree& tree_;
  std::span<const Connection> messages_;
  std::vector<std::uint32_t> first_, left_;  // processor p's messages: own_[first_[p]], left_[p] of them
  std::vector<std::uint32_t> own_;           // message numbers
  std::vector<Port> active_;                 // processors with messages left, ascending
};

/// The nodes of the network; runs one delivery cycle at a time. Lists of messages are ordered by their node,
/// so that the messages of a node are contiguous. The direction of a message is as good as random: each
/// message is written to both lists, and only the list of its direction gets longer, without a branch.
class Network {
 public:
  /// `most`: the largest number of messages sent in a cycle.
  Network(const BinaryFatTree& tree, std::size_t most)
      : tree_(tree), waiting_(most + 1), waits_from_(tree.height() + 2), below_(most + 1), left_(most + 1) {}

  /// Replaces the sent messages, on their processors' channels, by those that arrive. `messages` has room for
  /// one more than are sent.
  std::size_t run_cycle(std::vector<InFlight>& messages, std::size_t sent, Random& random) {
    std::size_t in_flight = sent;
    waits_from_[1] = 0;
    for (std::uint32_t h = 1; h <= tree_.height(); ++h)
      in_flight = climb_level(messages, in_flight, h, random);
    for (std::uint32_t h = tree_.height(); h > 0; --h)
      in_flight = descend_level(messages, in_flight, h, random);
    return in_flight;
  }

 private:
  /// At the nodes of height h: messages that turn there wait, the others contend for the trunk.
  std::size_t climb_level(std::vector<InFlight>& messages, std::size_t arrived, std::uint32_t h,
                          Random& random) {
    std::size_t kept = 0, waits = waits_from_[h];
    for (std::size_t i = 0; i < arrived;) {
      const Port node = messages[i].source >> h;
      const std::size_t group = kept;
      for (; i < arrived && messages[i].source >> h == node; ++i) {
        const InFlight m = messages[i];
        const bool turns = m.destination >> h == node;
        waiting_[waits] = m;
        messages[kept] = m;
        waits += turns ? 1 : 0;
        kept += turns ? 0 : 1;
      }
      kept = group + concentrate_messages({messages.data() + group, kept - group},
                                          tree_.capacity(tree_.above(node << h, h)), random);
    }
    waits_from_[h + 1] = waits;
    return kept;
  }

  /// At the nodes of height h: messages from the trunk (`messages`) and waiting messages contend for the
  /// branches.
  std::size_t descend_level(std::vector<InFlight>& messages, std::size_t arrived, std::uint32_t h,
                            Random& random) {
    std::size_t trunk = 0, waiting = waits_from_[h], kept = 0;
    const std::size_t waiting_end = waits_from_[h + 1];
    while (trunk < arrived || waiting < waiting_end) {
      Port node = kNoPort;
      if (trunk < arrived) node = messages[trunk].destination >> h;
      if (waiting < waiting_end) node = std::min(node, waiting_[waiting].destination >> h);
      std::size_t right = kept, left = 0;
      const auto take = [&](const std::vector<InFlight>& from, std::size_t& at, std::size_t end) {
        for (; at < end && from[at].destination >> h == node; ++at) {
          const InFlight m = from[at];
          const bool goes_left = (m.destination >> (h - 1) & 1U) != 0;
          below_[right] = m;
          left_[left] = m;
          right += goes_left ? 0 : 1;
          left += goes_left ? 1 : 0;
        }
      };
      take(messages, trunk, arrived);
      take(waiting_, waiting, waiting_end);
      const TreeNode child = tree_.above(node << h, h) * 2;
      kept += concentrate_messages({below_.data() + kept, right - kept}, tree_.capacity(child), random);
      left = concentrate_messages({left_.data(), left}, tree_.capacity(child + 1), random);
      for (std::size_t i = 0; i < left; ++i) below_[kept++] = left_[i];
    }
    messages.swap(below_);
    return kept;
  }

  /// Moves `capacity` of the messages to the front, each with the same probability; returns the number of
  /// messages that remain. Draws the remaining or the lost messages, whichever are fewer.
  static std::size_t concentrate_messages(std::span<InFlight> messages, std::size_t capacity,
                                          Random& random) {
    const std::size_t all = messages.size();
    if (all <= capacity) return all;
    if (capacity <= all - capacity)
      for (std::size_t i = 0; i < capacity; ++i) std::swap(messages[i], messages[i + random.below(all - i)]);
    else
      for (std::size_t i = all; i > capacity; --i) std::swap(messages[i - 1], messages[random.below(i)]);
    return capacity;
  }

  const BinaryFatTree& tree_;
  std::vector<InFlight> waiting_;        // by the height at which they turn
  std::vector<std::size_t> waits_from_;  // by height: begin in waiting_
  std::vector<InFlight> below_, left_;   // messages for the level below; messages of a node's left branch
};

}  // namespace

DeliveryCycles greedy_delivery(const BinaryFatTree& tree, std::span<const Connection> messages,
                               Random& random) {
  require_messages(tree, messages);
  DeliveryCycles result;
  result.cycle_of.assign(messages.size(), kUndelivered);
  Processors processors(tree, messages);
  Network network(tree, processors.most_sent());
  std::vector<InFlight> in_flight(processors.most_sent() + 1);
  for (; !processors.done(); ++result.cycles) {
    const std::size_t sent = processors.send_messages(in_flight, random);
    const std::size_t arrived = network.run_cycle(in_flight, sent, random);
    for (std::size_t i = 0; i < arrived; ++i) result.cycle_of[in_flight[i].number] = result.cycles;
    processors.remove_delivered(result.cycle_of);
  }
  return result;
}

}  // namespace hybrid
