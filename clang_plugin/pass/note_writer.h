/* A note as a variable of the program, in HYBRID_NOTE_SECTION. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_NOTE_WRITER_H
#define HYBRID_CLANG_PLUGIN_PASS_NOTE_WRITER_H

#include <llvm/IR/Module.h>

#include <string>

#include "clang_plugin/pass/extraction.h"

namespace hybrid::pass {

/* Adds the note and its table of addresses to `module`; returns the address of its descriptor. The variables
 * in the table that the module does not have are declared. */
llvm::Constant* write_note(llvm::Module& module, const Extraction& extraction, const std::string& name,
                           bool whole);

}  // namespace hybrid::pass

#endif
