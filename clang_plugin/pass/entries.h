/* Parts of a procedure as functions of their own, so that an inspector can begin where the part begins:
 * phases of directives, the main program from MPI_Init on, and loops, for sends that depend on what the
 * procedure does before. The values that the part uses become arguments. Before and after:
 *
 *     int n = receive();                    void f.part1(int n, int* table) {
 *     for (int i = 0; i < n; ++i)             for (int i = 0; i < n; ++i)
 *       MPI_Send(..., table[i], ...);           MPI_Send(..., table[i], ...);
 *                                           } */
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <vector>

#include "clang_plugin/pass/directives.h"

namespace hybrid::pass {

/* A value that an inspector gets when it is called. */
struct InspectorInput {
  llvm::Value* value;
  llvm::Type* loaded =
      nullptr; /* if not null: the value of this type at `offset` bytes behind the address `value` */
  int64_t offset = 0;
};

struct Entry {
  llvm::Function* function;           /* in the copy */
  llvm::Instruction* before;          /* in the module: where the part begins */
  std::vector<InspectorInput> inputs; /* in the module: the function's arguments */
  uint32_t phase;                     /* of Directives: the phase or the loop itself; or HYBRID_NONE */
  bool is_loop;
};

/* Gives the phases of directives a block that they begin with. Must be called before find_directives(). */
void make_room_at_directives(llvm::Module& module);
/* Gives the loops that send a block before them, and the main program one after MPI_Init, in which calls can
 * be inserted. */
void make_room(llvm::Function& procedure);

/* Adds such functions to `copy`, a copy of the module of `procedure` with this mapping: of its phases of
 * directives, of the main program, and of its loops that send, outer loops first. */
std::vector<Entry> add_entries(llvm::Function& procedure, const Directives& directives, llvm::Module& copy,
                               const llvm::ValueToValueMapTy& mapping);

}  // namespace hybrid::pass
