/* From a module to the sites and phases of its note. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_EXTRACTION_H
#define HYBRID_CLANG_PLUGIN_PASS_EXTRACTION_H

#include <llvm/IR/Module.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "clang_plugin/pass/note.h"

namespace hybrid::pass {

struct Extraction {
  Note note;
  std::vector<std::string> addresses; /* symbols of the variables that HYBRID_LOAD reads, by their number */
};

/* Does the module call MPI? Without that there is nothing to extract. */
bool communicates(const llvm::Module& module);

/* Analyses `module`, which is used up: give a copy. `whole`: nothing but main is called from outside.
 * `can_be_named`: may the note refer to the variable of that name? Phases are the functions that communicate.
 */
Extraction extract(std::unique_ptr<llvm::Module> module, bool whole,
                   const std::function<bool(const std::string&)>& can_be_named);

}  // namespace hybrid::pass

#endif
