// Messages between the services of several hosts. The first rank of each host carries them inside its own MPI
// calls (the thread of the service never calls MPI).
//
// Commands go from hosts 1, 2, ... to host 0, which owns the scheduler port; rows of established connections
// go back. Messages arrive whole and in order between two hosts, but possibly late. No message has to arrive:
// a lost command is a request that was not made, a lost row is corrected by the next change of that row.
//
// The layout is fixed and little-endian, with the version in the header:
//
//   header   "HL" version:u8 kind:u8 count:u32
//   command  time_ps:i64 rank:u32 destination:u32 kind:u32 zero:u32      kind 1: commands
//   row      bits:u64 grants:u64 port:u32 word:u32                       kind 2: rows
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"
#include "core/time.h"
#include "libhybrid/live/region.h"

namespace hybrid {

/// The longest message, in bytes.
inline constexpr std::size_t kLiveMessageBytes = 4096;

/// Link between hosts. The shim implements it over a separate communicator; tests use a loopback.
class HostLink {
 public:
  virtual ~HostLink() = default;

  /// Starts sending `message` (copied before the return) to the first rank of `host`. False if the link has
  /// no room for this host now; the caller tries again later. Never waits.
  virtual bool send(std::uint32_t host, std::span<const std::byte> message) = 0;

  /// Moves one message that has arrived, from any host, into `buffer` (kLiveMessageBytes long). Returns its
  /// length, or 0 if there is none. Never waits.
  virtual std::size_t receive(std::span<std::byte> buffer) = 0;
};

/// Bounded, lock-free queue of messages between two threads of one process: the service of a host, which
/// never calls MPI, and the rank's own MPI calls, which must never wait for the service. One writer, one
/// reader.
class MessageRing {
 public:
  struct Message {
    std::size_t length = 0;
    std::array<std::byte, kLiveMessageBytes> bytes;
    std::span<const std::byte> content() const { return {bytes.data(), length}; }
  };

  /// `capacity`: number of messages, a power of two.
  explicit MessageRing(std::size_t capacity)
      : messages_(std::make_unique<Message[]>(capacity)), mask_(capacity - 1) {}

  /// For the writer: a message to fill, or null if the queue is full. publish() makes it visible to the
  /// reader.
  Message* claim() {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    return tail - head_.load(std::memory_order_acquire) > mask_ ? nullptr : &messages_[tail & mask_];
  }
  void publish() { tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  /// For the writer: the number of messages that can be claimed.
  std::size_t room() const {
    return mask_ + 1 - (tail_.load(std::memory_order_relaxed) - head_.load(std::memory_order_acquire));
  }

  /// For the reader: the oldest message, or null. pop() frees its place.
  const Message* front() const {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    return head == tail_.load(std::memory_order_acquire) ? nullptr : &messages_[head & mask_];
  }
  void pop() { head_.store(head_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  std::unique_ptr<Message[]> messages_;
  std::size_t mask_;
  alignas(64) std::atomic<std::uint64_t> head_{0};
};

/// A command with its rank and model time.
struct TimedCommand {
  Time at;
  std::uint32_t rank = 0;  // world rank
  CommandKind kind = CommandKind::request;
  Port destination = kNoPort;
  bool operator==(const TimedCommand&) const = default;
};

/// State of 64 destinations of one source port. It is the full state, not a difference, so a message that is
/// lost or sent twice does no harm.
struct RowUpdate {
  Word bits = 0;
  std::uint64_t grants = 0;  // to the port, since the start
  Port port = kNoPort;
  std::uint32_t word = 0;
  bool operator==(const RowUpdate&) const = default;
};

inline constexpr std::size_t kHostMessageHeader = 8;
inline constexpr std::size_t kHostMessageEntry = 24;
inline constexpr std::size_t kEntriesPerMessage =
    (kLiveMessageBytes - kHostMessageHeader) / kHostMessageEntry;

/// Writes all `entries` (at most kEntriesPerMessage) into `message` (kLiveMessageBytes long). Returns the
/// length of the message.
std::size_t encode(std::span<const TimedCommand> entries, std::span<std::byte> message);
std::size_t encode(std::span<const RowUpdate> entries, std::span<std::byte> message);

/// Appends the entries of `message` to the vector of its kind. Returns false and appends nothing if the
/// message is truncated or has another version.
bool decode(std::span<const std::byte> message, std::vector<TimedCommand>& commands,
            std::vector<RowUpdate>& rows);

}  // namespace hybrid
