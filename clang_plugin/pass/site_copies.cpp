#include "clang_plugin/pass/site_copies.h"

#include <algorithm>

#include "clang_plugin/pass/phase_choice.h"

namespace hybrid::pass {

using namespace llvm;

bool SiteCopies::may_change(Node node, const Places& places, const std::vector<SiteCopy*>& copies) const {
  for (const Instruction* begin : places)
    for (const SiteCopy* to : copies)
      if (!begin || reads_.may_change(node, *begin, *to->call)) return true;
  return false;
}

std::set<Node> SiteCopies::conditions_of(Node all) const {
  std::set<Node> conditions;
  std::vector<Node> pending{all};
  while (!pending.empty()) {
    const Node node = pending.back();
    pending.pop_back();
    if (node == HYBRID_NONE) continue;
    const hybrid_node& n = note_.nodes[node];
    if (n.op == HYBRID_AND)
      pending.insert(pending.end(), {n.a, n.b});
    else
      conditions.insert(node);
  }
  return conditions;
}

SiteCopies::Places SiteCopies::places_of(const std::vector<SiteCopy*>& copies, size_t phase) {
  Places places;
  for (const SiteCopy* copy : copies) {
    const Instruction* begin = copy->phases[phase].begin;
    if (!places.insert(begin) || !begin) continue;
    const auto& mark = cast<CallBase>(*begin);
    for (const User* user : mark.getCalledFunction()->users())
      if (const auto* other = dyn_cast<CallBase>(user))
        if (other->arg_size() == 0 ? written_in(*other) == written_in(mark)
                                   : other->getArgOperand(0) == mark.getArgOperand(0))
          places.insert(other);
  }
  return places;
}

std::vector<Node> SiteCopies::read_for(const hybrid_site& site) const {
  std::vector<Node> nodes{site.peer, site.guard, site.communicator};
  for (uint32_t loop = site.loop; loop != HYBRID_NONE; loop = note_.loops[loop].parent)
    if (!note_.always_turns(loop) || note_.turns_matter(loop, site))
      nodes.push_back(note_.loops[loop].condition);
  std::erase_if(nodes, [&](Node node) { return !note_.has_load(node); });
  return nodes;
}

bool SiteCopies::is_same_hint(const hybrid_site& one, const hybrid_site& other) const {
  uint32_t a = one.loop, b = other.loop;
  for (; a != HYBRID_NONE && b != HYBRID_NONE; a = note_.loops[a].parent, b = note_.loops[b].parent)
    if (note_.loops[a].condition != note_.loops[b].condition) return false;
  return a == b && one.site_class != HYBRID_DYNAMIC && other.site_class != HYBRID_DYNAMIC &&
         communication_of(note_, one) == communication_of(note_, other);
}

bool SiteCopies::differs_at(const Instruction* begin, const SiteCopy& copy, size_t phase,
                            const std::vector<Node>& nodes) const {
  const Instruction* own = copy.phases[phase].begin;
  if (!begin || !own) return true;
  const auto changes = [&](const Instruction& from, const Instruction& to) {
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](Node node) { return reads_.may_change(node, from, to); });
  };
  const bool since = changes(*own, *begin), until = changes(*begin, *copy.call);
  if (!since && !until) return false;
  /* Otherwise the call must have been made with them before, or must be made with them later. */
  return (since || !symbolic_.always_before(*own, *begin)) &&
         (until || !symbolic_.always_behind(*copy.call, *begin));
}

