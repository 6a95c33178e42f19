/* Rewrites memory of a prepared module (preparation.h) so that LLVM's passes divide it into numbers. */
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

namespace hybrid::pass {

/* Variables of the file that nothing writes become constants, like tables of functions. A variable to which
 * only such a constant points may follow. */
void mark_constants(llvm::Module& module);

/* Copies structures as memory instead of as values: flang loads and stores the descriptors of arrays as a
 * whole, which neither SROA nor an inspector divides into numbers. Returns whether there were any. */
bool copy_structures_as_memory(llvm::Function& function);

}  // namespace hybrid::pass
