/* Loops that are entered or not by what only a run tells, and nobody can read beforehand: what a function
 * returns (`while (next() > 0)`), what was computed (`while (residual > limit)`). Their first test is put in
 * front of them: what is begun behind it, as the phase of the loop (loop_phases.h), is begun where there is a
 * turn. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_FIRST_TESTS_H
#define HYBRID_CLANG_PLUGIN_PASS_FIRST_TESTS_H

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

namespace hybrid::pass {

/* Does it for `loop` if it is such a loop. The loop stays the same object, with a preheader behind the test.
 */
void put_first_test_in_front(llvm::Loop& loop, llvm::LoopInfo& loops, llvm::DominatorTree& dominators);

}  // namespace hybrid::pass

#endif
