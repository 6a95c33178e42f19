/* Marks signed arithmetic as free of overflows. Overflow is undefined in C, C++ and Fortran, so the analysis
 * may assume that there is none. The code does not always state this: flang 19 does not, and with checks
 * (-fsanitize=undefined, -ftrapv) additions are calls with two results. Before and after:
 *
 *     %s = add i32 %a, %b                                    %s = add nsw i32 %a, %b       (flang)
 *     %r = call {i32, i1} @llvm.sadd.with.overflow(%a, %b)   %s = add nsw i32 %a, %b; %r = {%s, false} */
#pragma once

#include <llvm/IR/Module.h>

namespace hybrid::pass {

/* Transforms a module for the analysis; it must not be run. */
void no_overflows(llvm::Module& module);

}  // namespace hybrid::pass
