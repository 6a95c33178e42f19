#include "clang_plugin/pass/plain_memory.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace hybrid::pass {

using namespace llvm;

namespace {

/* Whether nothing but loads uses the address. */
bool only_read(const Value& address) {
  return all_of(address.users(), [](const User* user) {
    const auto* load = dyn_cast<LoadInst>(user);
    return (load && !load->isVolatile()) || (isa<GEPOperator>(user) && only_read(*user));
  });
}

/* Replaces what is read of a constant. */
void fold_loads(Value& address, const DataLayout& layout) {
  for (User* user : make_early_inc_range(address.users())) {
    if (isa<GEPOperator>(user)) fold_loads(*user, layout);
    auto* load = dyn_cast<LoadInst>(user);
    auto* constant = load ? dyn_cast<Constant>(load->getPointerOperand()) : nullptr;
    Constant* value = constant ? ConstantFoldLoadFromConstPtr(constant, load->getType(), layout) : nullptr;
    if (!value) continue;
    load->replaceAllUsesWith(value);
    load->eraseFromParent();
  }
}

}  // namespace

void mark_constants(Module& module) {
  for (bool any = true; std::exchange(any, false);)
    for (GlobalVariable& variable : make_early_inc_range(module.globals())) {
      variable.removeDeadConstantUsers();
      if (!variable.hasLocalLinkage() || !variable.hasDefinitiveInitializer() || variable.isConstant() ||
          variable.isThreadLocal() || variable.isExternallyInitialized() || !only_read(variable))
        continue;
      any = true;
      variable.setConstant(true);
      fold_loads(variable, module.getDataLayout());
      variable.removeDeadConstantUsers();
      if (variable.use_empty()) variable.eraseFromParent();
    }
}

bool copy_structures_as_memory(Function& function) {
  const DataLayout& layout = function.getParent()->getDataLayout();
  std::vector<LoadInst*> loads;
  for (Instruction& instruction : instructions(function))
    if (auto* load = dyn_cast<LoadInst>(&instruction);
        load && load->getType()->isAggregateType() && load->isSimple() && !load->use_empty())
      loads.push_back(load);
  bool any = false;
  while (!loads.empty()) {
    LoadInst* load = loads.back();
    loads.pop_back();
    const bool copies = all_of(load->users(), [&](User* user) {
      const auto* store = dyn_cast<StoreInst>(user);
      return (store && store->isSimple() && store->getValueOperand() == load) || isa<ExtractValueInst>(user);
    });
    if (!copies) continue;
    const uint64_t size = layout.getTypeStoreSize(load->getType()).getFixedValue();
    BasicBlock& entry = function.getEntryBlock();
    AllocaInst* copy = IRBuilder<>(&entry, entry.begin()).CreateAlloca(load->getType());
    IRBuilder<>(load).CreateMemCpy(copy, copy->getAlign(), load->getPointerOperand(), load->getAlign(), size);
    for (User* user : make_early_inc_range(load->users())) {
      IRBuilder<> before(cast<Instruction>(user));
      if (auto* store = dyn_cast<StoreInst>(user)) {
        before.CreateMemCpy(store->getPointerOperand(), store->getAlign(), copy, copy->getAlign(), size);
        store->eraseFromParent();
        continue;
      }
      auto* part = cast<ExtractValueInst>(user);
      SmallVector<Value*> place{before.getInt32(0)};
      for (unsigned index : part->indices()) place.push_back(before.getInt32(index));
      LoadInst* value = before.CreateAlignedLoad(
          part->getType(), before.CreateInBoundsGEP(load->getType(), copy, place), Align(1));
      part->replaceAllUsesWith(value);
      part->eraseFromParent();
      if (value->getType()->isAggregateType()) loads.push_back(value);
    }
    load->eraseFromParent();
    any = true;
  }
  return any;
}

}  // namespace hybrid::pass
