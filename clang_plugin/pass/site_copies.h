/* Copies of a call that communicates. The analysed module has one for each place where its procedure was
 * inlined, and each may belong to several phases: the loops around it, its procedure. The site in the note is
 * determined when all copies are known. */
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstrTypes.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "clang_plugin/pass/directives.h"
#include "clang_plugin/pass/note.h"
#include "clang_plugin/pass/preparation.h"
#include "clang_plugin/pass/symbolic.h"

namespace hybrid::pass {

/* A site as a part of its `phase`. Conditions on which the phase begins there are left out of the guard if
 * they are unknown, because the phase has begun when hints are evaluated. */
struct SiteOfPhase {
  NotedSite site;
  bool known = false; /* whether it has an expression; it may be dynamic nevertheless (kPerhapsNoIteration) */
  const llvm::Instruction* begin = nullptr; /* null: the function's */
  std::set<Node> left_out;
};

struct SiteCopy {
  /* For the loops of its procedure around it, the innermost first, and last for the procedure; or only for a
   * directive's phase. */
  std::vector<SiteOfPhase> phases;
  uint64_t origin; /* index of Prepared::origins */
  const llvm::CallBase* call;
};

class SiteCopies {
 public:
  /* All arguments must outlive this object. */
  SiteCopies(const Prepared& prepared, const std::vector<DirectivePhase>& directives, Note& note,
             Symbolic& symbolic)
      : prepared_(prepared), directives_(directives), note_(note), symbolic_(symbolic) {}

  void add(SiteCopy copy) { copies_.push_back(std::move(copy)); }

  /* Selects the loops that are phases, and marks the others in the note. `procedures`: the phases of
   * functions. Returns each copy's site, in the order of the calls. */
  std::vector<const NotedSite*> settle(const std::map<std::string, uint32_t>& procedures);

 private:
  /* If a phase begins in several places, a condition may be left out only if it is one of all of them.
   * Otherwise the connections of one place would be hinted at another: such copies become dynamic. */
  void settle_places(const std::vector<SiteCopy*>& copies, size_t phase);
  /* The places where the phase begins: marks, or null for the begin of the function. */
  using Places = llvm::SetVector<const llvm::Instruction*>; /* in the order of the copies */
  static Places places_of(const std::vector<SiteCopy*>& copies, size_t phase);
  /* Returns the terms of a conjunction. */
  std::set<Node> conditions_of(Node all) const;
  /* The loops of its procedure around it, the innermost first. */
  static std::vector<uint32_t> loops_of(const SiteCopy& copy);
  std::set<uint32_t> choose_loops();
  /* Sets the parent of a loop's phase, or marks it as merged if it is not chosen. */
  void settle_loop(uint32_t loop, const std::set<uint32_t>& chosen,
                   const std::map<std::string, uint32_t>& procedures);

  const Prepared& prepared_;
  const std::vector<DirectivePhase>& directives_;
  Note& note_;
  Symbolic& symbolic_;
  std::vector<SiteCopy> copies_;
};

}  // namespace hybrid::pass
