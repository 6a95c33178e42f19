// Size-threshold splitting with a probing header (D 2.3.2; Chen and Liu, D [35]).
//
// "They divided the channels into a short message channel and a long message channel": links are split.
// Messages below `split_size` go as worms. For a longer one "a probing signal is initiated by the source node
// first", which reserves as it travels; "if the destination node receives the probing signal, a success
// acknowledging message is sent back", and the path is there. In one switch there is one path: where a probe
// finds the output taken, a depth-first search has nowhere else to go, and it waits there.
//
// Timing, beside emulator/switching/split_links.h (a worked example is in docs/timing.md)
// - The probe leaves one NIC delay after the message was offered (or its channel came free), and is at the
//   switch one wire delay later. There it asks the scheduler (emulator/network/wormhole_scheduler.h, as in
//   emulator/switching/circuit.h) for its output; one scheduler delay and one reconfiguration after the pass
//   the path is reserved, and it goes on: digital fabric, wire.
// - The acknowledgment leaves the destination's NIC one NIC delay later and goes back: wire, digital fabric,
//   wire. Words leave when it is there.
// - When the last word has gone the release leaves the NIC; one wire delay later both ports are free.
// No message is a hit. Preload and flush change nothing.
#pragma once

#include "emulator/network/wormhole_scheduler.h"
#include "emulator/switching/message_circuits.h"

namespace hybrid {

class ChenLiu final : public MessageCircuits {
 public:
  explicit ChenLiu(const SwitchParameters& parameters);

 protected:
  void reserve(Time leaves, Connection c) override;
  void finished(Time now, Connection c) override;
  void handle_control(Time now, const SwitchEvent& event) override;

 private:
  void wake_scheduler(Time now);

  WormholeScheduler scheduler_;
  Time to_source_;  // from the path's reservation until the NIC knows of it
  Time pass_at_ = Time::never();
  Time last_pass_{-1};
};

}  // namespace hybrid
