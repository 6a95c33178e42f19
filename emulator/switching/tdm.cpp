// TDM: predictive circuit switching alone (D 3.3.2, 3.3.3, 5.2, 5.3, 8.4.3). All data goes over circuits of K
// time-multiplexed configurations; a connection stays established until a predictor releases it.
//
// Timing: emulator/tdm/predictive_circuits.h. A message whose connection the NIC's table does not show asks
// for it when it is offered (dynamic TDM, D 5.5); with all connections preloaded nothing is ever asked.
#include "emulator/tdm/predictive_circuits.h"

namespace hybrid {

namespace {

class Tdm final : public PredictiveCircuits {
 public:
  explicit Tdm(const SwitchParameters& parameters) : PredictiveCircuits(parameters, false) {}
};

const TechniqueRegistration kTdm{
    "tdm",
    "predictive circuit switching alone: K time-multiplexed configurations (D 5)",
    [](const SwitchParameters& p) -> std::unique_ptr<Technique> { return std::make_unique<Tdm>(p); },
    {.options = joined({slot_options(), circuit_options()}), .fat_trees = true}};

}  // namespace

}  // namespace hybrid
