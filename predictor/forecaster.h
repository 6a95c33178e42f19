// What comes next in a stream of sends: the part of a predictor that learns. What is held for it is another's
// affair (forecast_predictor.h).
//
// Contract: no clock, no hidden randomness, no allocation after construction; the cost of a call does not
// depend on the number of destinations. Destinations are below 65,535.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/connection.h"

namespace hybrid {

/// A destination to come.
struct Expected {
  Port destination = kNoPort;
  std::uint8_t confidence = 0;  // in 255ths
  std::uint8_t sends = 0;       // how many sends from now; 1 is the next one
};

class Forecaster {
 public:
  virtual ~Forecaster() = default;

  /// A message of that size class went to `destination` from the call site `site`.
  virtual void learn(Port destination, std::uint8_t size_class, std::uint64_t site) = 0;
  /// The destinations expected after what was learnt, the nearest and most likely first; destinations may
  /// repeat. Fills `out` from its begin, and says how many there are.
  virtual std::size_t expect(std::span<Expected> out) = 0;
  /// A flush: what comes next does not follow from what came last. What was learnt is kept.
  virtual void forget_position() = 0;
  /// All its memory, itself included.
  virtual std::size_t state_bytes() const = 0;
};

}  // namespace hybrid
