/* Receives from any source in a whole program: their sources are known if all sends that they can match are.
 */
#pragma once

#include <llvm/IR/Module.h>

#include <vector>

#include "clang_plugin/pass/note.h"

namespace hybrid::pass {

/* The reason of a receive from any source for which nothing else is unknown. */
inline constexpr char kAnySource[] = "it receives from any source";

/* Whether a function of this name sends: of MPI or PMPI, in C or Fortran. */
bool is_send(llvm::StringRef symbol);

/* Whether the program sends, or passes a function that sends, at a place without a site. `module` must be as
 * it was compiled. */
bool sends_unseen(const llvm::Module& module);

/* Classifies the receives with that reason. `sites`: all sites of the program. A receive gets the worst class
 * of the sends with its communicator and tag; it stays dynamic if one of these is dynamic or there is none.
 * An unknown tag matches any. */
void settle_any_source(const Note& note, const std::vector<hybrid_site*>& sites);

}  // namespace hybrid::pass