SiteCopies::Refused SiteCopies::refused(const Group& group, size_t phase) const {
  const auto& [copies, places] = group;
  Refused refused;
  const bool all_begin_one = std::all_of(places.begin(), places.end(), [&](const Instruction* place) {
    return std::any_of(copies.begin(), copies.end(),
                       [&](const SiteCopy* copy) { return copy->phases[phase].begin == place; });
  });
  if (copies.empty()) return refused;
  const hybrid_site& first = copies[0]->phases[phase].site;
  if (all_begin_one && std::all_of(copies.begin(), copies.end(), [&](const SiteCopy* copy) {
        const hybrid_site& site = copy->phases[phase].site;
        return site.peer == first.peer && site.guard == first.guard &&
               site.communicator == first.communicator && site.site_class != HYBRID_DYNAMIC &&
               !note_.has_variable(site.peer) && !note_.has_variable(site.guard);
      }))
    return refused;
  if (places.size() > 1)
    for (SiteCopy* copy : copies) {
      const hybrid_site& site = copy->phases[phase].site;
      if (site.site_class == HYBRID_DYNAMIC) continue;
      const std::vector<Node> nodes = read_for(site);
      if (nodes.empty()) continue;
      for (const Instruction* begin : places) {
        const bool is_own = std::any_of(copies.begin(), copies.end(), [&](const SiteCopy* other) {
          const SiteOfPhase& there = other->phases[phase];
          return there.begin == begin && (other == copy || is_same_hint(site, there.site));
        });
        if (!is_own && differs_at(begin, *copy, phase, nodes)) refused.emplace(copy, nodes.front());
      }
    }
  /* A place may lead to no call: with the arguments there, the call is not made. */
  std::vector<std::set<Node>> paths_to_no_call;
  for (const Instruction* place : places)
    if (place && std::none_of(copies.begin(), copies.end(),
                              [&](const SiteCopy* copy) { return copy->phases[phase].begin == place; }))
      paths_to_no_call.push_back(conditions_of(symbolic_.condition_to(cast<CallBase>(*place))));
  const auto is_common = [&](Node node) {
    const bool on_all_paths =
        std::all_of(paths_to_no_call.begin(), paths_to_no_call.end(),
                    [&](const std::set<Node>& conditions) { return conditions.contains(node); });
    return on_all_paths && std::all_of(copies.begin(), copies.end(), [&](const SiteCopy* copy) {
             const SiteOfPhase& place = copy->phases[phase];
             return place.left_out.contains(node) || place.read.contains(node);
           });
  };
  const auto is_certain = [&](const SiteCopy* copy) {
    const std::set<Node>& left_out = copy->phases[phase].left_out;
    return std::all_of(left_out.begin(), left_out.end(), is_common);
  };
  /* Whether another copy has the same hint anyway. */
  const auto is_hinted_elsewhere = [&](const SiteCopy* copy) {
    const hybrid_site& site = copy->phases[phase].site;
    return !note_.has_variable(site.peer) && !note_.has_variable(site.guard) &&
           std::any_of(copies.begin(), copies.end(), [&](SiteCopy* other) {
             const hybrid_site& there = other->phases[phase].site;
             return other != copy && there.site_class != HYBRID_DYNAMIC && !refused.contains(other) &&
                    there.peer == site.peer && there.guard == site.guard &&
                    there.communicator == site.communicator && is_certain(other);
           });
  };
  bool any_left_out = false;
  for (SiteCopy* copy : copies)
    for (const Node node : copy->phases[phase].left_out)
      if (!is_common(node) && !is_hinted_elsewhere(copy)) {
        any_left_out = true;
        refused.emplace(copy, node);
      }
  if (!any_left_out) return refused;
  /* If the phase begins at such a place, a condition that another place reads may hold there, but not when
   * that place is reached. */
  std::map<Node, bool> changes;
  for (SiteCopy* copy : copies)
    for (const Node node : copy->phases[phase].read) {
      const auto [known, fresh] = changes.try_emplace(node, false);
      if (fresh) known->second = !is_common(node) && may_change(node, places, copies);
      if (known->second) refused.emplace(copy, node);
    }
  return refused;
}

const CallPath& SiteCopies::path_to(const Instruction* begin) {
  const auto [entry, fresh] = paths_.try_emplace(begin);
  if (!fresh || !begin) return entry->second;
  entry->second = places_.path_to(*begin);
  /* A recursive function stores another number before it returns. */
  std::erase_if(entry->second, [&](const auto& call) {
    const std::string function = places_.function(call.first);
    return (!is_main_program(function) && reads_.runs_within_itself(function)) ||
           is_on({call}) == HYBRID_NONE;
  });
  return entry->second;
}

SiteCopies::Group SiteCopies::at(const CallPath& path, const std::vector<SiteCopy*>& copies,
                                 const Places& places, size_t phase) {
  const auto may_be_there = [&](const Instruction* begin) {
    const CallPath& its = path_to(begin);
    return std::all_of(path.begin(), path.end(), [&](const auto& call) {
      const auto found = its.find(call.first);
      return found == its.end() || found->second == call.second;
    });
  };
  Group group;
  for (const Instruction* place : places)
    if (may_be_there(place)) group.places.insert(place);
  for (SiteCopy* copy : copies)
    if (may_be_there(copy->phases[phase].begin)) group.copies.push_back(copy);
  return group;
}

SiteCopies::Group SiteCopies::outside(size_t variable, const std::vector<SiteCopy*>& copies,
                                      const Places& places, size_t phase) {
  Group group;
  for (const Instruction* place : places)
    if (!path_to(place).contains(variable)) group.places.insert(place);
  for (SiteCopy* copy : copies)
    if (!path_to(copy->phases[phase].begin).contains(variable)) group.copies.push_back(copy);
  return group;
}

Node SiteCopies::only_where_known(SiteCopy& copy, const std::vector<SiteCopy*>& copies, const Places& places,
                                  size_t phase) {
  const auto is_known_in = [&](const Group& group) {
    if (group.places.size() == places.size()) return false;
    auto [known, fresh] = refused_in_.try_emplace(group.places.getArrayRef().vec());
    if (fresh) known->second = refused(group, phase);
    return !known->second.contains(&copy);
  };
  const CallPath& path = path_to(copy.phases[phase].begin);
  /* The first call that is sufficient, or all of them. */
  for (const auto& call : path) {
    const CallPath one{call};
    if (is_known_in(at(one, copies, places, phase))) return is_on(one);
  }
  if (is_known_in(at(path, copies, places, phase))) return is_on(path);
  /* Begun by other calls than those that are inlined in a function. */
  for (size_t variable = 0; variable < places_.variables().size(); ++variable) {
    if (path.contains(variable)) continue;
    if (!is_known_in(outside(variable, copies, places, phase))) continue;
    std::set<uint32_t> inside;
    for (const Instruction* place : places)
      if (const auto found = path_to(place).find(variable); found != path_to(place).end())
        inside.insert(found->second);
    Node none = HYBRID_NONE;
    for (const uint32_t number : inside) none = note_.both(none, note_.negation(is_on({{variable, number}})));
    return none;
  }
  return HYBRID_NONE;
}

