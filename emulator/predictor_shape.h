// What the predictors of a switch are built for.
#pragma once

#include "emulator/parameters.h"
#include "predictor/predictor.h"

namespace hybrid {

/// One for each port of the switch: any of its nodes as destination, a place for each slot. Of parameters
/// that passed check().
PredictorShape predictor_shape(const SwitchParameters& parameters);

}  // namespace hybrid
