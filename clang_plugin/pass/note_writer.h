/* A note as a variable of the program, in HYBRID_NOTE_SECTION. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_NOTE_WRITER_H
#define HYBRID_CLANG_PLUGIN_PASS_NOTE_WRITER_H

#include <llvm/IR/Module.h>

#include <string>

#include "clang_plugin/pass/extraction.h"

namespace hybrid::pass {

struct WrittenNote {
  llvm::Constant* unit; /* the address of the descriptor */
  uint32_t id_low, id_high;
};

/* Adds the note and its table of addresses to `module`. The variables
 * in the table that the module does not have are declared. */
WrittenNote write_note(llvm::Module& module, const Extraction& extraction, const std::string& name,
                       bool whole);

}  // namespace hybrid::pass

#endif