Node SiteCopies::is_on(const CallPath& path) {
  Node all = HYBRID_NONE;
  for (const auto& [variable, number] : path)
    all = note_.both(all, symbolic_.holds(*places_.variables()[variable], number, places_.name(variable)));
  return all;
}

void SiteCopies::settle_places(const std::vector<SiteCopy*>& copies, size_t phase) {
  const Places places = places_of(copies, phase);
  if (places.size() == 1 && copies.size() == 1) return;
  refused_in_.clear();
  for (const auto& [copy, node] : refused({copies, places}, phase)) {
    SiteOfPhase& there = copy->phases[phase];
    if (there.site.site_class == HYBRID_DYNAMIC) continue;
    there.where = only_where_known(*copy, copies, places, phase);
    if (there.where != HYBRID_NONE) continue;
    const std::string why = note_.reason(node);
    there.site.site_class = HYBRID_DYNAMIC;
    there.site.reason = note_.string(
        "whether the call is made: " +
        (why.empty()
             ? "its phase begins in several places, and a value that it depends on changes between them"
             : why));
  }
  for (SiteCopy* copy : copies) {
    SiteOfPhase& there = copy->phases[phase];
    const bool reads = there.where != HYBRID_NONE || !read_for(there.site).empty();
    if (there.site.site_class == HYBRID_STATIC && reads) there.site.site_class = HYBRID_ANALYSABLE;
  }
}

std::vector<uint32_t> SiteCopies::loops_of(const SiteCopy& copy) const {
  std::vector<uint32_t> loops;
  for (size_t phase = 0; phase + 1 < copy.phases.size(); ++phase)
    loops.push_back(copy.phases[phase].site.phase);
  return loops;
}

std::set<uint32_t> SiteCopies::choose_loops() {
  PhaseChoice choice(directives_);
  for (const SiteCopy& copy : copies_) {
    const SiteOrigin& origin = prepared_.origins[copy.origin];
    if (origin.directive != HYBRID_NONE && !directives_[origin.directive].is_loop) continue;
    const std::vector<uint32_t> loops = loops_of(copy);
    std::vector<bool> known;
    if (origin.part->kind == HYBRID_SEND || origin.part->kind == HYBRID_RECEIVE)
      for (const SiteOfPhase& phase : copy.phases) known.push_back(phase.site.site_class != HYBRID_DYNAMIC);
    choice.add_call(origin.function, loops, known);
    if (origin.part->kind != HYBRID_SEND) continue;
    std::set<uint32_t> around = symbolic_.phases_of_loops_around(*copy.call);
    std::erase_if(around, [&](uint32_t loop) { return !directives_[loop].is_loop; });
    around.insert(loops.begin(), loops.end());
    const hybrid_site& site = copy.phases[0].site;
    choice.add_send(origin.function,
                    site.site_class == HYBRID_DYNAMIC ? "site " + std::to_string(copy.origin)
                                                      : communication_of(note_, site),
                    around);
  }
  return choice.choose();
}

void SiteCopies::settle_loop(uint32_t loop, const std::set<uint32_t>& chosen,
                             const std::map<std::string, uint32_t>& procedures) {
  hybrid_phase& phase = note_.phases[loop];
  if (!chosen.contains(loop)) phase.flags |= HYBRID_PHASE_MERGED;
  while (phase.parent != HYBRID_NONE && !chosen.contains(phase.parent))
    phase.parent = directives_[phase.parent].parent;
  if (phase.parent != HYBRID_NONE) return;
  if (const auto function = procedures.find(directives_[loop].function); function != procedures.end())
    phase.parent = function->second;
}

void SiteCopies::settle(const std::map<std::string, uint32_t>& procedures) {
  std::map<uint64_t, std::vector<SiteCopy*>> by_origin;
  for (SiteCopy& copy : copies_) by_origin[copy.origin].push_back(&copy);
  for (const auto& [origin, copies] : by_origin)
    for (size_t phase = 0; phase < copies[0]->phases.size(); ++phase) settle_places(copies, phase);
  const std::set<uint32_t> chosen = choose_loops();
  for (uint32_t i = 0; i < directives_.size(); ++i)
    if (directives_[i].is_loop) settle_loop(i, chosen, procedures);
  sites_.clear();
  for (SiteCopy& copy : copies_) {
    const std::vector<uint32_t> loops = loops_of(copy);
    const auto own =
        std::find_if(loops.begin(), loops.end(), [&](uint32_t loop) { return chosen.contains(loop); });
    SiteOfPhase& phase = copy.phases[static_cast<size_t>(own - loops.begin())];
    phase.site.guard = note_.both(phase.where, phase.site.guard);
    sites_.push_back(&phase.site);
  }
}

}  // namespace hybrid::pass
