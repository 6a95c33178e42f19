// The destination that a NIC expects to send to next, and whether it is worth a report to the switch: for
// circuits that are set up before data waits for them (emulator/tdm/circuit_plan.h).
//
//   ExpectedDestination expected;
//   expected.judge(destination);  // at each send, before the predictor learns it
//   if (expected.update(predictor, source, destination, least_accuracy)) send(expected.reported());
#pragma once

#include "core/connection.h"
#include "predictor/predictor.h"

namespace hybrid {

class ExpectedDestination {
 public:
  /// Compares the destination of a send with what was expected.
  void judge(Port destination) {
    constexpr double kRecent = 8;  // sends
    accuracy_ += ((expected_ == destination ? 1.0 : 0.0) - accuracy_) / kRecent;
  }
  /// Expects what `predictor` does, else the last destination `last` of `source` (kNoPort: none). Returns
  /// whether the report changes. It is made while at least `least_accuracy` of the recent sends (0 to 1) were
  /// expected.
  bool update(const Predictor& predictor, Port source, Port last, double least_accuracy) {
    Predictor::Expectation first;
    if (predictor.expect({&first, 1}) != 0)
      expected_ = first.destination;
    else if (last != kNoPort)
      expected_ = last;
    const Port report = accuracy_ >= least_accuracy && expected_ != source ? expected_ : kNoPort;
    const bool changes = report != reported_;
    reported_ = report;
    return changes;
  }
  /// What the switch was informed of last; kNoPort: unknown.
  Port reported() const { return reported_; }

 private:
  Port expected_ = kNoPort, reported_ = kNoPort;
  double accuracy_ = 0;  // share that was right, of the recent ones
};

}  // namespace hybrid
