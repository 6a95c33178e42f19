// Size-threshold splitting with request and clear to send (D 2.3.2; Coll and others, D [34]).
//
// Messages below `split_size` are sent on local information alone ("local dynamic allocation"): as worms. For
// a longer one ("dynamic allocation") both NICs must be free: the sender's, when its channel for circuits is,
// sends a Request To Send to the receiver's, which replies with Clear To Send if it receives no other long
// message, and is then reserved for this one, or else with a Negative Acknowledgment.
//
// Timing, beside emulator/switching/split_links.h (a worked example is in docs/timing.md)
// - The RTS leaves one NIC delay after the message was offered (or its channel came free) and is at the
//   receiver's NIC after wire, digital fabric, wire. The reply leaves one NIC delay later and takes the same
//   way; a CTS sets the analog fabric as it passes the switch, which takes one reconfiguration more.
// - Words leave when the CTS is there. The receiver is free again when the last word has come in.
// - After a NACK the NIC turns to the next message that waits, and comes back to this one after all others (a
//   connection's keep their order); the RTS leaves one NIC delay later, and not before the NIC's next cycle.
// No message is a hit. Preload and flush change nothing.
#pragma once

#include "emulator/switching/message_circuits.h"

namespace hybrid {

class Coll final : public MessageCircuits {
 public:
  explicit Coll(const SwitchParameters& parameters);

 protected:
  void reserve(Time leaves, Connection c) override;
  void sent(Time gone, Connection c) override;
  void finished(Time /*now*/, Connection /*c*/) override {}
  void handle_control(Time now, const SwitchEvent& event) override;

 private:
  std::vector<Time> receiver_free_;  // by port; Time::never() while reserved for a message not yet sent
};

}  // namespace hybrid
