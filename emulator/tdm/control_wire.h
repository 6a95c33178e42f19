// Control words from the NICs of predictive circuit switching to the switch (D 5.2), and the order of the
// events of both at one instant.
//
// A control word leaves a NIC one NIC delay after the decision and is at the switch one wire delay later. It
// takes no bandwidth from data. Words arrive in the order in which they were sent.
#pragma once

#include <cstdint>
#include <utility>

#include "core/configuration.h"
#include "core/connection.h"
#include "core/time.h"
#include "emulator/network/engine.h"
#include "emulator/network/ring.h"
#include "emulator/tdm/allocation.h"

namespace hybrid {

/// Event kinds (see EventKinds), in the order of an instant: NIC, control words at the switch (16 to 31 are
/// for arrivals of a technique), demand guard, scheduler port, slots. 64 and larger are for techniques.
enum CircuitEventKinds : std::uint32_t {
  kNotice = kFirstOwnKind,
  kDeadline,
  kDrained,
  kControl = 32,
  kSignal,
  kPatience,
  kPort,
  kBoundary,
  kWindow
};

struct ControlWord {
  enum class What : std::uint8_t {
    request,
    demand,  // a request for waiting data
    release,
    preload,  // `circuits` into `slot`
    load,     // a request for each of `circuits`
    flush,    // `connection.source`, kNoPort: all
    offer,    // a message with `words` was offered, for the circuit of `connection`; as worms: to kNoPort
    expect    // `connection.source` expects to use this destination next
  } what;
  Connection connection;
  std::uint32_t slot = 0;
  Traffic words{};
};

class ControlWire {
 public:
  ControlWire(const Timing& timing, EventQueue& events) : timing_(timing), events_(events) {}

  void send(Time now, const ControlWord& control) {
    words_.push(control);
    events_.push(now + timing_.nic + timing_.control, kControl);
  }
  /// For ControlWord::What::preload and load.
  void send(Time now, const ControlWord& control, const Configuration& circuits) {
    configurations_.push(circuits);
    send(now, control);
  }
  /// The control word that arrives with the event kControl.
  ControlWord receive() {
    const ControlWord control = words_.front();
    words_.pop();
    return control;
  }
  /// The circuits of the control word that was received last. Requires: it has some.
  Configuration receive_circuits() {
    Configuration circuits = std::move(configurations_.front());
    configurations_.pop();
    return circuits;
  }

 private:
  const Timing& timing_;
  EventQueue& events_;
  Ring<ControlWord> words_;
  Ring<Configuration> configurations_;
};

}  // namespace hybrid
