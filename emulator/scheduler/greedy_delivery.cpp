#include "emulator/scheduler/greedy_delivery.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace hybrid {

namespace {

constexpr std::uint32_t kUndelivered = ~std::uint32_t{0};

/// A message on its way through the network.
struct InFlight {
  Port source, destination;
  std::uint32_t number;  // in M
};

/// The messages that processors still have, and which of them they send.
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

  /// "Processor Arbitration Delivery": Q of each processor, in the processors' order.
  void send(std::vector<InFlight>& sent, Random& random) {
    sent.clear();
    for (const Port p : active_) {
      std::uint32_t* own = own_.data() + first_[p];
      // Those drawn change places with the last ones.
      for (std::uint32_t at = left_[p], last = at - sends(p); at > last; --at) {
        std::swap(own[random.below(at)], own[at - 1]);
        sent.push_back({p, messages_[own[at - 1]].destination, own[at - 1]});
      }
    }
  }

  /// Deletes what was delivered of that which send() gave last.
  void forget_delivered(std::span<const std::uint32_t> cycle_of) {
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
  std::vector<std::uint32_t> own_;           // numbers
  std::vector<Port> active_;                 // processors with messages left, ascending
};

/// The nodes: one delivery cycle at a time. Lists of messages are ordered by the node that they are at, so
/// that a node's are neighbours.
class Network {
 public:
  explicit Network(const BinaryFatTree& tree) : tree_(tree), waits_from_(tree.height() + 2) {}

  /// Messages in flight, on their processors' channels, become those that arrive.
  void cycle(std::vector<InFlight>& messages, Random& random) {
    waiting_.clear();
    for (std::uint32_t h = 1; h <= tree_.height(); ++h) climb(messages, h, random);
    waits_from_[tree_.height() + 1] = waiting_.size();
    messages.clear();
    for (std::uint32_t h = tree_.height(); h > 0; --h) fall(messages, h, random);
  }

 private:
  /// At the nodes of height h: who turns there waits, the others contend for the trunk.
  void climb(std::vector<InFlight>& messages, std::uint32_t h, Random& random) {
    waits_from_[h] = waiting_.size();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < messages.size();) {
      const Port node = messages[i].source >> h;
      const std::size_t group = kept;
      for (; i < messages.size() && messages[i].source >> h == node; ++i) {
        if (messages[i].destination >> h == node)
          waiting_.push_back(messages[i]);
        else
          messages[kept++] = messages[i];
      }
      if (kept != group)
        kept = group + concentrate({messages.data() + group, kept - group},
                                   tree_.capacity(tree_.above(node << h, h)), random);
    }
    messages.resize(kept);
  }

  /// At the nodes of height h: who came through the trunk (`messages`) and who waited contend for the
  /// branches.
  void fall(std::vector<InFlight>& messages, std::uint32_t h, Random& random) {
    below_.clear();
    std::span<const InFlight> trunk = messages,
                              waiting{waiting_.data() + waits_from_[h], waits_from_[h + 1] - waits_from_[h]};
    const auto take_node = [h](std::span<const InFlight>& from, Port node) {
      std::size_t n = 0;
      while (n < from.size() && from[n].destination >> h == node) ++n;
      const auto taken = from.first(n);
      from = from.subspan(n);
      return taken;
    };
    while (!trunk.empty() || !waiting.empty()) {
      Port node = trunk.empty() ? kNoPort : trunk.front().destination >> h;
      if (!waiting.empty()) node = std::min(node, waiting.front().destination >> h);
      const auto through_trunk = take_node(trunk, node), from_branches = take_node(waiting, node);
      for (Port child = 2 * node; child <= 2 * node + 1; ++child) {
        const std::size_t group = below_.size();
        for (const auto& from : {through_trunk, from_branches})
          for (const InFlight& m : from)
            if (m.destination >> (h - 1) == child) below_.push_back(m);
        below_.resize(group + concentrate({below_.data() + group, below_.size() - group},
                                          tree_.capacity(tree_.above(child << (h - 1), h - 1)), random));
      }
    }
    messages.swap(below_);
  }

  /// Moves `capacity` of the messages to the front, each with the same chance; returns how many there are
  /// then. Draws who stays or who is lost, whichever are fewer.
  static std::size_t concentrate(std::span<InFlight> messages, std::size_t capacity, Random& random) {
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
  std::vector<std::size_t> waits_from_;  // by height: where it begins in waiting_
  std::vector<InFlight> below_;          // what fall() gives the level below
};

}  // namespace

DeliveryCycles greedy_delivery(const BinaryFatTree& tree, std::span<const Connection> messages,
                               Random& random) {
  require_messages(tree, messages);
  DeliveryCycles result;
  result.cycle_of.assign(messages.size(), kUndelivered);
  Processors processors(tree, messages);
  Network network(tree);
  std::vector<InFlight> in_flight;
  for (; !processors.done(); ++result.cycles) {
    processors.send(in_flight, random);
    network.cycle(in_flight, random);
    for (const InFlight& m : in_flight) result.cycle_of[m.number] = result.cycles;
    processors.forget_delivered(result.cycle_of);
  }
  return result;
}

}  // namespace hybrid
