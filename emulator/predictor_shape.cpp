#include "emulator/predictor_shape.h"

#include <cmath>

namespace hybrid {

PredictorShape predictor_shape(const SwitchParameters& parameters) {
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
