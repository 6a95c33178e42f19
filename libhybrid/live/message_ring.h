// A bounded queue of messages between two threads of one process, without a lock: between a host's service,
// which never calls MPI, and the rank's own MPI calls, which must never wait for the service.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "libhybrid/live/host_link.h"

namespace hybrid {

/// One writer, one reader.
class MessageRing {
 public:
  struct Message {
    std::size_t length = 0;
    std::array<std::byte, kLiveMessageBytes> bytes;
    std::span<const std::byte> content() const { return {bytes.data(), length}; }
  };

  /// `capacity`: messages, a power of two.
  explicit MessageRing(std::size_t capacity)
      : messages_(std::make_unique<Message[]>(capacity)), mask_(capacity - 1) {}

  /// The writer's: a message to fill, or null when the queue is full; publish() sends it on.
  Message* claim() {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    return tail - head_.load(std::memory_order_acquire) > mask_ ? nullptr : &messages_[tail & mask_];
  }
  void publish() { tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  /// The writer's: how many messages can be claimed.
  std::size_t room() const {
    return mask_ + 1 - (tail_.load(std::memory_order_relaxed) - head_.load(std::memory_order_acquire));
  }

  /// The reader's: the oldest message, or null; pop() gives its place back.
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

}  // namespace hybrid
