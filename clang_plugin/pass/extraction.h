/* From a module to the sites and phases of its note. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_EXTRACTION_H
#define HYBRID_CLANG_PLUGIN_PASS_EXTRACTION_H

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
  Note note;                                  /* its first phases are the directives', in their order */
  std::map<std::string, uint32_t> procedures; /* phases of functions that communicate, by symbol */
  std::vector<std::string> addresses;  /* symbols of the variables that HYBRID_LOAD reads, by their number */
  std::set<std::string> own_variables; /* of a unit: of the file's own those that the whole program's hints
                                          may have to read (own_variables.h) */
  std::set<uint32_t> locals;           /* and numbers of the main program's locals (kept_locals.h) */
  bool may_tell_more = false;          /* of this unit, if those are kept */
};

/* Does the module call MPI, or have directives? Without that there is nothing to extract. */
bool communicates(const llvm::Module& module);

/* What is known of a module that is a whole program. */
struct WholeProgram {
  std::set<std::string> outside;             /* symbols that other code uses */
  std::map<std::string, PhaseOrigin> phases; /* of the functions that communicate */
};

/* -Rpass-missed=hybrid: what could not be told of a call, and what would help. */
enum class Remarks { off, on };

/* Analyses `module`, which is used up: give a copy. `whole` is null for a unit. `can_be_named`: may the note
 * refer to the variable of that name? Phases are the directives' and the functions that communicate. */
Extraction extract(std::unique_ptr<llvm::Module> module, const WholeProgram* whole,
                   const std::vector<DirectivePhase>& directives,
                   const std::function<bool(const std::string&)>& can_be_named, Remarks remarks);

}  // namespace hybrid::pass

#endif
