// Bounded, lock-free queue of messages between two threads of one process: the service of a host, which never
// calls MPI, and the rank's own MPI calls, which must never wait for the service.
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

}  // namespace hybrid
