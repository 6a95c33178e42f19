/* A call that communicates stands in the analysed module once for each place where its procedure was inlined,
 * and may belong to several phases: the loops around it, its procedure. What the note has of it is settled
 * when all of them are known. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_SITE_COPIES_H
#define HYBRID_CLANG_PLUGIN_PASS_SITE_COPIES_H

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

/* A site as it is if it belongs to its `phase`. On what the phase is begun there: what cannot be told when it
 * begins is left out, as who asks then has begun it; what is read of variables stands in the guard. */
struct SiteOfPhase {
  hybrid_site site;
  const llvm::Instruction* begin = nullptr; /* null: the function's */
  std::set<Node> left_out, read;
  Node where = HYBRID_NONE; /* the calls under way (call_places.h) with which it is told; none: with all */
};

struct SiteCopy {
  /* Of the loops of its procedure around it, the innermost first, and last of the procedure; or of a
   * directive's phase alone. */
  std::vector<SiteOfPhase> phases;
  uint64_t origin; /* index of Prepared::origins */
  const llvm::CallBase* call;
};

class SiteCopies {
 public:
  /* All outlive this. */
  SiteCopies(const Prepared& prepared, const std::vector<DirectivePhase>& directives, Note& note,
             Symbolic& symbolic, RunTimeReads& reads)
      : prepared_(prepared),
        directives_(directives),
        note_(note),
        symbolic_(symbolic),
        reads_(reads),
        places_(*prepared.module) {}

  void add(SiteCopy copy) { copies_.push_back(std::move(copy)); }

  /* Chooses the loops that are phases, and marks in the note those that are not. `procedures`: the phases of
   * functions. */
  void settle(const std::map<std::string, uint32_t>& procedures);

  /* After that: each copy's site, in the order of the calls. */
  std::vector<hybrid_site*> sites() { return sites_; }
  const llvm::CallBase& call(size_t copy) const { return *copies_[copy].call; }

 private:
  /* Where a phase is begun in several places, only what leads to all of them may be left out, and only what
   * is the same at all of them may be read: or one place's connections would be told in another. */
  void settle_places(const std::vector<SiteCopy*>& copies, size_t phase);
  /* Where the phase is begun: marks, or null for the function's begin. */
  using Places = std::set<const llvm::Instruction*>;
  struct Group {
    std::vector<SiteCopy*> copies;
    Places places;
  };
  /* The copies of a group that may not be told where its places cannot be told apart, and a node that they
   * depend on. */
  using Refused = std::map<SiteCopy*, Node>;
  Refused refused(const Group& group, size_t phase) const;
  /* By which calls of which functions the phase is begun there. */
  const CallPath& path_to(const llvm::Instruction* begin);
  /* Of those, what may be begun with these calls under way, and what is begun by none of a function's. */
  Group at(const CallPath& path, const std::vector<SiteCopy*>& copies, const Places& places, size_t phase);
  Group outside(size_t variable, const std::vector<SiteCopy*>& copies, const Places& places, size_t phase);
  /* The condition on calls under way with which a copy may be told that may not be told always; HYBRID_NONE
   * if there is none. */
  Node only_where_known(SiteCopy& copy, const std::vector<SiteCopy*>& copies, const Places& places,
                        size_t phase);
  /* Are these calls under way? HYBRID_NONE if hints cannot ask. */
  Node is_on(const CallPath& path);
  /* What is read of variables to tell the site. */
  std::vector<Node> read_for(const hybrid_site& site) const;
  bool is_told_the_same(const hybrid_site& one, const hybrid_site& other) const;
  /* Told where the phase begins at `begin`, may the copy's call never be made with what these nodes are
   * there?
   */
  bool differs_at(const llvm::Instruction* begin, const SiteCopy& copy, size_t phase,
                  const std::vector<Node>& nodes) const;
  static Places places_of(const std::vector<SiteCopy*>& copies, size_t phase);
  /* Those that must all hold. */
  std::set<Node> conditions_of(Node all) const;
  /* May it be another value at one of the places than at the next call that is reached? */
  bool may_change(Node node, const Places& places, const std::vector<SiteCopy*>& copies) const;
  /* The loops of its procedure around it, the innermost first. */
  std::vector<uint32_t> loops_of(const SiteCopy& copy) const;
  std::set<uint32_t> choose_loops();
  /* The phase of a loop: what it is in, or that it is none. */
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
  std::map<Places, Refused> refused_in_; /* of the present copies and phase */
  std::vector<hybrid_site*> sites_;
};

}  // namespace hybrid::pass

#endif
