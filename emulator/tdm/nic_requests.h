// Requests and releases of the NICs in predictive circuit switching: each NIC's predictor decides, data that
// waits demands, and the NIC's predicted circuit switching table shows what is established (D 3.3, 5.2).
//
// - The predictor is consulted at each message. Its requests are sent at once. A release waits until no data
//   waits for the connection; then the predictor is consulted again, with the instant of the last use
//   (Predictor::take_back). Worms need no circuit: while some of the connection are under way in the hybrid
//   switch, only a predictor that depends on use (would_take_back) waits for their end.
// - A connection that is lost while data waits for it (flush, preload, demand guard) is requested again: the
//   data stays in its queue and is sent in order.
// - After a flush the predictor holds nothing. The release of a connection that data requests again then is
//   due when the data has left, unless its next message comes before.
// - If circuits are set up before data waits for them (a CircuitPlan), the NIC reports to the switch which
//   destination it expects to use next (emulator/tdm/expected_destination.h), and requests again what the
//   predictor holds and expects, but the switch has released for others (demand guard): the predictor does
//   not know of the loss.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "emulator/network/message.h"
#include "emulator/tdm/circuit_table.h"
#include "emulator/tdm/control_wire.h"
#include "emulator/tdm/expected_destination.h"
#include "emulator/tdm/worm_traffic.h"
#include "predictor/predictor.h"

namespace hybrid {

class NicRequests {
 public:
  using Predictors = std::span<const std::unique_ptr<Predictor>>;  // by source

  /// `expected`: before the first message; absent: it is not reported.
  NicRequests(Predictors predictors, const std::optional<ExpectedDestination>& expected, EventQueue& events,
              CircuitTable& circuits, ControlWire& wire, WormTraffic& worms, TechniqueStatistics& statistics);
  void observe(PortTimeline& timeline) { timeline_ = &timeline; }

  /// Consults the predictor about `message`. `waits_for_it`: it will wait in the queue of its connection.
  void on_message(Time now, const Message& message, bool waits_for_it);
  void on_phase(Time now, Port source, std::uint32_t phase);
  /// The requests of `source` are flushed. Connections that data waits for are requested again.
  void on_flush(Time now, Port source);
  /// At the event kDeadline of a predictor.
  void on_deadline(Time now, Port source);
  /// At the event kDrained: no data waits for `c`.
  void on_drained(Time now, Connection c);
  /// At the event kNotice: the table shows that `c` is established, or not any more.
  void on_notice(Time now, CircuitState& c, bool established);

  /// Data waits for `c`: requests it, unless it is in the table or requested so already.
  void demand(Time now, CircuitState& c) {
    if (!c.in_table && !(c.requested && c.demanding)) request(now, c, true);
  }
  /// The data that waited for `c` no longer needs it: releases a request that the predictor does not hold.
  void withdraw(Time now, CircuitState& c);
  /// A message that travels as worms was announced: it uses the circuit, if this is in the table or
  /// requested.
  void serve_by_worms(Time now, Connection c);
  /// The worms that were under way have left. The NIC knows it from `known` on, which is not before now.
  void worms_left(Time known, CircuitState& c);
  /// Number of circuits of `source` with worms under way.
  std::uint32_t served_by_worms(Port source) const { return served_by_worms_[source]; }
  /// Whether `c.source` has reported that it expects to use `c` next.
  bool expects(Connection c) const {
    return !expected_.empty() && expected_[c.source].reported() == c.destination;
  }
  /// Whether it has not reported that it expects to use another circuit next.
  bool keeps(Connection c) const {
    return expects(c) || expected_.empty() || expected_[c.source].reported() == kNoPort;
  }

  void visit(StateVisitor& v);

 private:
  void apply(Time now, Port source, const Predictor::Decisions& decisions, Port offered);
  void request(Time now, CircuitState& c, bool demand);
  void release(Time now, CircuitState& c);
  void release_when_drained(Time now, CircuitState& c, bool offered);
  void note_worms(Time now, CircuitState& c);
  void watch_deadline(Time now, Port source);
  void prepare_expected(Time now, Port source, Port last, Port offered);

  EventQueue& events_;
  CircuitTable& circuits_;
  ControlWire& wire_;
  WormTraffic& worms_;
  TechniqueStatistics& statistics_;
  PortTimeline* timeline_ = nullptr;

  Predictors predictors_;
  std::vector<Time> deadline_watched_;          // by source
  std::vector<ExpectedDestination> expected_;   // by source; empty: not reported
  std::vector<std::uint32_t> served_by_worms_;  // by source
};

}  // namespace hybrid
