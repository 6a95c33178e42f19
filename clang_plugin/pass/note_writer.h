/* Writes a note as a variable of the program, in HYBRID_NOTE_SECTION:
 *
 *     (nothing)   ->   @hybrid.note = private constant <{ [...], i64, [...] }> section ".note.hybrid"
 *                      @hybrid.addresses = private constant [n x ptr] (the variables that hints read) */
#pragma once

#include <llvm/IR/Module.h>

#include <string>

#include "clang_plugin/pass/extraction.h"

namespace hybrid::pass {

struct WrittenNote {
  llvm::Constant* unit; /* the address of the descriptor */
  uint32_t id_low, id_high;
};

/* Adds the note and its table of addresses to `module`. Declares the variables of the table that the module
 * does not have. */
WrittenNote write_note(llvm::Module& module, const Extraction& extraction, const std::string& name,
                       bool whole);

}  // namespace hybrid::pass
