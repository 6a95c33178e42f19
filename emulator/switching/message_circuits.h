// What coll and chen-liu share: a circuit for each long message by itself (D 2.3.2), on links that are split
// (emulator/switching/split_links.h), one channel a link.
//
// A NIC reserves for one message at a time, in the order in which they were offered: when the channel is free
// of the message before, its control word leaves one NIC delay later. A message is offered before it is
// handed over whole: its words leave as they come.
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

  /// The NIC reserves for the first message in the queue of `c`; its control word leaves at `leaves`.
  virtual void send_reservation(Time leaves, Connection c) = 0;
  /// The last word of the message will have gone at `gone`.
  virtual void on_words_sent(Time /*gone*/, Connection /*c*/) {}
  /// It has.
  virtual void on_message_sent(Time now, Connection c) = 0;

  /// The NIC learns, at `now`, that its circuit was established at `established`.
  void accept_grant(Time now, Time established, Connection c);

  /// Destinations for whose messages `source` waits, one entry a message; the front one is reserved for.
  Ring<Port>& waiting_destinations(Port source) { return senders_[source].waiting; }

  bool takes_circuit(const CircuitQueue& /*queue*/, Bytes bytes) final {
    return bytes >= parameters_.split_size;
  }
  void request_circuit(Time now, CircuitQueue& queue) override;
  void send_ready_words(Time now, CircuitQueue& queue) final;
  void handle_circuit_event(Time now, const SwitchEvent& event) final;
  /// A control word that is neither of this class nor a worm's.
  virtual void handle_control_event(Time now, const SwitchEvent& event) = 0;

 private:
  struct Sender {
    Ring<Port> waiting;
    bool busy = false;                // with the front one, until its last word has gone
    CircuitQueue* granted = nullptr;  // its circuit is there, its words have not been sent
    Time free{};                      // earliest start of the next word
  };
  void reserve_next(Time leaves, Port source);

  std::vector<Sender> senders_;
};

}  // namespace hybrid
