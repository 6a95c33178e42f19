// Parameters of a switch's predictors.
#pragma once

#include <cmath>
#include <cstdint>

#include "emulator/parameters.h"
#include "predictor/predictor.h"

namespace hybrid {

/// Shape of the predictor of one port: all nodes of the switch are destinations, and its capacity is the
/// number of slots. Requires: `parameters` passed check().
inline PredictorShape predictor_shape(const SwitchParameters& parameters) {
  return {.destinations = parameters.nodes,
          .capacity = parameters.slots,
          .timeout = parameters.predictor_timeout,
          .threshold = parameters.predictor_threshold,
          .pause = parameters.predictor_pause,
          .ahead = parameters.predictor_ahead,
          .order = parameters.predictor_order,
          .least_confidence = static_cast<std::uint8_t>(std::lround(255 * parameters.predictor_confidence)),
          .seed = parameters.seed};
}

}  // namespace hybrid
