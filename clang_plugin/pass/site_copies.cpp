#include "clang_plugin/pass/site_copies.h"

#include <algorithm>

#include "clang_plugin/pass/phase_choice.h"

namespace hybrid::pass {

using namespace llvm;

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
      if (const auto* other = dyn_cast<CallBase>(user); other && !is_aside(*other))
        if (other->arg_size() == 0 ? written_in(*other) == written_in(mark)
                                   : other->getArgOperand(0) == mark.getArgOperand(0))
          places.insert(other);
  }
  return places;
}

void SiteCopies::settle_places(const std::vector<SiteCopy*>& copies, size_t phase) {
  const Places places = places_of(copies, phase);
  if (places.size() == 1 && copies.size() == 1) return;
  const bool all_begin_one = std::all_of(places.begin(), places.end(), [&](const Instruction* place) {
    return std::any_of(copies.begin(), copies.end(),
                       [&](const SiteCopy* copy) { return copy->phases[phase].begin == place; });
  });
  const auto same = [&](const SiteCopy* one, const SiteCopy* other) {
    const hybrid_site &a = one->phases[phase].site, &b = other->phases[phase].site;
    return one->phases[phase].known && other->phases[phase].known && a.peer == b.peer && a.guard == b.guard &&
           a.communicator == b.communicator && !note_.has_variable(a.peer) && !note_.has_variable(a.guard);
  };
  if (all_begin_one && std::all_of(copies.begin(), copies.end(),
                                   [&](const SiteCopy* copy) { return same(copy, copies.front()); }))
    return;
  /* A place may lead to no call: with the arguments there, the call is not made. */
  std::vector<std::set<Node>> paths_to_no_call;
  for (const Instruction* place : places)
    if (place && std::none_of(copies.begin(), copies.end(),
                              [&](const SiteCopy* copy) { return copy->phases[phase].begin == place; }))
      paths_to_no_call.push_back(conditions_of(symbolic_.condition_to(cast<CallBase>(*place))));
  const auto is_common = [&](Node node) {
    return std::all_of(paths_to_no_call.begin(), paths_to_no_call.end(),
                       [&](const std::set<Node>& conditions) { return conditions.contains(node); }) &&
           std::all_of(copies.begin(), copies.end(),
                       [&](const SiteCopy* copy) { return copy->phases[phase].left_out.contains(node); });
  };
  const auto is_certain = [&](const SiteCopy* copy) {
    const std::set<Node>& left_out = copy->phases[phase].left_out;
    return std::all_of(left_out.begin(), left_out.end(), is_common);
  };
  /* Whether another copy has the same hint anyway. */
  const auto is_hinted_elsewhere = [&](const SiteCopy* copy) {
    return std::any_of(copies.begin(), copies.end(), [&](const SiteCopy* other) {
      return other != copy && is_certain(other) && same(copy, other);
    });
  };
  for (SiteCopy* copy : copies) {
    SiteOfPhase& there = copy->phases[phase];
    if (!there.known || is_certain(copy) || is_hinted_elsewhere(copy)) continue;
    const std::string why = note_.reason(*std::ranges::find_if_not(there.left_out, is_common));
    there.known = false;
    there.site.site_class = HYBRID_DYNAMIC;
    there.site.reason = note_.string("whether the call is made: " +
                                     (why.empty() ? "its phase begins in several places" : why));
  }
}

std::vector<uint32_t> SiteCopies::loops_of(const SiteCopy& copy) {
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
      for (const SiteOfPhase& phase : copy.phases) known.push_back(phase.known);
    choice.add_call(origin.function, loops, known);
    if (origin.part->kind != HYBRID_SEND) continue;
    std::set<uint32_t> around = symbolic_.phases_of_loops_around(*copy.call);
    std::erase_if(around, [&](uint32_t loop) { return !directives_[loop].is_loop; });
    around.insert(loops.begin(), loops.end());
    const SiteOfPhase& innermost = copy.phases[0];
    choice.add_send(
        origin.function,
        innermost.known ? communication_of(note_, innermost.site) : "site " + std::to_string(copy.origin),
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

std::vector<const NotedSite*> SiteCopies::settle(const std::map<std::string, uint32_t>& procedures) {
  std::map<uint64_t, std::vector<SiteCopy*>> by_origin;
  for (SiteCopy& copy : copies_) by_origin[copy.origin].push_back(&copy);
  for (const auto& [origin, copies] : by_origin)
    for (size_t phase = 0; phase < copies[0]->phases.size(); ++phase) settle_places(copies, phase);
  const std::set<uint32_t> chosen = choose_loops();
  for (uint32_t i = 0; i < directives_.size(); ++i)
    if (directives_[i].is_loop) settle_loop(i, chosen, procedures);
  std::vector<const NotedSite*> sites;
  for (const SiteCopy& copy : copies_) {
    const std::vector<uint32_t> loops = loops_of(copy);
    const auto own =
        std::find_if(loops.begin(), loops.end(), [&](uint32_t loop) { return chosen.contains(loop); });
    sites.push_back(&copy.phases[static_cast<size_t>(own - loops.begin())].site);
  }
  return sites;
}

}  // namespace hybrid::pass
