// Which receive got which send. Messages of one (communicator, sender, receiver, tag) do not overtake each
// other (MPI 4.0, 3.5), so the n-th send matches the n-th receive.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "core/time.h"
#include "libhybrid/recording/job_definitions.h"
#include "libhybrid/recording/journal_calls.h"

namespace hybrid {

struct MessageKey {
  std::uint32_t communicator = 0;  // index into JobDefinitions::communicators
  std::int32_t source = 0, destination = 0, tag = 0;
  bool operator==(const MessageKey&) const = default;
};

struct MessageKeyHash {
  std::size_t operator()(const MessageKey& key) const {
    const std::uint64_t ends = std::uint64_t{static_cast<std::uint32_t>(key.source)} << 32 |
                               static_cast<std::uint32_t>(key.destination);
    const std::uint64_t context = std::uint64_t{key.communicator} << 32 | static_cast<std::uint32_t>(key.tag);
    return (ends * 0x9E3779B97F4A7C15u) ^ ((context + 1) * 0xC2B2AE3D27D4EB4Fu >> 7);
  }
};

/// The message that a record sends; nullopt: it sends none.
std::optional<MessageKey> sent_message(const ProcessDefinitions& process, const JournalRecord& record);
/// The message that a record received; nullopt: none.
std::optional<MessageKey> received_message(const ProcessDefinitions& process, const JournalRecord& record);

/// The message of a receive that nobody waits for (EventKind::recv_freed); nullopt: none, or not known which.
std::optional<MessageKey> freed_message(const ProcessDefinitions& process, const JournalRecord& record);

/// Of each key the times of what waits for its partner, oldest first. Holds messages under way only.
class MessageQueue {
 public:
  void push(const MessageKey& key, Time at) { queues_[key].push_back(at); }
  /// The `n`-th (from 0) that waits.
  std::optional<Time> peek(const MessageKey& key, std::size_t n = 0) const;
  std::optional<Time> pop(const MessageKey& key);

 private:
  std::unordered_map<MessageKey, std::deque<Time>, MessageKeyHash> queues_;
};

}  // namespace hybrid
