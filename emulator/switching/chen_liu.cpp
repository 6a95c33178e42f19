// Technique `chen-liu`: size-threshold splitting with a probing header (D 2.3.2; Chen and Liu, D [35]).
//
// "They divided the channels into a short message channel and a long message channel": links are split.
// Messages below `split_size` travel as worms. For a longer message "a probing signal is initiated by the
// source node first", which reserves the path; "if the destination node receives the probing signal, a
// success acknowledging message is sent back", and the path is established. One switch has one path: a probe
// that finds its output busy waits, because the depth-first search has no alternative.
//
// Timing, in addition to emulator/switching/split_links.h (a worked example is in docs/timing.md)
// - The probe leaves one NIC delay after the message was offered (or its channel became free), and is at the
//   switch one wire delay later. There it requests its output from the scheduler
//   (emulator/network/wormhole_scheduler.h, as in emulator/switching/circuit.cpp). One scheduler delay and
//   one reconfiguration after the pass the path is reserved, and the probe continues: digital fabric, wire.
// - The acknowledgment leaves the destination's NIC one NIC delay later and returns: wire, digital fabric,
//   wire. Words leave when it arrives.
// - When the last word has left, the release leaves the NIC; one wire delay later both ports are free.
// No message is a hit. Preload and flush have no effect.
#include "emulator/network/wormhole_scheduler.h"
#include "emulator/switching/message_circuits.h"

namespace hybrid {

namespace {

// Ports that become free at an instant are free for probes that arrive at that instant.
constexpr std::uint32_t kAcknowledged = 8, kRelease = 64, kProbe = 65, kPass = 128;

class ChenLiu final : public MessageCircuits {
 public:
  explicit ChenLiu(const SwitchParameters& parameters);

 protected:
  void send_reservation(Time leaves, Connection c) override;
  void on_message_sent(Time now, Connection c) override;
  void handle_control_event(Time now, const SwitchEvent& event) override;

 private:
  void schedule_pass(Time now);

  WormholeScheduler scheduler_;
  Time to_source_;  // from the reservation of the path until the NIC knows of it
  PassClock clock_;
};

ChenLiu::ChenLiu(const SwitchParameters& parameters)
    : MessageCircuits(parameters),
      scheduler_(parameters.nodes),
      to_source_(parameters.digital_fabric.delay() + timing_.wire + timing_.nic + control_path_time()),
      clock_(parameters.scheduler.cycle) {}

void ChenLiu::send_reservation(Time leaves, Connection c) {
  events_.push(leaves + timing_.wire, kProbe, c.source, c.destination);
}

void ChenLiu::on_message_sent(Time now, Connection c) {
  events_.push(now + timing_.wire, kRelease, c.source, c.destination);
}

void ChenLiu::schedule_pass(Time now) {
  if (!scheduler_.has_requests()) return;
  if (const Time pass = clock_.schedule_pass(now); pass != Time::never()) events_.push(pass, kPass);
}

void ChenLiu::handle_control_event(Time now, const SwitchEvent& event) {
  const Connection c{event.a, event.b};
  switch (event.kind()) {
    case kAcknowledged:
      accept_grant(now, now - to_source_, c);
      break;
    case kRelease:
      scheduler_.release_ports(c);
      schedule_pass(now);
      break;
    case kProbe:
      scheduler_.request(c);
      schedule_pass(now);
      break;
    default:  // kPass
      clock_.begin_pass(now);
      for (const Connection reserved : scheduler_.run_pass())
        events_.push(now + parameters_.scheduler.delay() + timing_.network_reconfiguration + to_source_,
                     kAcknowledged, reserved.source, reserved.destination);
  }
}

const TechniqueRegistration kChenLiu{
    "chen-liu",
    "short messages as worms, long ones by circuit behind a probing header, links split (D 2.3.2)",
    [](const SwitchParameters& p) -> std::unique_ptr<Technique> { return std::make_unique<ChenLiu>(p); },
    {.options = split_link_options()}};

}  // namespace

}  // namespace hybrid
