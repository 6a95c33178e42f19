// What the predictors of a switch are built for.
#pragma once

#include <cmath>
#include <cstdint>

#include "emulator/parameters.h"
#include "predictor/predictor.h"

namespace hybrid {

/// One for each port of the switch: any of its nodes as destination, a place for each slot. Of parameters
/// that passed check().
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
