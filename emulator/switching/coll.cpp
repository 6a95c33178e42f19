#include "emulator/switching/coll.h"

namespace hybrid {

namespace {

const TechniqueRegistration kColl{
    "coll", "short messages as worms, long ones by circuit after RTS and CTS, links split (D 2.3.2)",
    [](const SwitchParameters& p) -> std::unique_ptr<Technique> { return std::make_unique<Coll>(p); }};

// Replies come before requests: a NIC whose reservation ends at an instant is free at it.
constexpr std::uint32_t kClear = 8, kRefused = 9, kRequestToSend = 10;

}  // namespace

Coll::Coll(const SwitchParameters& parameters)
    : MessageCircuits(parameters), receiver_free_(parameters.nodes) {}

void Coll::reserve(Time leaves, Connection c) {
  events_.push_sorted(leaves + past_switch(), kRequestToSend, c.source, c.destination);
}

void Coll::sent(Time gone, Connection c) { receiver_free_[c.destination] = gone + timing_.circuit; }

void Coll::handle_control(Time now, const SwitchEvent& event) {
  const Connection c{event.a, event.b};
  switch (event.kind()) {
    case kRequestToSend: {
      Time& free = receiver_free_[c.destination];
      const Time reply = now + timing_.nic + past_switch();
      if (free <= now) {
        free = Time::never();
        events_.push(reply + timing_.reconfiguration, kClear, c.source, c.destination);
      } else {
        events_.push(reply, kRefused, c.source, c.destination);
      }
      break;
    }
    case kClear:
      granted(now, now - timing_.wire, c);
      break;
    default:  // kRefused
      refused(now, c);
  }
}

}  // namespace hybrid
