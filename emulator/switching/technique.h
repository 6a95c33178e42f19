// A technique: a whole emulated network seen from outside. Messages go in, their last words come out.
//
// The driver (a replayed job, a traffic pattern) and the technique share one time line:
//   loop: t = min(driver's next action, technique.next_event());
//         act at t with send/preload/flush, or technique.advance(t, listener).
// A technique starts empty at time 0, is deterministic, and holds no state outside itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/configuration.h"
#include "core/connection.h"
#include "core/registry.h"
#include "core/time.h"
#include "core/units.h"
#include "emulator/parameters.h"

namespace hybrid {

/// What a PE hands to its NIC. Zero bytes still travel as one word. Source and destination differ.
struct Message {
  std::uint64_t id = 0;
  Connection connection;
  Bytes bytes = 0;
  std::uint64_t site = 0;  // of the call that sends it, for the predictor; 0: unknown
};

class TransferListener {
 public:
  virtual ~TransferListener() = default;
  /// The message's last word has left the PE: a blocking send returns.
  virtual void injected(Time at, const Message& message) = 0;
  /// The message's last word has reached the destination PE: a receive completes. `hit`: it left by a circuit
  /// that its NIC knew as established when the PE offered the first word.
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

class PortTimeline;  // emulator/network/timeline.h

class Technique {
 public:
  static constexpr std::string_view kKind = "technique";
  virtual ~Technique() = default;

  /// `at` is not before the last advance and not after next_event().
  virtual void send(Time at, const Message& message) = 0;
  /// Compiler or user knowledge; techniques without circuits ignore both.
  virtual void preload(Time /*at*/, std::uint32_t /*slot*/, const Configuration& /*configuration*/) {}
  virtual void flush(Time /*at*/, Port /*source*/) {}
  /// What runs at `source` comes to a phase with a name (Predictor::on_phase).
  virtual void begin_phase(Time /*at*/, Port /*source*/, std::uint32_t /*phase*/) {}

  /// No listener call comes before this time unless something is sent; Time::never() when nothing is in
  /// flight.
  virtual Time next_event() const = 0;
  /// Runs up to and including `until`, but returns after the first instant at which it called the listener,
  /// so that what that causes can be sent at that same instant. Returns the time reached. The listener must
  /// not call back.
  virtual Time advance(Time until, TransferListener& listener) = 0;

  /// Has the listener not told of messages that have left their PE: for a driver whose PEs never wait for
  /// that. Before the first send.
  virtual void tell_no_injections() {}
  /// Has `timeline`, which must outlive the technique, told what the ports do; before the first send.
  virtual void observe(PortTimeline& /*timeline*/) {}

  virtual TechniqueStatistics statistics() const = 0;
};

using TechniqueRegistration = Registration<Technique, const SwitchParameters&>;

}  // namespace hybrid
