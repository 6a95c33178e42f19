#include "emulator/switching/tdm.h"

namespace hybrid {

namespace {

const TechniqueRegistration kTdm{
    "tdm", "predictive circuit switching alone: K time-multiplexed configurations (D 5)",
    [](const SwitchParameters& p) -> std::unique_ptr<Technique> { return std::make_unique<Tdm>(p); }};

}  // namespace

}  // namespace hybrid
