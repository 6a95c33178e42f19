/* Loops of a procedure as functions of their own, so that an inspector can begin where the loop begins: for
 * sends that depend on what the procedure does before the loop, or of the main program, which begins before
 * MPI. The values that the loop uses become arguments. Before and after:
 *
 *     int n = receive();                    void f.loop1(int n, int* table) {
 *     for (int i = 0; i < n; ++i)             for (int i = 0; i < n; ++i)
 *       MPI_Send(..., table[i], ...);           MPI_Send(..., table[i], ...);
 *                                           } */
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <vector>

namespace hybrid::pass {

/* A value that an inspector gets when it is called. */
struct InspectorInput {
  llvm::Value* value;
  llvm::Type* loaded =
      nullptr; /* if not null: the value of this type at `offset` bytes behind the address `value` */
  int64_t offset = 0;
};

struct LoopEntry {
  llvm::Function* function;           /* in the copy */
  llvm::Instruction* before;          /* in the module: where the loop begins */
  std::vector<InspectorInput> inputs; /* in the module: the function's arguments */
  uint32_t phase;                     /* of Directives: the loop itself; or HYBRID_NONE */
};

/* Gives the loops that send a block before them, in which `add_loop_entries` can insert calls. */
void make_room_before_loops(llvm::Function& procedure);

/* Adds such functions to `copy`, a copy of the module of `procedure` with this mapping: of its loops that
 * send, outer loops first. */
std::vector<LoopEntry> add_loop_entries(llvm::Function& procedure, llvm::Module& copy,
                                        const llvm::ValueToValueMapTy& mapping);

}  // namespace hybrid::pass
