/* Marks in the program's code: calls of the library's HYBRID_LIBRARY_MARK, if it is there, where phases begin
 * and end. They change nothing of what the program does; a phase that is left early is ended on the way out.
 */
#ifndef HYBRID_CLANG_PLUGIN_PASS_MARKS_H
#define HYBRID_CLANG_PLUGIN_PASS_MARKS_H

#include <llvm/IR/Module.h>

#include <map>
#include <string>

#include "clang_plugin/pass/directives.h"

namespace hybrid::pass {

/* `procedures`: the phases of functions that communicate; a directive's phase has its number in `directives`.
 * `unit`: the note's descriptor. All markers are gone afterwards. */
void write_marks(llvm::Module& module, const Directives& directives,
                 const std::map<std::string, uint32_t>& procedures, llvm::Constant* unit);

}  // namespace hybrid::pass

#endif
