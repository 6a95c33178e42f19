/* Extracts the sites and phases of a module into a note. */
#pragma once

#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "clang_plugin/pass/directives.h"
#include "clang_plugin/pass/note.h"

namespace hybrid::pass {

struct Extraction {
  Note note;                                  /* its first phases are those of the directives, in order */
  std::map<std::string, uint32_t> procedures; /* phases of functions that communicate, by symbol */
  std::vector<std::string> addresses;  /* symbols of the variables that HYBRID_LOAD reads, by their number */
  std::set<std::string> own_variables; /* of a unit: internal variables that the whole program's hints may
                                          read (own_variables.h) */
  std::set<uint32_t> locals;           /* of a unit: numbers of the main program's locals (kept_locals.h) */
  bool may_improve = false;            /* the hints of this unit, if those are kept */
};

/* Whether the module calls MPI or has directives. Otherwise there is nothing to extract. */
bool communicates(const llvm::Module& module);

/* Facts about a module that is a whole program. */
struct WholeProgram {
  std::set<std::string> outside;             /* symbols that other code uses */
  std::map<std::string, PhaseOrigin> phases; /* of the functions that communicate */
};

/* -Rpass-missed=hybrid: why a call could not be analysed, and what would help. */
enum class Remarks { off, on };

/* Analyses `module` and destroys it: pass a copy. `whole` is null for a unit. `can_be_named` states whether
 * the note may refer to the variable of that name. Phases are those of directives and the functions that
 * communicate. */
Extraction extract(std::unique_ptr<llvm::Module> module, const WholeProgram* whole,
                   const std::vector<DirectivePhase>& directives,
                   const std::function<bool(const std::string&)>& can_be_named, Remarks remarks);

}  // namespace hybrid::pass
