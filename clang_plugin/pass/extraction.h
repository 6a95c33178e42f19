/* Extracts the sites and phases of a module into a note. */
#pragma once

#include <llvm/IR/Module.h>

#include <map>
#include <string>
#include <vector>

#include "clang_plugin/pass/directives.h"
#include "clang_plugin/pass/note.h"
#include "clang_plugin/pass/preparation.h"

namespace hybrid::pass {

struct Extraction {
  Note note;                                  /* its first phases are those of the directives, in order */
  std::map<std::string, uint32_t> procedures; /* phases of functions that communicate, by symbol */
};

/* The reason of a site for which nothing else is unknown. */
inline constexpr char kPerhapsNoIteration[] = "whether the call is made: its loop may have no iteration";

/* Whether the module calls MPI or has directives. Otherwise there is nothing to extract. */
bool communicates(const llvm::Module& module);

/* Analyses the module, which is not changed (but for values whose computation is copied). Phases are those of
 * directives and the functions that communicate. A site is static or dynamic. */
Extraction extract(Prepared& prepared, const std::vector<DirectivePhase>& directives);

}  // namespace hybrid::pass
