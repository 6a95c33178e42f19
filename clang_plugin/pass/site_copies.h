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

#include "clang_plugin/pass/call_places.h"
#include "clang_plugin/pass/directives.h"
#include "clang_plugin/pass/note.h"
#include "clang_plugin/pass/preparation.h"
#include "clang_plugin/pass/run_time_reads.h"
#include "clang_plugin/pass/symbolic.h"

namespace hybrid::pass {

/* A site as a part of its `phase`. Conditions on which the phase begins there are left out if they are
 * unknown at its begin, because the phase has begun when hints are evaluated; conditions that read variables
 * are part of the guard. */
struct SiteOfPhase {
  hybrid_site site;
  const llvm::Instruction* begin = nullptr; /* null: the function's */
  std::set<Node> left_out, read;
  Node where = HYBRID_NONE; /* the call path (call_places.h) on which the hint holds; none: on all */
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
             Symbolic& symbolic, RunTimeReads& reads)
      : prepared_(prepared),
        directives_(directives),
        note_(note),
        symbolic_(symbolic),
        reads_(reads),
        places_(*prepared.module) {}

  void add(SiteCopy copy) { copies_.push_back(std::move(copy)); }

  /* Selects the loops that are phases, and marks the others in the note. `procedures`: the phases of
   * functions. */
  void settle(const std::map<std::string, uint32_t>& procedures);

  /* Returns each copy's site, in the order of the calls. Precondition: settle() was called. */
  std::vector<hybrid_site*> sites() { return sites_; }
  const llvm::CallBase& call(size_t copy) const { return *copies_[copy].call; }

 private:
  /* If a phase begins in several places, only conditions of all of them may be left out, and only values that
   * are the same at all of them may be read. Otherwise the connections of one place would be hinted at
   * another. */
  void settle_places(const std::vector<SiteCopy*>& copies, size_t phase);
  /* The places where the phase begins: marks, or null for the begin of the function. */
  using Places = llvm::SetVector<const llvm::Instruction*>; /* in the order of the copies */
  struct Group {
    std::vector<SiteCopy*> copies;
    Places places;
  };
  /* The copies of a group that cannot be hinted if its places are not distinguished, each with a node that it
   * depends on. */
  using Refused = std::map<SiteCopy*, Node>;
  Refused refused(const Group& group, size_t phase) const;
  /* The calls that lead to the begin of the phase there. */
  const CallPath& path_to(const llvm::Instruction* begin);
  /* at: the part of the copies and places that may begin on this call path. outside: the part that begins
   * through no call of the variable's function. */
  Group at(const CallPath& path, const std::vector<SiteCopy*>& copies, const Places& places, size_t phase);
  Group outside(size_t variable, const std::vector<SiteCopy*>& copies, const Places& places, size_t phase);
  /* Returns the condition on the call path with which a copy can be hinted that cannot be hinted always;
   * HYBRID_NONE if there is none. */
  Node only_where_known(SiteCopy& copy, const std::vector<SiteCopy*>& copies, const Places& places,
                        size_t phase);
  /* Returns the condition that this is the call path; HYBRID_NONE if hints cannot test it. */
  Node is_on(const CallPath& path);
  /* Returns the nodes of the site that read variables. */
  std::vector<Node> read_for(const hybrid_site& site) const;
  bool is_same_hint(const hybrid_site& one, const hybrid_site& other) const;
  /* Whether the copy's call may never be made with the values that these nodes have at `begin`, if the hint
   * is evaluated there. */
  bool differs_at(const llvm::Instruction* begin, const SiteCopy& copy, size_t phase,
                  const std::vector<Node>& nodes) const;
  static Places places_of(const std::vector<SiteCopy*>& copies, size_t phase);
  /* Returns the terms of a conjunction. */
  std::set<Node> conditions_of(Node all) const;
  /* Whether the value may change between one of the places and the next call. */
  bool may_change(Node node, const Places& places, const std::vector<SiteCopy*>& copies) const;
  /* The loops of its procedure around it, the innermost first. */
  std::vector<uint32_t> loops_of(const SiteCopy& copy) const;
  std::set<uint32_t> choose_loops();
  /* Sets the parent of a loop's phase, or marks it as merged if it is not chosen. */
  void settle_loop(uint32_t loop, const std::set<uint32_t>& chosen,
                   const std::map<std::string, uint32_t>& procedures);

  const Prepared& prepared_;
  const std::vector<DirectivePhase>& directives_;
  Note& note_;
  Symbolic& symbolic_;
  RunTimeReads& reads_;
  CallPlaces places_;
  std::vector<SiteCopy> copies_;
  std::map<const llvm::Instruction*, CallPath> paths_;
  std::map<std::vector<const llvm::Instruction*>, Refused> refused_in_; /* for the current copies and phase */
  std::vector<hybrid_site*> sites_;
};

}  // namespace hybrid::pass
