// Matches receives with sends, and completions with the start of their request. Messages with the same
// (communicator, sender, receiver, tag) do not overtake each other (MPI 4.0, 3.5), so the n-th send matches
// the n-th receive.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/time.h"
#include "libhybrid/recording/job_definitions.h"
#include "libhybrid/recording/journal_steps.h"

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

/// The message that a record sends. nullopt: none.
std::optional<MessageKey> sent_message(const ProcessDefinitions& process, const JournalRecord& record);
/// The message that a record received. nullopt: none.
std::optional<MessageKey> received_message(const ProcessDefinitions& process, const JournalRecord& record);

/// The message of a receive whose request was freed (EventKind::recv_freed). nullopt: none, or not known.
std::optional<MessageKey> freed_message(const ProcessDefinitions& process, const JournalRecord& record);

/// Times of sends or receives that wait for their partner, by key, oldest first. Its memory grows with the
/// number of waiting entries only.
class MessageQueue {
 public:
  void push(const MessageKey& key, Time at) { queues_[key].push_back(at); }
  /// Removes the oldest entry of `key`. nullopt: there is none.
  std::optional<Time> pop(const MessageKey& key);

 private:
  std::unordered_map<MessageKey, std::deque<Time>, MessageKeyHash> queues_;
};

/// Open requests of a process, shared by its threads: one may complete a request that another one started.
template <typename Request>
class OpenRequests {
 public:
  /// Id of a request in the process, from the thread that started it and the number in the journal of that
  /// thread.
  static constexpr std::uint64_t id(std::uint32_t thread, std::uint32_t number) {
    return std::uint64_t{thread} << 32 | number;
  }

  /// Adds a request. Replaces one with the same id that was never completed (MPI_Request_free).
  void open(std::uint64_t id, const Request& request) { requests_.insert_or_assign(id, request); }

  /// Id of the request that the journal of `thread` calls `number`: started by that thread, or else by
  /// another one of the process (thread numbers are below `threads`). nullopt: none is open.
  std::optional<std::uint64_t> find(std::uint32_t thread, std::uint32_t number, std::uint32_t threads) const {
    if (requests_.contains(id(thread, number))) return id(thread, number);
    for (std::uint32_t other = 0; other < threads; ++other)
      if (requests_.contains(id(other, number))) return id(other, number);
    return std::nullopt;
  }
  const Request& at(std::uint64_t id) const { return requests_.at(id); }

  /// Removes the request that find() returns.
  std::optional<std::pair<std::uint64_t, Request>> close(std::uint32_t thread, std::uint32_t number,
                                                         std::uint32_t threads) {
    const auto found = find(thread, number, threads);
    if (!found) return std::nullopt;
    const auto entry = requests_.find(*found);
    std::pair<std::uint64_t, Request> result = *entry;
    requests_.erase(entry);
    return result;
  }

 private:
  std::unordered_map<std::uint64_t, Request> requests_;
};

}  // namespace hybrid
