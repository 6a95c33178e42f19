// Message of an emulated network, listener of its transfer, and statistics of a network.
#pragma once

#include <cstdint>

#include "core/connection.h"
#include "core/time.h"
#include "core/units.h"

namespace hybrid {

/// Message that a PE sends. Zero bytes travel as one word. Source and destination must differ.
struct Message {
  std::uint64_t id = 0;
  Connection connection;
  Bytes bytes = 0;
  std::uint64_t site = 0;  // call site of the send, for predictors; 0: unknown
};

/// Observer of messages. Calls come in time order.
class TransferListener {
 public:
  virtual ~TransferListener() = default;
  /// The last word of the message has left the PE: a blocking send returns.
  virtual void injected(Time at, const Message& message) = 0;
  /// The last word of the message is at the destination PE: a receive completes. `hit`: the message used a
  /// circuit that its NIC knew as established when the PE offered the first word.
  virtual void delivered(Time at, const Message& message, bool hit) = 0;
};

struct TechniqueStatistics {
  std::uint64_t messages = 0;  // delivered
  Bytes bytes = 0;             // payload delivered
  std::uint64_t hits = 0;      // messages
  std::uint64_t circuit_messages = 0, wormhole_messages = 0;
  std::uint64_t requests = 0, releases = 0, established = 0, preloads = 0, flushes = 0;
  Time held_unused{};  // sum over connections: established but carrying nothing
  Time held{};         // sum over connections: established
  std::uint64_t slots_used = 0,
                slots_wasted = 0;  // (slot, connection) pairs granted with and without data sent
  std::uint64_t cycles = 0;        // TDM slots or scheduler cycles gone through, skipped ones included
};

}  // namespace hybrid
