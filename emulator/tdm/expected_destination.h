// The destination for which a NIC wants a circuit before data waits, and whether it is worth a report to the
// switch: for circuits that are set up in advance (emulator/tdm/circuit_plan.h).
//
// It is the destination of the next message: that which the predictor expects, else the last one. If messages
// follow each other faster than the fabric can be reconfigured, that circuit comes too late. With a packet
// plane, which carries the other messages meanwhile, the NIC therefore compares two shares of the bytes that
// it sent in the last one to two periods: those that a circuit to the next destination would have carried in
// time, and those of the destination with most bytes, and wants the better circuit. A period is the time that
// a circuit must last to pay for its reconfiguration; another destination must have so many more bytes that
// the change pays, too.
//
//   ExpectedDestination expected(parameters, least_accuracy, period);
//   expected.note_send(now, destination, bytes);  // at each send, before the predictor learns it
//   if (expected.update(predictor, source, destination)) send(expected.reported());
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/connection.h"
#include "core/time.h"
#include "emulator/parameters.h"
#include "predictor/predictor.h"

namespace hybrid {

class ExpectedDestination {
 public:
  /// A report of the next destination is made while at least `least_accuracy` of the recent sends (0 to 1)
  /// were expected. `period`: CircuitPlan::protection().
  ExpectedDestination(const SwitchParameters& parameters, double least_accuracy, Time period)
      : least_accuracy_(least_accuracy),
        change_(parameters.has_packet_plane() ? parameters.unusable_slot_time(true) : Time{}),
        period_(period) {}

  /// A message to `destination` is offered. `now` does not decrease.
  void note_send(Time now, Port destination, Bytes bytes) {
    constexpr double kRecent = 8;  // sends
    accuracy_ += ((expected_ == destination ? 1.0 : 0.0) - accuracy_) / kRecent;
    if (change_ == Time{}) return;
    begin_periods_until(now);
    now_ = now;
    if (next_ == destination && now >= next_ready_) in_time_.bytes += bytes;
    share_of(destination).bytes += bytes;
  }
  /// A phase with other traffic begins: what was sent before does not count.
  void begin_phase() {
    used_ = 0;
    in_time_ = {};
  }

  /// Expects what `predictor` does, else the last destination `last` of `source` (kNoPort: none). Returns
  /// whether the report changes.
  bool update(const Predictor& predictor, Port source, Port last) {
    Predictor::Expectation first;
    if (predictor.expect({&first, 1}) != 0)
      expected_ = first.destination;
    else if (last != kNoPort)
      expected_ = last;
    Port report = accuracy_ >= least_accuracy_ && expected_ != source ? expected_ : kNoPort;
    if (change_ != Time{}) {
      if (report != kNoPort && report != next_) {
        next_ = report;
        next_ready_ = now_ + change_;
      }
      if (const Share most = most_bytes(source); most.sum() > in_time_.sum()) report = most.destination;
    }
    const bool changes = report != reported_;
    reported_ = report;
    return changes;
  }
  /// What the switch was informed of last; kNoPort: unknown.
  Port reported() const { return reported_; }

 private:
  struct Share {
    Port destination = kNoPort;
    Bytes bytes = 0, before = 0;  // in this period, in the last one
    Bytes sum() const { return bytes + before; }
  };

  auto end() { return shares_.begin() + static_cast<std::ptrdiff_t>(used_); }
  void begin_periods_until(Time now) {
    if (now - began_ < period_) return;
    const bool follows = now - began_ < period_ * 2;
    began_ += period_ * ((now - began_) / period_);
    const auto begin_period = [follows](Share& share) {
      share.before = follows ? share.bytes : 0;
      share.bytes = 0;
    };
    std::for_each(shares_.begin(), end(), begin_period);
    begin_period(in_time_);
    used_ = static_cast<std::size_t>(
        std::remove_if(shares_.begin(), end(), [](const Share& s) { return s.sum() == 0; }) -
        shares_.begin());
  }
  /// The share of `destination`, new if it has none. If there is no place, the smallest one is forgotten.
  Share& share_of(Port destination) {
    const auto found =
        std::find_if(shares_.begin(), end(), [&](const Share& s) { return s.destination == destination; });
    if (found != end()) return *found;
    Share& share = used_ < shares_.size()
                       ? shares_[used_++]
                       : *std::min_element(
                             shares_.begin(), shares_.end(),
                             [](const Share& a, const Share& b) { return a.sum() < b.sum(); });
    return share = {destination};
  }
  /// The destination with most bytes, of equals the first; the reported one unless the change pays.
  Share most_bytes(Port source) const {
    Share most, reported;
    for (std::size_t i = 0; i < used_; ++i) {
      const Share& s = shares_[i];
      if (s.destination == reported_) reported = s;
      if (s.destination != source && s.sum() > most.sum()) most = s;
    }
    // Of a period, the change leaves the rest for the new circuit.
    const auto gained = static_cast<double>(most.sum()) * static_cast<double>((period_ - change_).ps);
    return gained > static_cast<double>(reported.sum()) * static_cast<double>(period_.ps) ? most : reported;
  }

  double least_accuracy_;
  Time change_;  // zero: only the next destination counts
  Time period_;
  Port expected_ = kNoPort, reported_ = kNoPort;
  double accuracy_ = 0;  // share that was right, of the recent ones
  Time began_{}, now_{};
  Port next_ = kNoPort;  // the circuit that the source would have if only the next destination counted
  Time next_ready_{};
  Share in_time_;  // what that circuit would have carried
  // Of the destinations with most bytes: a circuit that carries less than a sixteenth is of little use.
  // Constant time and no allocation at each send.
  std::array<Share, 16> shares_;
  std::size_t used_ = 0;
};

}  // namespace hybrid
