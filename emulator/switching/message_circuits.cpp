#include "emulator/switching/message_circuits.h"

namespace hybrid {

void MessageCircuits::wanted(Time now, CircuitQueue& queue) {
  Sender& sender = senders_[queue.connection.source];
  sender.waiting.push(queue.connection.destination);
  if (!sender.busy) next(now + timing_.nic, queue.connection.source);
}

void MessageCircuits::next(Time leaves, Port source) {
  Sender& sender = senders_[source];
  sender.busy = true;
  ++statistics_.requests;
  const Connection c{source, sender.waiting.front()};
  ask(leaves - timing_.nic, circuit(c));
  reserve(leaves, c);
}

void MessageCircuits::granted(Time now, Time established, Connection c) {
  CircuitQueue& queue = circuit(c);
  learn_grant(now, queue);
  establish(established, queue);
  senders_[c.source].granted = &queue;
  ready(now, queue);
}

void MessageCircuits::ready(Time now, CircuitQueue& queue) {
  const Connection c = queue.connection;
  Sender& sender = senders_[c.source];
  if (sender.granted != &queue || queue.gate == Time::never()) return;
  sender.granted = nullptr;
  send_words(now, queue, queue.segments.front().words, 0, sender.free);
  sent(sender.free, c);
  events_.push(sender.free, kFinished, c.source, c.destination);
}

void MessageCircuits::handle_circuits(Time now, const SwitchEvent& event) {
  if (event.kind() != kFinished) return handle_control(now, event);
  const Connection c{event.a, event.b};
  Sender& sender = senders_[c.source];
  ++statistics_.releases;
  end_circuit(now + timing_.wire, circuit(c));
  finished(now, c);
  sender.waiting.pop();
  sender.busy = false;
  if (!sender.waiting.empty()) next(now + timing_.nic, c.source);
}

}  // namespace hybrid
