// Interface of a technique: a complete emulated network that accepts messages and reports their delivery.
//
// The driver (a replayed job, a traffic pattern) and the technique share one time line:
//   loop: t = min(driver's next action, technique.next_event());
//         at t, call send/preload/flush, or technique.advance(t, listener).
// A technique starts empty at time 0, is deterministic, and has no state outside of the object.
//
// Techniques register themselves by name (emulator/switching, one file each):
//   const auto technique = TechniqueRegistration::make("tdm", parameters);
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

  /// Sends a message at `at`. Requires: `at` is not before the last advance() and not after next_event().
  virtual void send(Time at, const Message& message) = 0;
  /// Preload and flush of the compiler or the user. Techniques without circuits ignore both.
  virtual void preload(Time /*at*/, std::uint32_t /*slot*/, const Configuration& /*configuration*/) {}
  /// A phase begins whose working set, part `slot` of it, is hinted. By default preloads it. Otherwise its
  /// connections are requested ahead: other connections may take their places.
  virtual void load_hinted(Time at, std::uint32_t slot, const Configuration& configuration) {
    preload(at, slot, configuration);
  }
  virtual void flush(Time /*at*/, Port /*source*/) {}
  /// The program at `source` begins a named phase (Predictor::on_phase).
  virtual void begin_phase(Time /*at*/, Port /*source*/, std::uint32_t /*phase*/) {}

  /// Lower bound of the next listener call, unless a message is sent before. Time::never(): no message is in
  /// flight.
  virtual Time next_event() const = 0;
  /// Runs until `until`, inclusive, or until the first instant with a listener call, so that the driver can
  /// react at that same instant. Returns the time reached. The listener must not call the technique.
  virtual Time advance(Time until, TransferListener& listener) = 0;

  /// Disables TransferListener::injected(), for drivers whose PEs do not wait for it. Requires: no message
  /// was sent.
  virtual void disable_injection_reports() {}
  /// Reports the activity of the ports to `timeline`, which must outlive the technique. Requires: no message
  /// was sent.
  virtual void observe(PortTimeline& /*timeline*/) {}

  virtual TechniqueStatistics statistics() const = 0;
};

/// A registration states the options that the technique uses of those that not all techniques use, and
/// whether it runs on fat trees.
using TechniqueRegistration = Registration<Technique, const SwitchParameters&>;

// Groups of those options, after what a switch needs to use them.

inline OptionNames slot_options() {
  return {
      "slots",           "allocation",           "slot-length",     "wormhole-slot-length", "guard",
      "eviction",        "demand-guard",         "scheduler",       "scheduler-steps",      "slots-per-pass",
      "predictor",       "predictor-timeout",    "predictor-pause", "predictor-threshold",  "predictor-order",
      "predictor-ahead", "predictor-confidence", "preload",         "preload-path",         "tree-turn",
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
inline OptionNames worm_options() {
  return {"worm-limit", "worm-overhead", "worm-headers", "worm-lookahead", "input-queues", "input-buffer"};
}
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
