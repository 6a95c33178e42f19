/* Signed arithmetic that overflows has no meaning in C, C++ and Fortran: an analysis may take it that none
 * does. The code does not always say so: flang 19 does not, and where overflows are checked for
 * (-fsanitize=undefined, -ftrapv) additions are calls with two results. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_OVERFLOWS_H
#define HYBRID_CLANG_PLUGIN_PASS_OVERFLOWS_H

#include <llvm/IR/Module.h>

namespace hybrid::pass {

/* Of a module that is to be analysed, not to be run. */
void no_overflows(llvm::Module& module);

}  // namespace hybrid::pass

#endif
