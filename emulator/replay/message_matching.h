// Which receive gets which message: per (source, destination, context) in the order sent and received, as
// MPI's non-overtaking rule has it. A context is a communicator and tag, one collective, or the notices of
// one kind on a window.
//
// Memory is what is sent and not yet received, or received and not yet sent.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace hybrid {

struct ChannelKey {
  std::uint32_t source = 0, destination = 0;
  std::uint64_t context = 0;
  auto operator<=>(const ChannelKey&) const = default;

  static constexpr std::uint64_t point_to_point(std::uint32_t communicator, std::int32_t tag) {
    return std::uint64_t{communicator} << 32 | static_cast<std::uint32_t>(tag);
  }
  /// What a post tells its origins, or a complete its targets, on a window.
  static constexpr std::uint64_t epoch(std::uint32_t window, bool complete) {
    return std::uint64_t{1} << 62 | std::uint64_t{window} << 1 | (complete ? 1 : 0);
  }
  /// The `number`th collective of a communicator.
  static constexpr std::uint64_t collective(std::uint32_t communicator, std::uint32_t number) {
    return std::uint64_t{1} << 63 | std::uint64_t{communicator} << 32 | number;
  }
};

struct ChannelKeyHash {
  std::size_t operator()(const ChannelKey& key) const noexcept {
    std::uint64_t x = (std::uint64_t{key.source} << 32 | key.destination) * 0x9E3779B97F4A7C15ULL;
    x = (x ^ x >> 29 ^ key.context) * 0xBF58476D1CE4E5B9ULL;
    return static_cast<std::size_t>(x ^ x >> 32);
  }
};

/// Queues of 32-bit handles: of messages that wait for a receive, or of receives that wait for a message.
class MessageMatching {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// A message was sent: the receive that waits for it, or kNone and the message waits.
  std::uint32_t sent(const ChannelKey& key, std::uint32_t message) { return meet(key, message, false); }
  /// A receive is looking: the message that waits for it, or kNone and the receive waits.
  std::uint32_t received(const ChannelKey& key, std::uint32_t receive) { return meet(key, receive, true); }

  /// Takes a waiting message out of its queue (it was cancelled); false if it does not wait.
  bool withdraw(const ChannelKey& key, std::uint32_t message);

  struct Waiting {
    ChannelKey key;
    std::uint32_t receive;
  };
  /// All waiting receives, by key, then in order.
  std::vector<Waiting> waiting_receives() const;
  /// Takes all waiting receives of a key out.
  void drop_receives(const ChannelKey& key);

 private:
  struct Node {
    std::uint32_t handle = kNone, next = kNone;
  };
  struct Channel {
    std::uint32_t head = kNone, tail = kNone;  // nodes
    bool receives = false;                     // what waits
  };

  std::uint32_t meet(const ChannelKey& key, std::uint32_t handle, bool receive);
  void release(std::uint32_t node);

  std::unordered_map<ChannelKey, Channel, ChannelKeyHash> channels_;
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
};

}  // namespace hybrid
