/* Loops that communicate as phases: where such a loop is entered and left, markers as those of a directive
 * are put into the program (core/hint_abi.h), for the pass to turn into marks. All loops that may send get
 * them, as what they send is seen in the whole program only; phase_choice.h then says which are phases. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_LOOP_PHASES_H
#define HYBRID_CLANG_PLUGIN_PASS_LOOP_PHASES_H

#include <llvm/IR/Module.h>

#include <cstdint>

namespace hybrid::pass {

/* Among the flags of a phase's begin: it is a loop's. */
inline constexpr uint32_t kOfLoop = 1u << 30;

/* A loop may send where it has a call that sends, or of a function of the module that leads to one; a loop of
 * the main program also where it calls what is not in the module; what is called through
 * pointers does not count. Ways out by a computed jump are, as those of exceptions, the marks' matter.
 * Functions with directives are left as they are: their phases are the programmer's. Directives' markers have
 * no bodies any more. */
void mark_loops(llvm::Module& module);

}  // namespace hybrid::pass

#endif
