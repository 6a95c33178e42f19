/* Turns a slice into an inspector: code for struct hybrid_inspection (core/hint_abi.h). */
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "clang_plugin/pass/slice.h"

namespace hybrid::pass {

/* The value, a number or an address of at most 64 bits, as an input of an inspector. */
llvm::Value* as_word(llvm::IRBuilder<>& build, llvm::Value* value);

/* Makes an inspector of `function`, which is then empty: of its slice for these sends. `inputs` are the
 * numbers of the arguments that it uses. */
llvm::Function* make_inspector(llvm::Function& function, Slice& slice, const std::vector<Slice::Site>& sites,
                               std::vector<unsigned>& inputs);

}  // namespace hybrid::pass
