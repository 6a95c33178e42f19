#include "emulator/switching/message_circuits.h"

namespace hybrid {

void MessageCircuits::request_circuit(Time now, CircuitQueue& queue) {
  Sender& sender = senders_[queue.connection.source];
  sender.waiting.push(queue.connection.destination);
  if (!sender.busy) reserve_next(now + timing_.nic, queue.connection.source);
}

void MessageCircuits::reserve_next(Time leaves, Port source) {
  Sender& sender = senders_[source];
  sender.busy = true;
  ++statistics_.requests;
  const Connection c{source, sender.waiting.front()};
  note_request(leaves - timing_.nic, circuit(c));
  send_reservation(leaves, c);
}

void MessageCircuits::accept_grant(Time now, Time established, Connection c) {
  CircuitQueue& queue = circuit(c);
  note_grant(now, queue);
  note_established(established, queue);
  senders_[c.source].granted = &queue;
  send_ready_words(now, queue);
}

void MessageCircuits::send_ready_words(Time now, CircuitQueue& queue) {
  const Connection c = queue.connection;
  Sender& sender = senders_[c.source];
  if (sender.granted != &queue || queue.gate == Time::never()) return;
  sender.granted = nullptr;
  send_words(now, queue, queue.segments.front().words, 0, sender.free);
  on_words_sent(sender.free, c);
  events_.push(sender.free, kFinished, c.source, c.destination);
}

void MessageCircuits::handle_circuit_event(Time now, const SwitchEvent& event) {
  if (event.kind() != kFinished) return handle_control_event(now, event);
  const Connection c{event.a, event.b};
  Sender& sender = senders_[c.source];
  ++statistics_.releases;
  note_released(now + timing_.wire, circuit(c));
  on_message_sent(now, c);
  sender.waiting.pop();
  sender.busy = false;
  if (!sender.waiting.empty()) reserve_next(now + timing_.nic, c.source);
}

}  // namespace hybrid
