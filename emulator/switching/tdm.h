// TDM: predictive circuit switching alone (D 3.3.2, 3.3.3, 5.2, 5.3, 8.4.3). All data goes over circuits of K
// time-multiplexed configurations; a connection stays established until a predictor releases it.
//
// Timing: emulator/tdm/predictive_circuits.h. A message whose connection the NIC's table does not show asks
// for it when it is offered (dynamic TDM, D 5.5); with all connections preloaded nothing is ever asked.
#pragma once

#include "emulator/tdm/predictive_circuits.h"

namespace hybrid {

class Tdm final : public PredictiveCircuits {
 public:
  explicit Tdm(const SwitchParameters& parameters) : PredictiveCircuits(parameters, false) {}
};

}  // namespace hybrid
