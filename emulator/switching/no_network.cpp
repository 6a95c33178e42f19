// Bound `no-network`: an infinitely fast network. Every message leaves its PE and arrives at the instant at
// which it is sent; PEs, NICs, links and fabrics take no time, nor do broadcasts and barriers in the fabric.
//
// What a replayed job then still takes is computing, waiting for other ranks, and messages between ranks of
// one port (shared memory).
#include <memory>

#include "emulator/switching/bounds.h"
#include "emulator/switching/known_times.h"

namespace hybrid {

namespace {

class NoNetwork final : public KnownTimes {
  Instants instants_of(Time at, const Message& /*message*/) override { return {at, at}; }
};

const TechniqueRegistration kNoNetwork{
    "no-network",
    "infinitely fast network: delivers every message when it is sent",
    [](const SwitchParameters&) -> std::unique_ptr<Technique> { return std::make_unique<NoNetwork>(); },
    {.fat_trees = true}};
const BoundRegistration kNoNetworkBound{"no-network",
                                        "what a job takes without any network: it computes and waits",
                                        [] { return std::make_unique<Bound>(Bound{.instant = true}); }};

}  // namespace

}  // namespace hybrid
