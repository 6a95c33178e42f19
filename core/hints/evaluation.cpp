#include "core/hints/evaluation.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/hints/cartesian.h"
#include "core/hints/operations.h"
#include "core/hints/print_expression.h"

namespace hybrid {

// A communicator expression evaluated for all ranks: the group that each rank is in.
struct HintEvaluator::Groups {
  static constexpr std::int32_t kNull = -1, kUnknown = -2;  // MPI_COMM_NULL

  explicit Groups(std::uint32_t ranks) : of(ranks, kNull), local(ranks) {}

  void add(HintGroup group) {
    for (std::uint32_t i = 0; i < group.members.size(); ++i) {
      of[group.members[i]] = static_cast<std::int32_t>(groups.size());
      local[group.members[i]] = i;
    }
    groups.push_back(std::move(group));
  }
  void set_unknown(const std::vector<std::uint32_t>& members) {
    for (const std::uint32_t member : members) of[member] = kUnknown;
  }
  const HintGroup* find(std::uint32_t rank) const {
    return of[rank] < 0 ? nullptr : &groups[static_cast<std::size_t>(of[rank])];
  }

  std::vector<HintGroup> groups;
  std::vector<std::int32_t> of;      // by world rank
  std::vector<std::uint32_t> local;  // rank in its group
};

HintEvaluator::HintEvaluator(const HintUnit& unit, std::uint32_t ranks, HintValues& values)
    : unit_(unit),
      ranks_(ranks),
      values_(values),
      variables_(unit.variables.size()),
      known_(unit.nodes.size()),
      marked_(unit.nodes.size()),
      groups_(unit.nodes.size()) {}

HintEvaluator::~HintEvaluator() = default;

void HintEvaluator::set_rank(std::uint32_t rank) {
  if (rank == rank_) return;
  rank_ = rank;
  now_ = ++clock_;
  turns_ = 0;
}

// For arguments that must be equal at all members: evaluates them at the rank of the request if it is a
// member, because only its values may be known.
void HintEvaluator::set_rank_to_member(const HintGroup& group) {
  const bool is_in = std::find(group.members.begin(), group.members.end(), home_) != group.members.end();
  set_rank(is_in ? home_ : group.members.front());
}

std::optional<std::int64_t> HintEvaluator::value(std::uint32_t node, std::uint32_t rank) {
  home_ = rank;
  set_rank(rank);
  return visit(node);
}

std::optional<std::vector<std::int64_t>> HintEvaluator::list(std::uint32_t node, std::uint32_t rank) {
  home_ = rank;
  set_rank(rank);
  std::vector<std::int64_t> values;
  if (!visit_list(node, values)) return std::nullopt;
  return values;
}

const HintGroup* HintEvaluator::communicator(std::uint32_t node, std::uint32_t rank, bool& known) {
  home_ = rank;
  set_rank(rank);
  const Groups& all = groups(node);
  known = all.of[rank] != Groups::kUnknown;
  return all.find(rank);
}

void HintEvaluator::set_variable(std::uint32_t variable, std::optional<std::int64_t> value) {
  variables_[variable] = value;
  now_ = ++clock_;
}

void HintEvaluator::forget() {
  now_ = ++clock_;
  turns_ = 0;
  for (auto& groups : groups_) groups.reset();
}

std::string HintEvaluator::reason() const {
  if (unknown_ == HYBRID_NONE) return "nothing was unknown";
  const hybrid_node& n = unit_.nodes[unknown_];
  std::string text = print_expression(unit_, unknown_, 120);
  switch (n.op) {
    case HYBRID_VARIABLE:
      return "the loop of " + text + " is not around it";
    case HYBRID_ARGUMENT:
    case HYBRID_INPUT:
      return text + " is not known";
    default:
      return text + " has no value";
  }
}

std::optional<std::int64_t> HintEvaluator::unknown(std::uint32_t node) {
  unknown_ = node;
  return std::nullopt;
}

std::optional<std::int64_t> HintEvaluator::visit(std::uint32_t node) {
  if (marked_[node] == now_) return known_[node];
  const std::optional<std::int64_t> result = calculate(node);
  marked_[node] = now_;
  known_[node] = result;
  return result;
}

bool HintEvaluator::visit_list(std::uint32_t node, std::vector<std::int64_t>& values) {
  for (; node != HYBRID_NONE; node = unit_.nodes[node].b) {
    const auto element = visit(unit_.nodes[node].a);
    if (!element) return false;
    values.push_back(*element);
  }
  return true;
}

std::optional<std::int64_t> HintEvaluator::calculate(std::uint32_t node) {
  const hybrid_node& n = unit_.nodes[node];
  const std::int64_t value = hint_value(n);
  switch (n.op) {
    case HYBRID_CONSTANT:
      return value;
    case HYBRID_PROC_NULL:
      return kHintProcNull;
    case HYBRID_ANY_SOURCE:
      return kHintAnySource;
    case HYBRID_RANK: {
      const Groups& all = groups(n.a);
      if (all.of[rank_] < 0) return unknown(node);
      return all.local[rank_];
    }
    case HYBRID_MEMBER: {
      const std::int32_t group = groups(n.a).of[rank_];
      return group == Groups::kUnknown ? unknown(node) : std::int64_t{group != Groups::kNull};
    }
    case HYBRID_SIZE: {
      const HintGroup* group = groups(n.a).find(rank_);
      if (group == nullptr) return unknown(node);
      return static_cast<std::int64_t>(group->members.size());
    }
    case HYBRID_VARIABLE:
      return variables_[static_cast<std::size_t>(value)] ? variables_[static_cast<std::size_t>(value)]
                                                         : unknown(node);
    case HYBRID_ARGUMENT: {
      const auto passed = values_.argument(rank_, static_cast<std::uint32_t>(value), unit_.text(n.b));
      return passed ? passed : unknown(node);
    }
    case HYBRID_INPUT: {
      const auto read = values_.input(rank_, unit_.text(n.b));
      return read ? read : unknown(node);
    }
    case HYBRID_SELECT: {
      const auto condition = visit(n.a);
      if (!condition) return std::nullopt;
      return visit(*condition != 0 ? n.b : n.c);
    }
    case HYBRID_COORDINATE:
    case HYBRID_CART_RANK:
    case HYBRID_SHIFT:
      return cartesian(node);
    default:
      break;
  }
  const auto a = visit(n.a);
  if (!a) return std::nullopt;
  if (n.op == HYBRID_AND && *a == 0) return 0;
  if (n.op == HYBRID_OR && *a == 1 && is_hint_truth(unit_.nodes[n.b].op)) return 1;
  const bool is_binary = hint_operands(n.op).b == HintOperand::value;
  const auto b = is_binary ? visit(n.b) : 0;
  if (!b) return std::nullopt;
  const auto result = hint_arithmetic(n.op, *a, *b, value);
  return result ? result : unknown(node);
}

std::optional<std::int64_t> HintEvaluator::cartesian(std::uint32_t node) {
  const hybrid_node& n = unit_.nodes[node];
  const Groups& all = groups(n.a);
  const HintGroup* group = all.find(rank_);
  if (group == nullptr || !group->is_cartesian) return unknown(node);
  std::vector<std::int64_t> place = grid_coordinates(all.local[rank_], group->sizes);
  if (n.op == HYBRID_COORDINATE) {
    const auto dimension = static_cast<std::size_t>(hint_value(n));
    return dimension < place.size() ? place[dimension] : unknown(node);
  }
  if (n.op == HYBRID_CART_RANK) {
    place.clear();
    if (!visit_list(n.b, place)) return std::nullopt;
    // MPI ignores coordinates beyond the number of dimensions.
    if (place.size() > group->sizes.size()) place.resize(group->sizes.size());
    const auto rank = grid_rank(place, group->sizes, group->wraps);
    return rank ? rank : unknown(node);
  }
  const auto dimension = visit(n.b), by = visit(n.c);
  if (!dimension || !by) return std::nullopt;
  if (*dimension < 0 || *dimension >= static_cast<std::int64_t>(place.size())) return unknown(node);
  const auto d = static_cast<std::size_t>(*dimension);
  // Limited, so that the sum cannot overflow.
  const std::int64_t size = group->sizes[d];
  const std::int64_t step = group->wraps[d] ? *by % size : std::clamp(*by, -size, size);
  place[d] += hint_value(n) == 0 ? -step : step;
  return grid_rank(place, group->sizes, group->wraps).value_or(kHintProcNull);
}

const HintEvaluator::Groups& HintEvaluator::groups(std::uint32_t node) {
  if (groups_[node]) return *groups_[node];
  // The communicator depends on values of all members of its parent, outside of all loops. Saves the state of
  // the evaluation in progress.
  auto variables = std::exchange(variables_, std::vector<std::optional<std::int64_t>>(variables_.size()));
  auto known = std::exchange(known_, std::vector<std::optional<std::int64_t>>(known_.size()));
  auto marked = std::exchange(marked_, std::vector<std::uint64_t>(marked_.size()));
  const std::uint64_t now = now_;
  const std::uint32_t rank = rank_, turns = turns_;
  now_ = ++clock_;
  groups_[node] = make_groups(node);
  variables_ = std::move(variables);
  known_ = std::move(known);
  marked_ = std::move(marked);
  now_ = now;
  rank_ = rank;
  turns_ = turns;
  return *groups_[node];
}

std::unique_ptr<HintEvaluator::Groups> HintEvaluator::make_groups(std::uint32_t node) {
  const hybrid_node& n = unit_.nodes[node];
  auto made = std::make_unique<Groups>(ranks_);
  switch (n.op) {
    case HYBRID_WORLD: {
      HintGroup world;
      for (std::uint32_t rank = 0; rank < ranks_; ++rank) world.members.push_back(rank);
      made->add(std::move(world));
      break;
    }
    case HYBRID_SELF:
      for (std::uint32_t rank = 0; rank < ranks_; ++rank)
        made->add({.members = {rank}, .sizes = {}, .wraps = {}});
      break;
    case HYBRID_DUP:
      *made = groups(n.a);
      break;
    case HYBRID_SPLIT:
      make_split(n, *made);
      break;
    case HYBRID_CART:
      make_cartesian(n, *made);
      break;
    case HYBRID_CART_SUB:
      make_cartesian_part(n, *made);
      break;
    default:
      unknown_ = node;
      made->of.assign(ranks_, Groups::kUnknown);
  }
  const Groups* parent = hint_operands(n.op).a == HintOperand::communicator ? &groups(n.a) : nullptr;
  for (std::uint32_t rank = 0; parent != nullptr && rank < ranks_; ++rank)
    if (parent->of[rank] == Groups::kUnknown) made->of[rank] = Groups::kUnknown;
  return made;
}

void HintEvaluator::make_split(const hybrid_node& n, Groups& made) {
  for (const HintGroup& parent : groups(n.a).groups) {
    std::vector<std::tuple<std::int64_t, std::int64_t, std::uint32_t>> order;  // color, key, rank in parent
    bool known = true;
    for (std::uint32_t i = 0; known && i < parent.members.size(); ++i) {
      set_rank(parent.members[i]);
      const auto color = visit(n.b);
      // A negative color is MPI_UNDEFINED: no communicator, and the key is ignored.
      const auto key = color && *color >= 0 ? visit(n.c) : std::optional<std::int64_t>(0);
      known = color && key;
      if (known && *color >= 0) order.emplace_back(*color, *key, i);
    }
    if (!known) {
      made.set_unknown(parent.members);
      continue;
    }
    std::sort(order.begin(), order.end());
    HintGroup group;
    for (std::size_t i = 0; i < order.size(); ++i) {
      group.members.push_back(parent.members[std::get<2>(order[i])]);
      if (i + 1 < order.size() && std::get<0>(order[i + 1]) == std::get<0>(order[i])) continue;
      made.add(std::exchange(group, {}));
    }
  }
}

void HintEvaluator::make_cartesian(const hybrid_node& n, Groups& made) {
  for (const HintGroup& parent : groups(n.a).groups) {
    set_rank_to_member(parent);
    HintGroup grid;
    std::vector<std::int64_t> wraps;
    const auto size = static_cast<std::int64_t>(parent.members.size());
    bool known = visit_list(n.b, grid.sizes) && visit_list(n.c, wraps) && wraps.size() >= grid.sizes.size();
    if (known && std::count(grid.sizes.begin(), grid.sizes.end(), 0) != 0) {
      const auto found = create_dimensions(size, grid.sizes);
      known = found.has_value();
      if (known) grid.sizes = *found;
    }
    std::int64_t places = 1;
    for (std::size_t d = 0; known && d < grid.sizes.size(); ++d) {
      known = grid.sizes[d] > 0 && grid.sizes[d] <= size && places * grid.sizes[d] <= size;
      places *= grid.sizes[d];
      grid.wraps.push_back(wraps[d] != 0);
    }
    if (!known) {
      made.set_unknown(parent.members);
      continue;
    }
    // Ranks outside the grid get MPI_COMM_NULL.
    grid.is_cartesian = true;
    grid.members.assign(parent.members.begin(), parent.members.begin() + places);
    made.add(std::move(grid));
  }
}

void HintEvaluator::make_cartesian_part(const hybrid_node& n, Groups& made) {
  for (const HintGroup& parent : groups(n.a).groups) {
    set_rank_to_member(parent);
    std::vector<std::int64_t> remains;  // by dimension
    if (!parent.is_cartesian || !visit_list(n.b, remains) || remains.size() < parent.sizes.size()) {
      made.set_unknown(parent.members);
      continue;
    }
    HintGroup part;
    part.is_cartesian = true;
    std::vector<std::int64_t> dropped;  // sizes of the other dimensions
    for (std::size_t d = 0; d < parent.sizes.size(); ++d) {
      if (remains[d] == 0) {
        dropped.push_back(parent.sizes[d]);
        continue;
      }
      part.sizes.push_back(parent.sizes[d]);
      part.wraps.push_back(parent.wraps[d]);
    }
    std::int64_t parts = 1;
    for (const std::int64_t size : dropped) parts *= size;
    std::vector<HintGroup> all(static_cast<std::size_t>(parts), part);
    // Members keep the parent's order, which is row-major in the remaining dimensions.
    for (std::size_t i = 0; i < parent.members.size(); ++i) {
      const auto place = grid_coordinates(static_cast<std::int64_t>(i), parent.sizes);
      std::size_t at = 0;
      for (std::size_t d = 0; d < place.size(); ++d)
        if (remains[d] == 0)
          at = at * static_cast<std::size_t>(parent.sizes[d]) + static_cast<std::size_t>(place[d]);
      all[at].members.push_back(parent.members[i]);
    }
    for (HintGroup& one : all) made.add(std::move(one));
  }
}

}  // namespace hybrid
