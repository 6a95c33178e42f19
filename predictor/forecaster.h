// Forecaster: learns from a stream of sends and forecasts the next destinations. It is the learning part of a
// predictor; ForecastPredictor (forecast_predictor.h) decides from the forecasts which destinations to hold.
//
//   forecaster.learn(destination, size_class, site);
//   std::array<Expected, 4> next;
//   const std::size_t count = forecaster.expect(next);
//
// Contract: no clock, no hidden randomness, no allocation after construction. The cost of a call does not
// depend on the number of destinations. Destinations are below 65,535.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/connection.h"

namespace hybrid {

/// An expected destination.
struct Expected {
  Port destination = kNoPort;
  std::uint8_t confidence = 0;  // in 255ths
  std::uint8_t sends = 0;       // number of sends from now; 1 is the next one
};

class Forecaster {
 public:
  virtual ~Forecaster() = default;

  /// Adds a send to the stream: a message of `size_class` (see Predictor::Expectation) to `destination` from
  /// the call site `site`.
  virtual void learn(Port destination, std::uint8_t size_class, std::uint64_t site) = 0;
  /// Writes the next expected destinations to `out`, the nearest and most likely first, and returns their
  /// number. A destination may occur several times.
  virtual std::size_t expect(std::span<Expected> out) = 0;
  /// Forgets the last sends but not what was learnt: after a flush the next send does not follow from them.
  virtual void forget_position() = 0;
  /// Memory of this forecaster, including the object itself.
  virtual std::size_t state_bytes() const = 0;
};

}  // namespace hybrid
