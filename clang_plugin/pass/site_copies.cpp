#include "clang_plugin/pass/site_copies.h"

#include <algorithm>

#include "clang_plugin/pass/phase_choice.h"

namespace hybrid::pass {

using namespace llvm;

void SiteCopies::settle_places(const std::vector<SiteOfPhase*>& places) {
  std::set<Node> common = places[0]->left_out;
  bool same = true;
  for (const SiteOfPhase* place : places) {
    std::erase_if(common, [&](Node node) { return !place->left_out.contains(node); });
    const hybrid_site &a = place->site, &b = places[0]->site;
    same &= a.peer == b.peer && a.guard == b.guard && a.communicator == b.communicator &&
            a.site_class != HYBRID_DYNAMIC && b.site_class != HYBRID_DYNAMIC && !note_.has_variable(a.peer) &&
            !note_.has_variable(a.guard);
  }
  for (SiteOfPhase* place : places)
    for (Node node : place->left_out) {
      if (same || common.contains(node) || place->site.site_class == HYBRID_DYNAMIC) continue;
      const std::string why = note_.reason(node);
      place->site.site_class = HYBRID_DYNAMIC;
      place->site.reason = note_.string(
          "whether it is made: " + (why.empty() ? "it depends on what has changed since it was asked" : why));
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
    for (size_t phase = 0; phase < copies[0]->phases.size(); ++phase) {
      std::vector<SiteOfPhase*> places;
      for (SiteCopy* copy : copies) places.push_back(&copy->phases[phase]);
      settle_places(places);
    }
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
