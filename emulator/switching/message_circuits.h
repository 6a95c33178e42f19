// Base class of coll and chen-liu: one circuit for each long message (D 2.3.2), on split links
// (emulator/switching/split_links.h) with one channel per link.
//
// A NIC reserves for one message at a time, in the order of offering: when the channel is free of the
// previous message, the control word leaves one NIC delay later. A message is offered before all its words
// are generated; its words leave as they enter the queue.
#pragma once

#include <vector>

#include "emulator/switching/split_links.h"

namespace hybrid {

class MessageCircuits : public SplitLinks {
 public:
  explicit MessageCircuits(const SwitchParameters& parameters)
      : SplitLinks(parameters, 1), senders_(parameters.nodes) {}

 protected:
  enum MessageKinds : std::uint32_t { kFinished = kOwnNic, kOwnReply };

  /// Reserves the circuit for the first message in the queue of `c`. The control word leaves at `leaves`.
  virtual void send_reservation(Time leaves, Connection c) = 0;
  /// All words of the message are scheduled; the last one ends on the link at `gone`.
  virtual void on_words_sent(Time /*gone*/, Connection /*c*/) {}
  /// The last word of the message has left.
  virtual void on_message_sent(Time now, Connection c) = 0;

  /// The NIC is informed, at `now`, that its circuit was established at `established`.
  void accept_grant(Time now, Time established, Connection c);

  /// Destinations of the messages that wait at `source`, one entry per message. The first one is reserved
  /// for.
  Ring<Port>& waiting_destinations(Port source) { return senders_[source].waiting; }

  bool takes_circuit(const CircuitQueue& /*queue*/, Bytes bytes) final {
    return bytes >= parameters_.split_size;
  }
  void request_circuit(Time now, CircuitQueue& queue) override;
  void send_ready_words(Time now, CircuitQueue& queue) final;
  void handle_circuit_event(Time now, const SwitchEvent& event) final;
  /// Handles an event of a derived class.
  virtual void handle_control_event(Time now, const SwitchEvent& event) = 0;

 private:
  struct Sender {
    Ring<Port> waiting;
    bool busy = false;                // with the first message, until its last word has left
    CircuitQueue* granted = nullptr;  // its circuit is established, and no words were sent
    Time free{};                      // earliest start of the next word
  };
  void reserve_next(Time leaves, Port source);

  std::vector<Sender> senders_;
};

}  // namespace hybrid
