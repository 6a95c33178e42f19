// State of the connections of predictive circuit switching, in the NICs and at the switch, and its memory.
//
// Few of the N^2 connections are in use at a time. A connection has a queue while data waits, and a Circuit
// until its state equals that of a connection that was never used. Both are then reused for other
// connections, so that a small state stays in the cache.
//
//   CircuitTable circuits(ports, timing, now, predictors);
//   CircuitState& c = circuits.at({source, destination});
//   CircuitQueue& queue = circuits.queue_for(c);  // a message enters it
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/connection.h"
#include "core/time.h"
#include "emulator/network/connection_table.h"
#include "emulator/network/queue.h"
#include "emulator/network/ring.h"
#include "emulator/network/timing.h"
#include "predictor/predictor.h"

namespace hybrid {

struct CircuitState;

/// Queue of a connection in the NIC. Only connections with waiting data have one; when all its places are
/// free again, it is reused for another connection.
struct alignas(64) CircuitQueue : WordQueue {
  explicit CircuitQueue(const Timing& timing) : WordQueue(timing) {}
  bool rests = false;               // in the table's list of queues to be reused
  Time due{};                       // an unloaded network would deliver the message at the head by then
  CircuitState* circuit = nullptr;  // the circuit that uses it or used it last
};

/// State of a connection in the NIC and in the switch: two cache lines, because in a large switch nearly
/// every access is a miss. The demand guard reads only the first line.
struct alignas(64) CircuitState {
  CircuitState(const Timing& timing, Connection c) : connection(c), path(timing.circuit_of(c)) {}
  /// Resets the state for `c`.
  void reset(const Timing& timing, Connection c) { *this = CircuitState(timing, c); }
  /// Whether no data waits and none will enter the queue.
  bool finished() const { return !holds_data; }
  /// Whether data waits or its last word is on the link.
  bool waits(Time now) const { return !finished() || now < gone; }
  operator WordQueue&() { return *queue; }  // requires: not finished

  Connection connection;
  Time busy_since{}, gone{};           // NIC: data waits from, until (last word completely on the link)
  Time gone_before{};                  // `gone` before busy_since
  Time established_since{};            // switch
  Time patience_ends = Time::never();  // of the demand guard; never: it does not watch the connection
  std::uint32_t attempts = 0;          // of the guard
  std::uint32_t slot = 0;              // that it is established in
  bool established = false;
  bool holds_data = false;  // as queue->finished() would say
  // NIC
  bool in_table = false;
  bool requested = false;             // and not notified yet
  bool at_switch = false;             // the last control word sent is a request: the switch may know it
  bool demanding = false;             // requested because data waits
  bool releasing = false;             // release sent while in the table
  bool release_due = false;           // release when no data waits
  bool in_reuse_queue = false;        // of the table
  bool by_worms = false;              // worms under way count as a use of it
  std::uint32_t waiting_signals = 0;  // switch: signals that data waits, less those that none does
  CircuitQueue* queue = nullptr;
  Time path;  // from the link to the receiver's NIC
  Time requested_at{};
  Time gate{};              // earliest start of words, after all worms
  Time used_in{-1};         // end of the last window with a word
  std::uint64_t words = 0;  // switch: offered, less those that its slots have room for
  Time due{};               // switch: of the last signal
};
static_assert(sizeof(CircuitState) == 128);

class CircuitTable {
 public:
  using Predictors = std::span<const std::unique_ptr<Predictor>>;  // by source

  /// `now`: the instant at which the functions are called. A predictor may need the last use of a connection
  /// that it holds, whose state is then kept.
  CircuitTable(std::uint32_t ports, const Timing& timing, const Time& now, Predictors predictors)
      : timing_(timing), now_(now), predictors_(predictors), circuits_(ports) {}

  /// The state of `c`; it is created if there is none. The reference is valid while the connection is used.
  CircuitState& at(Connection c) {
    if (CircuitState* known = find(c); known != nullptr) return *known;
    return create(c);
  }
  /// The state of `c`; nullptr: it was not used or its state was reused.
  CircuitState* find(Connection c) { return circuits_.find(c.source, c.destination); }
  /// All states that exist, in the order of their creation.
  auto& all() { return circuits_.all(); }
  const auto& all() const { return circuits_.all(); }

  /// The queue of `c` for a message that enters it now. If `c` has none, it gets one with no place taken.
  CircuitQueue& queue_for(CircuitState& c);
  /// `queue` is finished: it can be reused when its last word has left.
  void let_rest(CircuitQueue& queue) {
    if (!queue.rests) resting_.push(&queue);
    queue.rests = true;
  }
  /// `c` is neither established nor requested: its state can be reused when nothing depends on it.
  void queue_for_reuse(CircuitState& c);

 private:
  CircuitState& create(Connection c);
  bool is_unused(const CircuitState& c) const;

  const Timing& timing_;
  const Time& now_;
  Predictors predictors_;
  ConnectionTable<CircuitState> circuits_;
  Ring<CircuitState*> reuse_queue_;  // neither established nor requested when added
  StableArray<CircuitQueue> queues_;
  Ring<CircuitQueue*> resting_;  // finished, or in use again
};

}  // namespace hybrid
