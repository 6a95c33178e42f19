#include "clang_plugin/pass/overflows.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace hybrid::pass {

using namespace llvm;

namespace {

void none_in_fortran(Module& module) {
  const NamedMDNode* makers = module.getNamedMetadata("llvm.ident");
  bool fortran = false;
  for (unsigned i = 0; makers && i < makers->getNumOperands(); ++i)
    if (const auto* text = dyn_cast<MDString>(makers->getOperand(i)->getOperand(0)))
      fortran |= text->getString().contains("flang");
  if (!fortran) return;
  for (Function& function : module)
    for (Instruction& instruction : instructions(function))
      if (isa<OverflowingBinaryOperator>(instruction) && instruction.getType()->getScalarSizeInBits() >= 32 &&
          instruction.getOpcode() != Instruction::Shl)
        instruction.setHasNoSignedWrap();
}

void none_that_is_checked(Function& function) {
  for (Instruction& instruction : make_early_inc_range(instructions(function))) {
    auto* checked = dyn_cast<WithOverflowInst>(&instruction);
    if (!checked) continue;
    IRBuilder<> build(checked);
    Value* result = build.CreateBinOp(checked->getBinaryOp(), checked->getLHS(), checked->getRHS());
    if (auto* sum = dyn_cast<BinaryOperator>(result)) sum->setHasNoSignedWrap(checked->isSigned());
    Value* both = build.CreateInsertValue(PoisonValue::get(checked->getType()), result, 0);
    both = build.CreateInsertValue(both, build.getFalse(), 1);
    checked->replaceAllUsesWith(both);
    checked->eraseFromParent();
  }
}

}  // namespace

void no_overflows(Module& module) {
  none_in_fortran(module);
  for (Function& function : module) none_that_is_checked(function);
}

}  // namespace hybrid::pass
