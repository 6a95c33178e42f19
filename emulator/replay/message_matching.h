// Matching of receives with messages: per (source, destination, context) in the order sent and received, by
// MPI's non-overtaking rule (MPI 4.0, 3.5).
//
// A context is a communicator and tag, one collective, or the notices of one kind on a window.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/pool.h"
#include "emulator/replay/job_events.h"

namespace hybrid {

struct ChannelKey {
  std::uint32_t source = 0, destination = 0;  // world ranks
  std::uint64_t context = 0;
  auto operator<=>(const ChannelKey&) const = default;

  static constexpr std::uint64_t point_to_point(std::uint32_t communicator, std::int32_t tag) {
    return std::uint64_t{communicator} << 32 | static_cast<std::uint32_t>(tag);
  }
  /// Notices of a post to its origins, or of a complete to its targets.
  static constexpr std::uint64_t epoch(std::uint32_t window, bool complete) {
    return std::uint64_t{1} << 62 | std::uint64_t{window} << 1 | (complete ? 1 : 0);
  }
  /// The `number`th collective of a communicator. `recorded`: by the numbers of the trace; else in the order
  /// in which each rank begins them.
  static constexpr std::uint64_t collective(std::uint32_t communicator, std::uint32_t number, bool recorded) {
    return (recorded ? std::uint64_t{3} << 62 : std::uint64_t{1} << 63) | std::uint64_t{communicator} << 32 |
           number;
  }
  /// A start of a persistent collective.
  static constexpr std::uint64_t started_collective(std::uint32_t id) { return std::uint64_t{7} << 61 | id; }
};

struct ChannelKeyHash {
  std::size_t operator()(const ChannelKey& key) const noexcept {
    std::uint64_t x = (std::uint64_t{key.source} << 32 | key.destination) * 0x9E3779B97F4A7C15ULL;
    x = (x ^ x >> 29 ^ key.context) * 0xBF58476D1CE4E5B9ULL;
    return static_cast<std::size_t>(x ^ x >> 32);
  }
};

/// For each key a queue of messages without a receive, or of receives without a message. Memory is
/// proportional to the entries in the queues, and to the keys of numbered receives. add_message() and
/// add_receive() take constant time, for a numbered receive logarithmic time in those held back.
class MessageMatching {
 public:
  /// A message was sent: removes and returns the first receive that waits for it. If there is none, queues
  /// the message and returns no waiter.
  Waiter add_message(const ChannelKey& key, MessageHandle message);
  /// Removes and returns the first message for a new receive. If there is none, queues the receive and
  /// returns no handle.
  ///
  /// `number`: the receive takes the `number`th message of the key (from 1). Until the receives with smaller
  /// numbers were added, it is held back; then next_due() returns it. 0: it takes the next message. The
  /// receives of a key have numbers all, or none.
  MessageHandle add_receive(const ChannelKey& key, const Waiter& receive, std::uint32_t number = 0);

  struct Due {
    Waiter receive;
    MessageHandle message;  // none: the receive is queued
  };
  /// The next receive of the key that is not held back any longer. Call it after each numbered add_receive()
  /// until there is none.
  std::optional<Due> next_due(const ChannelKey& key);

  /// Removes a message from its queue (it was cancelled); false if it is in none.
  bool withdraw(const ChannelKey& key, MessageHandle message);

  struct QueuedReceive {
    ChannelKey key;
    Waiter receive;
  };
  /// All queued receives, by key, then in order.
  std::vector<QueuedReceive> queued_receives() const;
  /// Removes all queued receives of a key.
  void drop_receives(const ChannelKey& key);

 private:
  static constexpr std::uint32_t kNone = Pool<int>::kNone;

  struct Node {
    MessageHandle message;  // or
    Waiter receive;
    std::uint32_t next = kNone;
  };
  struct Channel {
    std::uint32_t head = kNone, tail = kNone;  // nodes
    bool receives = false;                     // whether they are receives
  };
  using Channels = std::unordered_map<ChannelKey, Channel, ChannelKeyHash>;

  /// Removes the first node of the other kind, or appends `node` and returns an empty one.
  Node match_or_append(const ChannelKey& key, const Node& node, bool receive);
  void append(Channel& channel, const Node& node);

  struct Numbered {
    std::uint32_t next = 1;
    std::map<std::uint32_t, Waiter> held;  // by number
  };

  Channels channels_;  // none of them is empty
  std::unordered_map<ChannelKey, Numbered, ChannelKeyHash> numbered_;
  Pool<Node> nodes_;
};

}  // namespace hybrid
