#include "core/hints/connections.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/hints/operations.h"
#include "core/hints/pattern.h"

namespace hybrid {
namespace {

bool is_send(const hybrid_site& site) { return site.kind == HYBRID_SEND; }

void sort_unique(std::vector<std::uint32_t>& ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

// Keeps the first reason.
void set_unknown(std::string& unknown, const std::string& reason) {
  if (unknown.empty()) unknown = reason;
}

// Calls visit(ranks, source, destination) for each connection of a phase's profile.
template <class Visit>
void for_each_profiled(const HintUnit& unit, const hybrid_phase& phase, const Visit& visit) {
  const auto element = [&](std::uint32_t list) {
    return static_cast<std::uint32_t>(hint_value(unit.nodes[unit.nodes[list].a]));
  };
  for (std::uint32_t ranks = phase.profile; ranks != HYBRID_NONE;) {
    const std::uint32_t source = unit.nodes[ranks].b, destination = unit.nodes[source].b;
    visit(element(ranks), element(source), element(destination));
    ranks = unit.nodes[destination].b;
  }
}

}  // namespace

std::map<std::uint32_t, std::uint64_t> profiled_connections(const HintUnit& unit, const hybrid_phase& phase) {
  std::map<std::uint32_t, std::uint64_t> counts;
  for_each_profiled(unit, phase, [&](std::uint32_t ranks, std::uint32_t, std::uint32_t) { ++counts[ranks]; });
  return counts;
}

// Walks through the loops around one site, from the outermost to the call, for one rank.
class HintConnectionFinder::Walk {
 public:
  Walk(HintEvaluator& evaluator, const Plan& plan, const hybrid_site& site, std::uint32_t rank)
      : evaluator_(evaluator), unit_(evaluator.unit()), plan_(plan), site_(site), rank_(rank) {
    evaluator.restart_turns();
  }

  HintDestinations find() {
    bool known = false;
    group_ = evaluator_.communicator(site_.communicator, rank_, known);
    if (!known) {
      give_up("its communicator is not known: " + evaluator_.reason());
    } else if (group_ != nullptr) {  // a call on MPI_COMM_NULL is not possible
      enter(0);
    }
    for (const std::uint32_t loop : plan_.loops) set_variables(loop, {});
    if (failed()) result_.ranks.clear();
    sort_unique(result_.ranks);
    return std::move(result_);
  }

 private:
  bool failed() const { return !result_.unknown.empty(); }
  void give_up(const std::string& reason) { set_unknown(result_.unknown, reason); }

  void set_variables(std::uint32_t loop, const std::vector<std::optional<std::int64_t>>& values) {
    const hybrid_loop& l = unit_.loops[loop];
    for (std::uint32_t i = 0; i < l.variable_count; ++i)
      evaluator_.set_variable(l.first_variable + i, i < values.size() ? values[i] : std::nullopt);
  }

  // Enters the loop at `depth` of the plan, or evaluates the call if there is none.
  void enter(std::size_t depth) {
    if (depth == plan_.loops.size()) return evaluate_call();
    const std::uint32_t loop = plan_.loops[depth];
    const hybrid_loop& l = unit_.loops[loop];
    std::vector<std::optional<std::int64_t>> values(l.variable_count);
    for (std::uint32_t i = 0; i < l.variable_count; ++i)
      values[i] = evaluator_.value(unit_.variables[l.first_variable + i].first, rank_);
    set_variables(loop, values);
    if (l.condition == HYBRID_NONE) {
      if (plan_.followed[depth]) return give_up("a loop around it is not understood");
      return enter(depth + 1);
    }
    if (!plan_.followed[depth]) {
      const auto turns = evaluator_.value(l.condition, rank_);
      if (turns.value_or(1) != 0) enter(depth + 1);
      return;
    }
    while (!failed()) {
      const auto turns = evaluator_.value(l.condition, rank_);
      if (!turns) return give_up("the number of turns of a loop is not known: " + evaluator_.reason());
      if (*turns == 0) return;
      if (!evaluator_.count_turn())
        return give_up("its loops have more than " + std::to_string(kHintTurns) + " turns");
      enter(depth + 1);
      for (std::uint32_t i = 0; i < l.variable_count; ++i)
        values[i] = evaluator_.value(unit_.variables[l.first_variable + i].next, rank_);
      set_variables(loop, values);
    }
  }

