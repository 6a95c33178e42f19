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
    if (!places.insert(begin).second || !begin) continue;
    const auto& mark = cast<CallBase>(*begin);
    for (const User* user : mark.getCalledFunction()->users())
      if (const auto* other = dyn_cast<CallBase>(user))
        if (other->arg_size() == 0 ? written_in(*other) == written_in(mark)
                                   : other->getArgOperand(0) == mark.getArgOperand(0))
          places.insert(other);
  }
  return places;
}

void SiteCopies::settle_places(const std::vector<SiteCopy*>& copies, size_t phase) {
  const Places places = places_of(copies, phase);
  /* A place may lead to no call: it is not made with what is passed there. */
  std::vector<std::set<Node>> ways_to_no_call;
  for (const Instruction* place : places)
    if (place && std::none_of(copies.begin(), copies.end(),
                              [&](const SiteCopy* copy) { return copy->phases[phase].begin == place; }))
      ways_to_no_call.push_back(conditions_of(symbolic_.way_to(cast<CallBase>(*place))));
  const hybrid_site& first = copies[0]->phases[phase].site;
  bool same = ways_to_no_call.empty();
  for (const SiteCopy* copy : copies) {
    const hybrid_site& site = copy->phases[phase].site;
    same &= site.peer == first.peer && site.guard == first.guard && site.communicator == first.communicator &&
            site.site_class != HYBRID_DYNAMIC && !note_.has_variable(site.peer) &&
            !note_.has_variable(site.guard);
  }
  if (same) return;
  const auto is_common = [&](Node node) {
    const bool on_all_ways =
        std::all_of(ways_to_no_call.begin(), ways_to_no_call.end(),
                    [&](const std::set<Node>& conditions) { return conditions.contains(node); });
    return on_all_ways && std::all_of(copies.begin(), copies.end(), [&](const SiteCopy* copy) {
             const SiteOfPhase& place = copy->phases[phase];
             return place.left_out.contains(node) || place.read.contains(node);
           });
  };
  const auto refuse = [&](SiteOfPhase& place, Node node) {
    if (place.site.site_class == HYBRID_DYNAMIC) return;
    const std::string why = note_.reason(node);
    place.site.site_class = HYBRID_DYNAMIC;
    place.site.reason = note_.string(
        "whether it is made: " +
        (why.empty() ? "its phase begins in several places, and what it depends on changes between them"
                     : why));
  };
  for (SiteCopy* copy : copies) {
    hybrid_site& site = copy->phases[phase].site;
    std::vector<Node> told_by{site.peer, site.guard, site.communicator};
    for (uint32_t loop = site.loop; loop != HYBRID_NONE; loop = note_.loops[loop].parent)
      told_by.push_back(note_.loops[loop].condition);
    for (const Node node : told_by) {
      if (!note_.has_load(node)) continue;
      if (site.site_class == HYBRID_STATIC) site.site_class = HYBRID_ANALYSABLE;
      /* What a local of the main program holds on the way to one place is nothing, or something else, at
       * others. */
      if (symbolic_.reads_local(node) && may_change(node, places, copies)) refuse(copy->phases[phase], node);
    }
  }
  const auto is_certain = [&](const SiteCopy* copy) {
    const std::set<Node>& left_out = copy->phases[phase].left_out;
    return std::all_of(left_out.begin(), left_out.end(), is_common);
  };
  /* Told for that one anyway. */
  const auto is_told_elsewhere = [&](const SiteCopy* copy) {
    const hybrid_site& site = copy->phases[phase].site;
    return !note_.has_variable(site.peer) && !note_.has_variable(site.guard) &&
           std::any_of(copies.begin(), copies.end(), [&](const SiteCopy* other) {
             const hybrid_site& told = other->phases[phase].site;
             return other != copy && told.site_class != HYBRID_DYNAMIC && told.peer == site.peer &&
                    told.guard == site.guard && told.communicator == site.communicator && is_certain(other);
           });
  };
  bool any_left_out = false;
  for (SiteCopy* copy : copies)
    for (const Node node : copy->phases[phase].left_out)
      if (!is_common(node) && !is_told_elsewhere(copy)) {
        any_left_out = true;
        refuse(copy->phases[phase], node);
      }
  if (!any_left_out) return;
  /* Begun at such a place, the phase would find true what another place reads, and is not when it is reached.
   */
  std::map<Node, bool> changes;
  for (SiteCopy* copy : copies)
    for (const Node node : copy->phases[phase].read) {
      const auto [known, fresh] = changes.try_emplace(node, false);
      if (fresh) known->second = !is_common(node) && may_change(node, places, copies);
      if (known->second) refuse(copy->phases[phase], node);
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
    sites_.push_back(&copy.phases[static_cast<size_t>(own - loops.begin())].site);
  }
}

}  // namespace hybrid::pass
