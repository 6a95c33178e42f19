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
//
// While a receiver takes a message of gigabytes, a NIC that wants it is refused millions of times. Until when
// each receiver is busy is known, so that rounds whose NACK is certain are not gone through one by one: a
// NIC's next event is its first RTS that may find a free receiver. What was passed is made up for when that
// one is there, or when another message joins those that wait.
#pragma once

#include "emulator/switching/message_circuits.h"

namespace hybrid {

class Coll final : public MessageCircuits {
 public:
  explicit Coll(const SwitchParameters& parameters);

 protected:
  void wanted(Time now, CircuitQueue& queue) override;
  void reserve(Time leaves, Connection c) override;
  void sent(Time gone, Connection c) override;
  void finished(Time /*now*/, Connection /*c*/) override {}
  void handle_control(Time now, const SwitchEvent& event) override;

 private:
  struct Receiver {
    bool reserved = false;  // for a message not yet sent
    Time free{};            // reserved: not before then, but maybe later
  };
  /// A NIC's requests, which go round the messages that wait.
  struct Rounds {
    Time request = Time::never();   // when the RTS for the front one is there; never(): it asks for none
    Time possible = Time::never();  // when the first that may be granted is; never(): none is as yet
  };

  void requested(Time now, Port source);
  void catch_up(Time now, Port source);
  void look_ahead(Time from, Port source);
  Time first_possible(Time from, Port source);
  /// From an RTS at the receiver to the NACK at the sender.
  Time reply() const { return timing_.nic + past_switch(); }
  /// From there to the next RTS on its way.
  Time pause() const { return std::max(timing_.nic, parameters_.nic.cycle); }
  Time round() const { return reply() + pause() + past_switch(); }

  std::vector<Receiver> receivers_;  // by port
  std::vector<Rounds> rounds_;       // by port
};

}  // namespace hybrid
