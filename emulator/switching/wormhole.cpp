#include "emulator/switching/wormhole.h"

#include "emulator/switching/tree_wormhole.h"

namespace hybrid {

namespace {

enum Kinds : std::uint32_t { kTail = kFirstOwnKind, kRequest, kPass };

const TechniqueRegistration kWormhole{
    "wormhole",
    "worms through a digital fabric, buffered at the switch inputs (D 8.4.1)",
    [](const SwitchParameters& p) -> std::unique_ptr<Technique> {
      if (p.is_tree()) return std::make_unique<TreeWormhole>(p);
      return std::make_unique<Wormhole>(p);
    },
    {.options = joined({worm_options(), flit_options(), digital_fabric_options()}), .fat_trees = true}};

}  // namespace

Wormhole::Wormhole(const SwitchParameters& parameters)
    : Engine(parameters),
      node_(parameters.nodes, timing_, parameters.scheduler.cycle,
            {timing_.digital_word, timing_.digital, parameters.scheduler.delay()}, {kTail, kRequest, kPass}) {
  node_.windows().open_permanently();
}

WordQueue& Wormhole::select_queue(Time /*now*/, std::uint32_t pe, std::uint32_t index, std::uint64_t& words) {
  const Message& message = transfer(index).message;
  const std::uint64_t payload = timing_.payload(message.bytes);
  words = timing_.in_worms(payload);
  node_.announce_message(pe, index, message.connection.destination, payload);
  return node_.source(pe).queue;
}

void Wormhole::move(Time now, std::uint32_t port) {
  delivered_.clear();
  while (node_.move_worms(now, port, Time::never(), events_, delivered_) && timing_.bounded() &&
         fill_queue(port)) {
  }
  for (const SwitchNode::Delivery& d : delivered_) schedule_delivery(d.at, d.transfer);
}

void Wormhole::handle_event(Time now, const SwitchEvent& event) {
  touched_.clear();
  node_.enable_period_search(searches_for_periods());
  node_.handle_event(now, event, events_, touched_);
  for (const std::uint32_t port : touched_) move(now, port);
}

TechniqueStatistics Wormhole::statistics() const {
  TechniqueStatistics s = statistics_;
  s.cycles = static_cast<std::uint64_t>(now_ / parameters_.scheduler.cycle);
  return s;
}

}  // namespace hybrid
