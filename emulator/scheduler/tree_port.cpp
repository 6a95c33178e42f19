#include "emulator/scheduler/tree_port.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "emulator/scheduler/algorithm.h"

namespace hybrid {

namespace {

std::unique_ptr<TreeScheduler> whole(const SwitchParameters& p) {
  const auto own = SchedulerRegistration::make(p.scheduler_name);
  return own->schedules_fat_trees() ? own->fat_tree(p.tree, p.seed)
                                    : SchedulerRegistration::make("optimal")->fat_tree(p.tree, p.seed);
}

}  // namespace

TreeSlotNetwork::TreeSlotNetwork(const SwitchParameters& p)
    : slots_(p.slots, TreeCircuits(p.tree)),
      route_(make_tree_route(p.scheduler_name, p.seed)),
      whole_(whole(p)),
      loaded_(p.nodes),
      paths_(p.nodes) {
  wanted_.reserve(p.nodes);
  toggles_.reserve(2 * std::size_t{p.nodes});
}

/// Establishes the first connection from `input` to an output in [begin, end) that is asked for and has a
/// path.
bool TreeSlotNetwork::establish(std::uint32_t slot, const SchedulingPass& in, Port input, Port begin,
                                Port end) {
  if (begin >= end) return false;
  const auto requested = in.requests.row(input), established = in.established.row(input);
  Word mask = ~Word{0} << (begin % kWordBits);
  for (std::size_t w = begin / kWordBits; w <= (end - 1) / kWordBits; ++w, mask = ~Word{0})
    for (Word open = requested[w] & ~established[w] & mask; open != 0; open &= open - 1) {
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
  const auto ports = static_cast<Port>(in.slot.ports());
  const auto [a, b] = in.priority;
  const auto row = [&, b = b](Port input) {
    Port from = b;  // the first column that finds the input free
    bool wrapped = false;
    if (const Port held = in.slot.destination_of(input); held != kNoPort) {
      if (in.requests.test(input, held)) return;
      slots_[slot].release({input, held});
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

const Configuration* TreeSlotNetwork::load(std::uint32_t slot, const Configuration& wanted) {
  TreeCircuits& circuits = slots_[slot];
  circuits.clear();
  loaded_.clear();
  wanted_ = wanted.connections();
  whole_->schedule(wanted_, std::span(paths_).first(wanted_.size()));
  for (std::size_t i = 0; i < wanted_.size(); ++i)
    if (paths_[i].granted) circuits.hold(wanted_[i], paths_[i]);
  for (const Connection c : wanted_)
    if (circuits.request(c, *route_).granted) loaded_.add(c);
  return &loaded_;
}

void TreeSlotNetwork::in_the_way(std::uint32_t slot, Connection wanted,
                                 std::vector<Connection>& found) const {
  const TreeCircuits& circuits = slots_[slot];
  const FatTree& tree = circuits.tree();
  const std::uint32_t turn = tree.turn(wanted.source, wanted.destination);
  TreePath path;
  // Calls visit(connection, port, upward) for the circuits on the links between `level` and the one above
  // that one end of `wanted` could take there.
  const auto for_each_beside = [&](std::uint32_t level, auto&& visit) {
    const std::uint32_t up = tree.climb(tree.leaf(wanted.source), path, level);
    const std::uint32_t down = tree.climb(tree.leaf(wanted.destination), path, level);
    for (Port source = 0; source < tree.nodes(); ++source) {
      const Port destination = circuits.destination_of(source);
      if (destination == kNoPort || circuits.path_of(source).turn <= level) continue;
      if (source == wanted.source || destination == wanted.destination) continue;  // goes anyway
      const TreePath& other = circuits.path_of(source);
      const bool beside_up = tree.climb(tree.leaf(source), other, level) == up;
      const bool beside_down = tree.climb(tree.leaf(destination), other, level) == down;
      if (beside_up || beside_down)
        visit(Connection{source, destination}, other.up[level],
              (beside_up ? 1U : 0U) + (beside_down ? 1U : 0U));
    }
  };
  std::vector<std::uint32_t> in_use(tree.shape().up);
  for (std::uint32_t level = 0; level < turn; ++level) {
    std::fill(in_use.begin(), in_use.end(), 0U);
    for_each_beside(level,
                    [&](Connection, std::uint16_t port, std::uint32_t links) { in_use[port] += links; });
    path.up[level] = static_cast<std::uint16_t>(route_->port_to_free(wanted, level, in_use));
    for_each_beside(level, [&](Connection c, std::uint16_t port, std::uint32_t /*links*/) {
      if (port == path.up[level] && std::find(found.begin(), found.end(), c) == found.end())
        found.push_back(c);
    });
    path.turn = static_cast<std::uint8_t>(level + 1);
  }
}

}  // namespace hybrid
