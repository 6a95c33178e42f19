/* Writes a note as a variable of the program, in HYBRID_NOTE_SECTION:
 *
 *     (nothing)   ->   @hybrid.note = private constant [...] section ".note.hybrid"
 */
#pragma once

#include <llvm/IR/Module.h>

#include <string>

#include "clang_plugin/pass/note.h"

namespace hybrid::pass {

/* Adds the note to `module`. `name`: of the source. Returns the address of the descriptor. */
llvm::Constant* write_note(llvm::Module& module, Note note, const std::string& name);

}  // namespace hybrid::pass
