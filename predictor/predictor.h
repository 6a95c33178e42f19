// Predictor: decides which connections to request and to release, from the stream of sends of one port or
// rank (D 5.2.2). The same code runs in the shim at each rank and in the network interface cards of the
// emulator.
//
//   const auto predictor = PredictorRegistration::make("markov1", {.destinations = 64, .capacity = 4});
//   const Predictor::Decisions decisions = predictor->on_send(now, destination, bytes, site);
//   for (const Port d : decisions.release) ...
//   for (const Port d : decisions.request) ...
//
// Contract
// - Time and seeds are passed in; time never decreases. A predictor has no clock and no hidden randomness. It
//   does not allocate, lock or make system calls after construction. The cost of an event does not depend on
//   the number of destinations.
// - A destination is held from its request to its release. A predictor requests only destinations that it
// does
//   not hold, releases only destinations that it holds, and never holds more than `capacity` destinations.
// - A predictor does not know whether the scheduler granted a request.
// - The returned spans are valid until the next call on the same predictor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/connection.h"
#include "core/registry.h"
#include "core/time.h"
#include "core/units.h"

namespace hybrid {

/// Parameters of a predictor. Each predictor uses some of them.
struct PredictorShape {
  std::uint32_t destinations = 0;    // destinations are 0 .. destinations-1
  std::uint32_t capacity = 0;        // limit on the destinations held at once; 0: no limit
  Time timeout = microseconds(100);  // time-out: a destination is released after this time without use
  std::uint32_t threshold = 16;      // counter-threshold: released after this many sends to others
  Time pause = Time{};  // time-out: limit on the part of an interval without sends that counts; 0: no limit
  // Predictors that request ahead:
  static constexpr std::size_t kMostAhead = 8;
  std::uint32_t ahead = 4;            // limit on the destinations requested ahead, 1 .. kMostAhead
  std::uint32_t order = 3;            // markov: number of destinations in a context, 1 .. 8
  std::uint8_t least_confidence = 0;  // in 255ths: destinations with a lower confidence are not requested
  std::uint64_t seed = 1;             // tdnn: seed of the initial weights
  std::span<const Port> future{};     // oracle: all destinations in order; must outlive the predictor
};

class Predictor {
 public:
  static constexpr std::string_view kKind = "predictor";

  /// Apply the releases before the requests: a request may need a place that a release frees.
  struct Decisions {
    std::span<const Port> release;
    std::span<const Port> request;
  };

  /// An expected send.
  struct Expectation {
    Port destination = kNoPort;
    std::uint8_t confidence = 0;  // in 255ths
    std::uint8_t sends = 0;       // number of sends from now; 1 is the next one
    std::uint8_t size_class = 0;  // bit width of its size: 0 for 0 bytes, n for 2^(n-1) .. 2^n - 1 bytes
    Time at{};                    // estimated time of the send
  };

  virtual ~Predictor() = default;

  /// A message of `bytes` to `destination` enters the network at `now`. `site` identifies the call site (a
  /// tag, a return address); 0 if unknown.
  virtual Decisions on_send(Time now, Port destination, Bytes bytes, std::uint64_t site) = 0;

  /// The earliest time at which on_time() would decide something, without a send before; Time::never() if
  /// there is none. on_time() may return the decisions in portions: call it while next_deadline() <= now.
  virtual Time next_deadline() const { return Time::never(); }
  virtual Decisions on_time(Time /*now*/) { return {}; }

  /// Cancels a release by time-out, for a caller that knows when messages have left (the emulator's NIC, not
  /// a rank). Requires: `destination` was released because it was not used for some time, or by a flush; it
  /// was in use until `used` <= now. Returns true if it is held again, with its last use at `used`; false if
  /// the release remains. May be called any time after the release; the returned spans stay valid.
  virtual bool take_back(Time now, Port destination, Time used) {
    return would_take_back(now, destination, used);
  }
  /// Whether take_back() would return true, without a change. If the destination is still in use at `now`,
  /// the caller postpones the release until the use ends.
  virtual bool would_take_back(Time /*now*/, Port /*destination*/, Time /*used*/) const { return false; }

  /// The program begins a phase that the program or its compiler names, or returns to the enclosing phase.
  /// `phase` is the same number in all occurrences of the phase. Held destinations may stay held.
  virtual Decisions on_phase(Time /*now*/, std::uint32_t /*phase*/) { return {}; }
  /// Whether on_phase() has an effect. If not, calls of it may be omitted.
  virtual bool takes_phases() const { return false; }

  /// The working set ends (D 5.2.3): no destination is held afterwards. What was learnt may be kept.
  virtual void on_flush() = 0;

  virtual bool holds(Port destination) const = 0;

  /// Writes the sends expected after the last send to `out`, the nearest and most likely first, and returns
  /// their number. For a caller that compares the cost of a request with its probability; the requests of
  /// on_send() do not depend on it.
  virtual std::size_t expect(std::span<Expectation> /*out*/) const { return 0; }

  /// Memory of this predictor, including the object itself.
  virtual std::size_t state_bytes() const = 0;
};

using PredictorRegistration = Registration<Predictor, const PredictorShape&>;

}  // namespace hybrid
