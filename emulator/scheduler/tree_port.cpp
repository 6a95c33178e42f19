#include "emulator/scheduler/tree_port.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "emulator/scheduler/algorithm.h"

namespace hybrid {

namespace {

std::unique_ptr<TreeScheduler> make_preload_scheduler(const SwitchParameters& p) {
  const auto own = SchedulerRegistration::make(p.scheduler_name);
  return own->schedules_fat_trees() ? own->fat_tree(p.tree, p.seed)
                                    : SchedulerRegistration::make("optimal")->fat_tree(p.tree, p.seed);
}

}  // namespace

TreeSlotNetwork::TreeSlotNetwork(const SwitchParameters& p)
    : slots_(p.slots, TreeCircuits(p.tree)),
      route_(make_tree_route(p.scheduler_name, p.tree, p.slots, p.seed)),
      preload_scheduler_(make_preload_scheduler(p)),
      loaded_(p.nodes),
      paths_(p.nodes) {
  wanted_.reserve(p.nodes);
  toggles_.reserve(2 * std::size_t{p.nodes});
}

/// Establishes the first requested connection from `input` to an output in [begin, end) that has a free path.
/// Returns whether there is one.
bool TreeSlotNetwork::establish(std::uint32_t slot, const SchedulingPass& in, Port input, Port begin,
                                Port end) {
  if (begin >= end) return false;
  const auto row = in.open.row(input);
  Word mask = ~Word{0} << (begin % kWordBits);
  for (std::size_t w = begin / kWordBits; w <= (end - 1) / kWordBits; ++w, mask = ~Word{0})
    for (Word open = row[w] & mask; open != 0; open &= open - 1) {
      const auto output = static_cast<Port>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(open)));
      if (output >= end) return false;
      if (!slots_[slot].request({input, output}, *route_).granted) continue;
      toggles_.push_back({input, output});
      return true;
    }
  return false;
}

std::span<const Connection> TreeSlotNetwork::pass(std::uint32_t slot, const SchedulingPass& in) {
  toggles_.clear();
  route_->use_slot(slot);
  const auto ports = static_cast<Port>(in.slot.ports());
  const auto [a, b] = in.priority;
  const auto row = [&, b = b](Port input) {
    Port from = b;  // the first column at which the input is free
    bool wrapped = false;
    if (const Port held = in.slot.destination_of(input); held != kNoPort) {
      if (!in.to_release.test(input)) return;
      release(slot, {input, held});
      toggles_.push_back({input, held});
      from = held + 1;
      wrapped = held < b;
    }
    if (!establish(slot, in, input, from, wrapped ? b : ports) && !wrapped) establish(slot, in, input, 0, b);
  };
  for_each_port(in.inputs.words(), [&, a = a](Port input) {
    if (input >= a) row(input);
  });
  for_each_port(in.inputs.words(), [&, a = a](Port input) {
    if (input < a) row(input);
  });
  return toggles_;
}

void TreeSlotNetwork::release(std::uint32_t slot, Connection c) {
  if (!slots_[slot].holds(c)) return;
  route_->use_slot(slot);
  route_->toggle(c, slots_[slot].path_of(c.source));
  slots_[slot].release(c);
}

const Configuration* TreeSlotNetwork::load_slot(std::uint32_t slot, const Configuration& wanted) {
  TreeCircuits& circuits = slots_[slot];
  for (Port source = 0; circuits.size() != 0; ++source)
    if (const Port held = circuits.destination_of(source); held != kNoPort) release(slot, {source, held});
  loaded_.clear();
  wanted_ = wanted.connections();
  preload_scheduler_->schedule(wanted_, std::span(paths_).first(wanted_.size()));
  route_->use_slot(slot);
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (!paths_[i].granted) continue;
    circuits.hold(wanted_[i], paths_[i]);
    route_->toggle(wanted_[i], paths_[i]);
  }
  for (const Connection c : wanted_)
    if (circuits.request(c, *route_).granted) loaded_.add(c);
  return &loaded_;
}

void TreeSlotNetwork::find_blocking(std::uint32_t slot, Connection wanted,
                                    std::vector<Connection>& found) const {
  const TreeCircuits& circuits = slots_[slot];
  const FatTree& tree = circuits.tree();
  const std::uint32_t turn = tree.turn(wanted.source, wanted.destination);
  TreePath path;
  struct Holders {
    Port up = kNoPort, down = kNoPort;  // sources of the circuits on the two links
    std::uint32_t in_use() const { return (up != kNoPort ? 1U : 0U) + (down != kNoPort ? 1U : 0U); }
  };
  const auto leaves_anyway = [&](Port source, Port destination) {
    return source == wanted.source || destination == wanted.destination;
  };
  std::vector<Holders> ports(tree.shape().up);  // between `level` and the one above
  std::vector<std::uint32_t> in_use(ports.size());
  Port span = 1;  // nodes below a switch of `level`
  for (std::uint32_t level = 0; level < turn; ++level) {
    span *= tree.shape().down;
    const Port first_source = wanted.source / span * span;
    const Port first_destination = wanted.destination / span * span;
    const std::uint32_t up = tree.climb(tree.leaf(wanted.source), path, level);
    const std::uint32_t down = tree.climb(tree.leaf(wanted.destination), path, level);
    std::fill(ports.begin(), ports.end(), Holders{});
    // Circuits that climb through the same switch have their source below it.
    for (Port source = first_source; source < first_source + span; ++source) {
      const Port destination = circuits.destination_of(source);
      if (destination == kNoPort || leaves_anyway(source, destination)) continue;
      const TreePath& other = circuits.path_of(source);
      if (other.turn > level && tree.climb(tree.leaf(source), other, level) == up)
        ports[other.up[level]].up = source;
    }
    for (Port destination = first_destination; destination < first_destination + span; ++destination) {
      const Port source = circuits.source_of(destination);
      if (source == kNoPort || leaves_anyway(source, destination)) continue;
      const TreePath& other = circuits.path_of(source);
      if (other.turn > level && tree.climb(tree.leaf(destination), other, level) == down)
        ports[other.up[level]].down = source;
    }
    std::transform(ports.begin(), ports.end(), in_use.begin(), [](const Holders& h) { return h.in_use(); });
    const std::uint32_t best = route_->port_to_free(wanted, level, in_use);
    const auto [first, second] = std::minmax(ports[best].up, ports[best].down);  // kNoPort is the largest
    for (const Port source : {first, second}) {
      if (source == kNoPort) continue;
      const Connection c{source, circuits.destination_of(source)};
      if (std::find(found.begin(), found.end(), c) == found.end()) found.push_back(c);
    }
    path.up[level] = static_cast<std::uint16_t>(best);
    path.turn = static_cast<std::uint8_t>(level + 1);
  }
}

}  // namespace hybrid
