// A technique: a whole emulated network seen from outside. Messages go in, their last words come out.
//
// The driver (a replayed job, a traffic pattern) and the technique share one time line:
//   loop: t = min(driver's next action, technique.next_event());
//         act at t with send/preload/flush, or technique.advance(t, listener).
// A technique starts empty at time 0, is deterministic, and holds no state outside itself.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/configuration.h"
#include "core/connection.h"
#include "core/registry.h"
#include "core/time.h"
#include "emulator/network/message.h"
#include "emulator/parameters.h"

namespace hybrid {

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
  virtual void disable_injection_reports() {}
  /// Has `timeline`, which must outlive the technique, told what the ports do; before the first send.
  virtual void observe(PortTimeline& /*timeline*/) {}

  virtual TechniqueStatistics statistics() const = 0;
};

/// A registration states the options that the technique uses of those that not all techniques use, and
/// whether it runs on fat trees.
using TechniqueRegistration = Registration<Technique, const SwitchParameters&>;

// Groups of those options, after what a switch needs to use them.

inline OptionNames slot_options() {
  return {"slots",
          "allocation",
          "slot-length",
          "wormhole-slot-length",
          "guard",
          "scheduler",
          "scheduler-steps",
          "predictor",
          "predictor-timeout",
          "predictor-pause",
          "predictor-threshold",
          "predictor-order",
          "predictor-ahead",
          "predictor-confidence",
          "preload",
          "preload-topology"};
}
inline OptionNames circuit_options() {
  return {"fabric",
          "reconfiguration",
          "reconfiguration-command",
          "reconfiguration-switching",
          "reconfiguration-lock",
          "analog-fabric-cycle",
          "analog-fabric-latency"};
}
inline OptionNames worm_options() { return {"worm-limit", "worm-overhead", "input-queues"}; }
inline OptionNames flit_options() { return {"flit"}; }
inline OptionNames digital_fabric_options() { return {"digital-fabric-cycle", "digital-fabric-latency"}; }
/// Links divided between circuits and worms.
inline OptionNames split_link_options() {
  return joined({{"circuit-share", "split-size"},
                 circuit_options(),
                 worm_options(),
                 flit_options(),
                 digital_fabric_options()});
}

}  // namespace hybrid
