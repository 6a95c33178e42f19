// Technique `packet`: packet switching with store and forward at the switch (D 3.1, equation 3.2). A message
// is split into packets of at most `worm_limit` bytes of payload plus their overhead words, and "the switch
// port sends out a request to the switch scheduler" when a complete packet is in its queue.
//
// D 3.1: "The procedure of message transmission using wormhole switches is similar to that using packet
// switching. The major difference is that a buffer generates a request upon detecting a flit instead of a
// complete packet." So this is wormhole switching with a flit of one packet; queues, credits, scheduler,
// fabric and timing are those of emulator/network/switch_node.h. A packet with a free output is later than a
// worm by the time in which its further words arrive, T_buffering. The input's queue must hold one packet
// (check() in emulator/parameters.h).
#include <memory>

#include "emulator/switching/wormhole.h"

namespace hybrid {

namespace {

std::unique_ptr<Technique> store_and_forward(SwitchParameters p) {
  const Timing timing(p);
  p.flit = (timing.worm_words + timing.worm_overhead) * p.word;
  return std::make_unique<Wormhole>(p);
}

const TechniqueRegistration kPacket{
    "packet",
    "packets stored at the switch inputs until they are complete, then forwarded (D 3.1)",
    [](const SwitchParameters& p) { return store_and_forward(p); },
    {.options = joined({worm_options(), digital_fabric_options()})}};

}  // namespace

}  // namespace hybrid
