// A predictor decides, from one port's (or rank's) stream of sends, which connection to request next and
// which to release (D 5.2.2). The same code runs in the shim on each rank as it sends and in the emulator's
// NIC.
//
// Contract
// - No clock and no randomness of its own: time is passed in, never decreasing. No allocation, lock or system
//   call after construction; cost per event does not depend on the number of destinations.
// - It holds the set of destinations that it has requested and not released ("held"). It requests only what
//   it does not hold and releases only what it holds; with a capacity it never holds more than that.
// - Whether a request was granted is the scheduler's affair; a predictor is not told.
// - The returned spans stay valid until the next call on the same predictor.
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

/// What a predictor is built for, and the parameters that some of them read.
struct PredictorShape {
  std::uint32_t destinations = 0;    // destinations are 0 .. destinations-1
  std::uint32_t capacity = 0;        // most destinations held at once; 0: no limit of its own
  Time timeout = microseconds(100);  // time-out: released when unused for this long
  std::uint32_t threshold = 16;      // counter-threshold: released after this many sends to others
  Time pause = Time{};  // time-out: of a stretch without sends, no more than this counts; 0: all of it
  // Those that expect destinations ahead of their sends:
  std::uint32_t ahead = 4;            // requested ahead at most, 1 .. 8
  std::uint32_t order = 3;            // markov: how many destinations are remembered, 1 .. 8
  std::uint8_t least_confidence = 0;  // in 255ths: what is expected with less is not requested
  std::uint64_t seed = 1;             // tdnn: its first weights
  std::span<const Port> future{};     // oracle: all destinations to come; must outlive the predictor
};

class Predictor {
 public:
  static constexpr std::string_view kKind = "predictor";

  /// Order matters: releases first, so that a freed place can serve a request of the same call.
  struct Decisions {
    std::span<const Port> release;
    std::span<const Port> request;
  };

  /// A send to come.
  struct Expectation {
    Port destination = kNoPort;
    std::uint8_t confidence = 0;  // in 255ths
    std::uint8_t sends = 0;       // how many sends from now; 1 is the next one
    std::uint8_t size_class = 0;  // bit width of its bytes: 0 for none, n for 2^(n-1) .. 2^n - 1
    Time at{};                    // when it is likely to come
  };

  virtual ~Predictor() = default;

  /// A message of `bytes` to `destination` is handed to the network at `now`. `site` tells call sites apart
  /// (a tag, a return address) and is 0 where unknown.
  virtual Decisions on_send(Time now, Port destination, Bytes bytes, std::uint64_t site) = 0;

  /// The earliest time at which on_time would decide something if no send comes before; Time::never() if
  /// none. on_time may decide in portions: call it while next_deadline() <= now.
  virtual Time next_deadline() const { return Time::never(); }
  virtual Decisions on_time(Time /*now*/) { return {}; }

  /// For who sees when what was sent has left, as the emulator's NIC does and a rank does not: `destination`,
  /// which is released because it was not used for some time, was in use until `used`, not after `now`. True:
  /// it is held again, as used then. False: the release stands. May be asked any time after the release; the
  /// spans that were returned stay valid.
  virtual bool take_back(Time now, Port destination, Time used) {
    return would_take_back(now, destination, used);
  }
  /// The same without a change. Of a destination that is still in use at `now`: the release then waits until
  /// it is not.
  virtual bool would_take_back(Time /*now*/, Port /*destination*/, Time /*used*/) const { return false; }

  /// The program comes to a phase that it or its compiler names, or back to the one around it: `phase` is the
  /// same number in each of its occurrences. What is held may be kept.
  virtual Decisions on_phase(Time /*now*/, std::uint32_t /*phase*/) { return {}; }
  /// Whether on_phase does anything; where it does not, it need not be called.
  virtual bool takes_phases() const { return false; }

  /// The working set ends here (D 5.2.3): holds nothing afterwards; what was learnt may be kept.
  virtual void on_flush() = 0;

  virtual bool holds(Port destination) const = 0;

  /// What is expected after the last send, the nearest and most likely first: fills `out` from its begin and
  /// says how many there are. For who weighs a request's cost against its chance; on_send's requests do not
  /// depend on it.
  virtual std::size_t expect(std::span<Expectation> /*out*/) const { return 0; }

  /// All memory of this predictor, itself included.
  virtual std::size_t state_bytes() const = 0;
};

using PredictorRegistration = Registration<Predictor, const PredictorShape&>;

}  // namespace hybrid
