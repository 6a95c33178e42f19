#include "clang_plugin/pass/first_tests.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopRotationUtils.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <algorithm>

#include "clang_plugin/pass/call_table.h"
#include "clang_plugin/pass/directives.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

/* Longer tests are not duplicated. */
constexpr unsigned kLongestTest = 64;

bool is_of_the_run(const Instruction& instruction) {
  if (isa<FCmpInst>(instruction)) return true;
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (!call || isa<IntrinsicInst>(call)) return false;
  const auto* callee = dyn_cast<Function>(call->getCalledOperand()->stripPointerCastsAndAliases());
  bool fortran = false;
  return !callee || (!is_mpi(callee->getName(), fortran) && !is_marker(callee->getName()));
}

}  // namespace

void put_first_test_in_front(Loop& loop, LoopInfo& loops, DominatorTree& dominators) {
  const BasicBlock& header = *loop.getHeader();
  const auto* branch = dyn_cast<BranchInst>(header.getTerminator());
  if (!branch || !branch->isConditional() || !loop.isLoopExiting(&header) ||
      std::none_of(header.begin(), header.end(), is_of_the_run))
    return;
  Function& function = *loop.getHeader()->getParent();
  AssumptionCache assumptions(function);
  const DataLayout& layout = function.getParent()->getDataLayout();
  const TargetTransformInfo target(layout);
  simplifyLoop(&loop, &dominators, &loops, nullptr, &assumptions, nullptr, false);
  LoopRotation(&loop, &loops, &target, &assumptions, &dominators, nullptr, nullptr,
               SimplifyQuery(layout, nullptr, &dominators, &assumptions), true, kLongestTest, true);
}

}  // namespace hybrid::pass
