// Technique `tdm`: predictive circuit switching only (D 3.3.2, 3.3.3, 5.2, 5.3, 8.4.3). All data uses
// circuits of K time-multiplexed configurations. A connection stays established until a predictor releases
// it.
//
// Timing: emulator/tdm/predictive_circuits.h. A message with a connection that is not in the NIC's table
// requests it when the message is offered (dynamic TDM, D 5.5). If all connections are preloaded there are no
// requests.
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