  void evaluate_call() {
    if (site_.guard != HYBRID_NONE) {
      const auto reached = evaluator_.value(site_.guard, rank_);
      if (!reached) return give_up("whether it is reached is not known: " + evaluator_.reason());
      if (*reached == 0) return;
    }
    const auto peer = evaluator_.value(site_.peer, rank_);
    if (!peer) return give_up(evaluator_.reason());
    if (*peer == kHintProcNull) return;
    if (*peer < 0 || *peer >= static_cast<std::int64_t>(group_->members.size()))
      return give_up("rank " + std::to_string(*peer) + " is not in a communicator of " +
                     std::to_string(group_->members.size()));
    const std::uint32_t destination = group_->members[static_cast<std::size_t>(*peer)];
    if (destination == rank_) return;
    if (result_.ranks.empty() || result_.ranks.back() != destination) result_.ranks.push_back(destination);
  }

  HintEvaluator& evaluator_;
  const HintUnit& unit_;
  const Plan& plan_;
  const hybrid_site& site_;
  const std::uint32_t rank_;
  const HintGroup* group_ = nullptr;
  HintDestinations result_;
};

HintConnectionFinder::HintConnectionFinder(HintEvaluator& evaluator, Sites sites)
    : evaluator_(evaluator),
      sites_(sites),
      plans_(evaluator.unit().sites.size()),
      of_phase_(evaluator.unit().phases.size()) {
  const HintUnit& unit = evaluator.unit();
  for (std::uint32_t s = 0; s < unit.sites.size(); ++s)
    if (unit.sites[s].phase != HYBRID_NONE && is_send(unit.sites[s]))
      of_phase_[unit.sites[s].phase].push_back(s);
}

// Marks the nodes on which an expression depends: of loop variables also their first and next values.
void HintConnectionFinder::add_parts(std::uint32_t node, std::vector<bool>& parts) const {
  const HintUnit& unit = evaluator_.unit();
  std::vector<std::uint32_t> open{node};
  while (!open.empty()) {
    const std::uint32_t next = open.back();
    open.pop_back();
    if (next == HYBRID_NONE || parts[next]) continue;
    parts[next] = true;
    const hybrid_node& n = unit.nodes[next];
    if (n.op == HYBRID_VARIABLE) {
      const hybrid_variable& variable = unit.variables[static_cast<std::size_t>(hint_value(n))];
      open.insert(open.end(), {variable.first, variable.next});
    }
    const HintOperands operands = hint_operands(n.op);
    for (const auto& [operand, field] :
         {std::pair{operands.a, n.a}, std::pair{operands.b, n.b}, std::pair{operands.c, n.c}})
      if (is_node(operand)) open.push_back(field);
  }
}

const HintConnectionFinder::Plan& HintConnectionFinder::plan(std::uint32_t at) {
  Plan& plan = plans_[at];
  if (plan.ready) return plan;
  plan.ready = true;
  const HintUnit& unit = evaluator_.unit();
  std::vector<bool> parts(unit.nodes.size());
  add_parts(unit.sites[at].peer, parts);
  add_parts(unit.sites[at].guard, parts);
  for (std::uint32_t loop = unit.sites[at].loop; loop != HYBRID_NONE; loop = unit.loops[loop].parent) {
    bool followed = false;
    for (std::uint32_t node = 0; node < parts.size(); ++node)
      followed |=
          parts[node] && unit.nodes[node].op == HYBRID_VARIABLE &&
          hint_value(unit.nodes[node]) - unit.loops[loop].first_variable < unit.loops[loop].variable_count &&
          hint_value(unit.nodes[node]) >= unit.loops[loop].first_variable;
    // The number of turns, or whether there is a first one, may depend on the enclosing loops.
    add_parts(unit.loops[loop].condition, parts);
    plan.loops.insert(plan.loops.begin(), loop);
    plan.followed.insert(plan.followed.begin(), followed);
  }
  return plan;
}

HintDestinations HintConnectionFinder::site(std::uint32_t at, std::uint32_t rank) {
  const HintUnit& unit = evaluator_.unit();
  const hybrid_site& site = unit.sites[at];
  if (!is_send(site)) return {};
  const bool is_static = site.site_class == HYBRID_STATIC;
  if (is_static ||
      (site.peer != HYBRID_NONE && (site.site_class == HYBRID_SPECULATIVE || sites_ == Sites::all))) {
    HintDestinations found = Walk(evaluator_, plan(at), site, rank).find();
    if (is_static || found.unknown.empty()) return found;
  }
  if (site.site_class != HYBRID_DYNAMIC) return {{}, std::string(kInspectedInTheRun)};
  const std::string_view reason = unit.text(site.reason);
  return {{}, reason.empty() ? "known only when the message is sent" : std::string(reason)};
}

HintDestinations HintConnectionFinder::phase(std::uint32_t at, std::uint32_t rank,
                                             std::optional<bool> holds) {
  const hybrid_phase& phase = evaluator_.unit().phases[at];
  evaluator_.restart_turns();
  if (!holds && phase.condition != HYBRID_NONE) {
    const auto condition = evaluator_.value(phase.condition, rank);
    if (!condition) return {{}, "whether its condition holds is not known: " + evaluator_.reason()};
    holds = *condition != 0;
  }
  HintDestinations result;
  if (!holds.value_or(true)) return result;
  for (const std::uint32_t site_at : of_phase_[at]) {
    const HintDestinations part = site(site_at, rank);
    result.ranks.insert(result.ranks.end(), part.ranks.begin(), part.ranks.end());
    if (!part.unknown.empty())
      set_unknown(result.unknown,
                  "line " + std::to_string(evaluator_.unit().sites[site_at].line) + ": " + part.unknown);
  }
  // Only a directive's pattern defines connections. Those of other phases were recognised from their sites.
  if (phase.pattern != HYBRID_NONE && phase.kind == HYBRID_PHASE_DIRECTIVE) add_pattern(phase, rank, result);
  if (phase.connections != HYBRID_NONE) add_explicit(phase, rank, result);
  add_profile(phase, rank, result);
  std::erase(result.ranks, rank);
  sort_unique(result.ranks);
  return result;
}

void HintConnectionFinder::add_pattern(const hybrid_phase& phase, std::uint32_t rank,
                                       HintDestinations& result) {
  const std::string name(evaluator_.unit().text(phase.pattern));
  try {
    const auto pattern = HintPatternRegistration::make(name);
    HintPattern::Dimensions dimensions;
    if (phase.dimensions != HYBRID_NONE) {
      auto given = evaluator_.list(phase.dimensions, rank);
      if (!given)
        return set_unknown(result.unknown,
                           "the dimensions of " + name + " are not known: " + evaluator_.reason());
      dimensions = std::move(*given);
    }
    dimensions = pattern->complete(dimensions, evaluator_.ranks());
    pattern->destinations(rank, evaluator_.ranks(), dimensions, result.ranks);
  } catch (const UserError& e) {
    set_unknown(result.unknown, e.what());
  }
}

void HintConnectionFinder::add_explicit(const hybrid_phase& phase, std::uint32_t rank,
                                        HintDestinations& result) {
  const HintUnit& unit = evaluator_.unit();
  const auto is_caller = [&](std::uint32_t node) {
    const hybrid_node& n = unit.nodes[node];
    return n.op == HYBRID_RANK && unit.nodes[n.a].op == HYBRID_WORLD;
  };
  for (std::uint32_t at = phase.connections; at != HYBRID_NONE;) {
    const hybrid_node& source = unit.nodes[at];
    const hybrid_node& destination = unit.nodes[source.b];
    at = destination.b;
    // Adds the connection as the caller evaluates it. Returns false if its values are not known.
    const auto add = [&](std::uint32_t caller) {
      const auto from = evaluator_.value(source.a, caller);
      if (from && *from != rank) return true;
      const auto to = from ? evaluator_.value(destination.a, caller) : std::nullopt;
      // A destination outside the job, such as that of the last rank in `rank -> rank + 1`, is no connection.
      if (to && *to >= 0 && *to < evaluator_.ranks()) result.ranks.push_back(static_cast<std::uint32_t>(*to));
      if (!to)
        set_unknown(result.unknown, std::string("a connection's ") + (from ? "destination" : "source") +
                                        " is not known: " + evaluator_.reason());
      return to.has_value();
    };
    // Evaluated by another rank, the connection's source may be this rank. A process may know the values of
    // its own rank only.
    bool known = add(rank);
    for (std::uint32_t caller = 0; known && !is_caller(source.a) && caller < evaluator_.ranks(); ++caller)
      known = caller == rank || add(caller);
  }
}

void HintConnectionFinder::add_profile(const hybrid_phase& phase, std::uint32_t rank,
                                       HintDestinations& result) const {
  for_each_profiled(evaluator_.unit(), phase,
                    [&](std::uint32_t ranks, std::uint32_t source, std::uint32_t destination) {
                      if (ranks == evaluator_.ranks() && source == rank) result.ranks.push_back(destination);
                    });
}

HintConnections HintConnectionFinder::site(std::uint32_t at) {
  HintConnections all;
  for (std::uint32_t rank = 0; rank < evaluator_.ranks(); ++rank) {
    const HintDestinations part = site(at, rank);
    if (!part.unknown.empty()) return {{}, part.unknown};
    for (const std::uint32_t to : part.ranks) all.connections.push_back({rank, to});
  }
  return all;
}

HintConnections HintConnectionFinder::phase(std::uint32_t at, std::optional<bool> holds) {
  HintConnections all;
  for (std::uint32_t rank = 0; rank < evaluator_.ranks(); ++rank) {
    const HintDestinations part = phase(at, rank, holds);
    set_unknown(all.unknown, part.unknown);
    for (const std::uint32_t to : part.ranks) all.connections.push_back({rank, to});
  }
  return all;
}

}  // namespace hybrid
