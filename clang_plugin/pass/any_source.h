/* Receives from any source, where the whole program is in sight: whose messages they can take is known by the
 * sends that they can match, if those are. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_ANY_SOURCE_H
#define HYBRID_CLANG_PLUGIN_PASS_ANY_SOURCE_H

#include <llvm/IR/Module.h>

#include <vector>

#include "clang_plugin/pass/note.h"

namespace hybrid::pass {

/* The reason of a site of which nothing else is unknown. */
inline constexpr char kAnySource[] = "it receives from any source";

/* A function that sends, by its name: MPI's, PMPI's, in C or Fortran. */
bool is_send(llvm::StringRef symbol);

/* Does the program send, or hand on a function that does, where there will be no site? Of the module as it
 * was compiled. */
bool sends_unseen(const llvm::Module& module);

/* `sites`: all of the program. A receive with that reason is as static or analysable as the sends of its
 * communicator and tag are; it stays dynamic where one of these is, or where none is seen. A tag that is not
 * known may be any. */
void settle_any_source(const Note& note, const std::vector<hybrid_site*>& sites);

}  // namespace hybrid::pass

#endif
