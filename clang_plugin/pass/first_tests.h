/* Moves the first test of a loop in front of it, for loops whose condition is known only at run time: it is
 * the result of a function or of a floating-point comparison. A phase that begins after that test
 * (loop_phases.h) then begins only if the loop has an iteration. Before and after:
 *
 *     while (next() > 0)            if (next() > 0) {
 *       MPI_Send(...);                do MPI_Send(...); while (next() > 0);
 *                                   } */
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

namespace hybrid::pass {

/* Transforms `loop` if it is such a loop. The loop stays the same object, with a preheader after the test. */
void put_first_test_in_front(llvm::Loop& loop, llvm::LoopInfo& loops, llvm::DominatorTree& dominators);

}  // namespace hybrid::pass
