#include "clang_plugin/pass/kept_locals.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

#include "clang_plugin/pass/call_places.h"
#include "clang_plugin/pass/call_table.h"
#include "clang_plugin/pass/directives.h"
#include "clang_plugin/pass/own_variables.h"
#include "clang_plugin/pass/preparation.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

constexpr char kNumber[] = "hybrid.number"; /* metadata of locals */
constexpr char kValue[] = "hybrid.value";   /* (value, i32 number): a function without a definition */
constexpr char kLocal[] = "hybrid.local";   /* metadata of variables: the local's name */
/* Larger locals are data fields, and do not determine ranks. */
constexpr uint64_t kMostBytes = 1 << 16;

bool is_a_number(const Type& type) { return type.isIntegerTy(32) || type.isIntegerTy(64); }

/* Whether a local can be kept. */
bool may_be_kept(const AllocaInst& local) {
  const DataLayout& layout = local.getModule()->getDataLayout();
  return local.isStaticAlloca() && !local.isArrayAllocation() && !local.isSwiftError() &&
         !local.isUsedWithInAlloca() && local.getAddressSpace() == 0 &&
         has_numbers(local.getAllocatedType()) &&
         layout.getTypeAllocSize(local.getAllocatedType()).getFixedValue() <= kMostBytes;
}

/* Returns the local that is read; null if it cannot be kept. */
AllocaInst* local_read(const Instruction& instruction) {
  const auto* load = dyn_cast<LoadInst>(&instruction);
  const auto* local = load ? dyn_cast<AllocaInst>(getUnderlyingObject(load->getPointerOperand())) : nullptr;
  return local && may_be_kept(*local) ? const_cast<AllocaInst*>(local) : nullptr;
}

/* Whether a function gets its address. */
bool is_shared(const AllocaInst& local) {
  return std::any_of(local.user_begin(), local.user_end(), [](const User* user) {
    return isa<CallBase>(user) && !cast<CallBase>(user)->isLifetimeStartOrEnd() && !isa<IntrinsicInst>(user);
  });
}

/* Whether the analysis of this module may not know the value: other code returns it, has it in memory, or
 * stores it in a local. */
bool may_be_of_the_run(const Instruction& instruction) {
  if (!is_a_number(*instruction.getType())) return false;
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) {
    const AllocaInst* local = local_read(*load);
    return local ? is_shared(*local) : !isa<AllocaInst>(getUnderlyingObject(load->getPointerOperand()));
  }
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (!call || isa<IntrinsicInst>(call)) return false;
  const auto* callee = dyn_cast<Function>(call->getCalledOperand()->stripPointerCastsAndAliases());
  bool fortran = false;
  return !callee || (!is_mpi(callee->getName(), fortran) && !is_marker(callee->getName()));
}

/* Returns the locals that the value, or a value computed from it, is stored in. */
std::set<AllocaInst*> stored_in(Instruction& value) {
  std::set<AllocaInst*> locals;
  std::set<const Value*> seen;
  std::vector<Value*> pending{&value};
  while (!pending.empty()) {
    Value* at = pending.back();
    pending.pop_back();
    if (!seen.insert(at).second) continue;
    for (User* user : at->users()) {
      if (isa<CastInst, BinaryOperator, PHINode, SelectInst, FreezeInst, CmpInst>(user))
        pending.push_back(user);
      if (auto* store = dyn_cast<StoreInst>(user); store && store->getValueOperand() == at)
        if (auto* local = dyn_cast<AllocaInst>(store->getPointerOperand()->stripInBoundsOffsets()))
          if (may_be_kept(*local)) locals.insert(local);
    }
  }
  return locals;
}

/* Returns the place after the instruction when it does not throw; null if there is no single one. */
Instruction* behind(Instruction& instruction) {
  const auto at = instruction.getInsertionPointAfterDef();
  return at && (*at)->getParent() != nullptr ? &**at : nullptr;
}

MDNode* number(Module& module, size_t value) {
  LLVMContext& context = module.getContext();
  return MDNode::get(context, ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), value)));
}

/* Returns the instructions that write the local, if it is a number that only the main program and the
 * languages' libraries write; nothing otherwise. */
std::optional<std::vector<Instruction*>> writers_of_number(AllocaInst& local) {
  if (!is_a_number(*local.getAllocatedType())) return std::nullopt;
  const TargetLibraryInfoImpl implementation(Triple(local.getModule()->getTargetTriple()));
  const TargetLibraryInfo library(implementation);
  std::vector<Instruction*> writers;
  for (User* user : local.users()) {
    if (isa<LoadInst>(user) && !cast<LoadInst>(user)->isVolatile() &&
        user->getType() == local.getAllocatedType())
      continue;
    if (auto* store = dyn_cast<StoreInst>(user)) {
      if (store->getValueOperand() == &local || store->isVolatile() ||
          store->getValueOperand()->getType() != local.getAllocatedType())
        return std::nullopt;
      writers.push_back(store);
      continue;
    }
    auto* call = dyn_cast<CallInst>(user);
    if (!call) return std::nullopt;
    if (call->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(call)) continue;
    const Function* callee = call->getCalledFunction();
    if (!callee || callee->isIntrinsic() || !callee->isDeclaration() || call->getType()->isPointerTy() ||
        !is_harmless(*call, library))
      return std::nullopt;
    writers.push_back(call);
  }
  return writers;
}

/* Debug information of a local: declarations, or one entry per assignment. */
struct Described {
  SmallVector<DbgVariableIntrinsic*> intrinsics;
  SmallVector<DbgVariableRecord*> records;
  explicit Described(AllocaInst& local) { findDbgUsers(intrinsics, &local, &records); }

  DILocalVariable* variable() const {
    if (!records.empty()) return records[0]->getVariable();
    return intrinsics.empty() ? nullptr : intrinsics[0]->getVariable();
  }
  void erase() {
    for (DbgVariableRecord* record : records) record->eraseFromParent();
    for (DbgVariableIntrinsic* intrinsic : intrinsics) intrinsic->eraseFromParent();
  }
};

GlobalVariable& variable_for(Module& module, Type& type, Align align, const std::string& name) {
  auto* variable = new GlobalVariable(module, &type, false, GlobalValue::InternalLinkage,
                                      Constant::getNullValue(&type), "main." + name);
  variable->setAlignment(align);
  LLVMContext& context = module.getContext();
  variable->setMetadata(kLocal, MDNode::get(context, MDString::get(context, name)));
  return *variable;
}

/* Replaces the local by the variable. */
void replace(AllocaInst& local, GlobalVariable& variable) {
  for (User* user : make_early_inc_range(local.users()))
    if (auto* call = dyn_cast<CallInst>(user); call && call->isLifetimeStartOrEnd()) call->eraseFromParent();
  Described(local).erase();
  local.replaceAllUsesWith(&variable);
  local.eraseFromParent();
}

/* Describes the variable to debuggers as a static variable of the function. (A block of it cannot be the
 * scope.) */
void describe(AllocaInst& local, GlobalVariable& variable) {
  DILocalVariable* known = Described(local).variable();
  DISubprogram* function = known ? known->getScope()->getSubprogram() : nullptr;
  if (!function || !function->getUnit()) return;
  DIBuilder build(*local.getModule(), true, function->getUnit());
  variable.addDebugInfo(build.createGlobalVariableExpression(function, known->getName(), "", known->getFile(),
                                                             known->getLine(), known->getType(), true));
  build.finalize();
}

}  // namespace

KeptLocals::KeptLocals(Module& module) : module_(module) {
  Function* main = main_program(module);
  if (!main) return;
  for (Instruction& instruction : instructions(*main)) {
    auto* local = dyn_cast<AllocaInst>(&instruction);
    if (local ? !may_be_kept(*local) : !may_be_of_the_run(instruction) || !behind(instruction)) continue;
    if (local) local->setMetadata(kNumber, number(module, numbered_.size()));
    numbered_.push_back(&instruction);
  }
  /* Reads of locals that such values are stored in are also such values. */
  std::set<const Instruction*> known(numbered_.begin(), numbered_.end());
  for (size_t i = 0; i < numbered_.size(); ++i) {
    if (isa<AllocaInst>(numbered_[i])) continue;
    for (AllocaInst* local : stored_in(*numbered_[i]))
      for (User* user : local->users())
        if (auto* load = dyn_cast<LoadInst>(user); load && is_a_number(*load->getType()))
          if (known.insert(load).second) numbered_.push_back(load);
  }
}

std::unique_ptr<Module> KeptLocals::numbered() const {
  ValueToValueMapTy map;
  std::unique_ptr<Module> copy = CloneModule(module_, map);
  FunctionCallee is;
  for (size_t i = 0; i < numbered_.size(); ++i) {
    if (isa<AllocaInst>(numbered_[i])) continue;
    IRBuilder<> build(behind(*cast<Instruction>(map[numbered_[i]])));
    if (!is) {
      is = copy->getOrInsertFunction(kValue, FunctionType::get(build.getVoidTy(), true));
      auto* function = cast<Function>(is.getCallee());
      function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
      function->setDoesNotThrow();
      function->setWillReturn();
    }
    build.CreateCall(is, {map[numbered_[i]], build.getInt32(static_cast<uint32_t>(i))});
  }
  return copy;
}

void KeptLocals::forget_numbers() {
  for (Instruction* instruction : numbered_)
    if (isa<AllocaInst>(instruction)) instruction->setMetadata(kNumber, nullptr);
  numbered_.clear();
}

bool KeptLocals::keep(const std::set<uint32_t>& requested, std::set<std::string>& names) {
  std::set<AllocaInst*> wanted;
  std::vector<Instruction*> passing; /* values that are stored in no local */
  for (uint32_t number : requested) {
    Instruction* instruction = numbered_[number];
    if (auto* local = dyn_cast<AllocaInst>(instruction)) {
      wanted.insert(local);
      continue;
    }
    if (AllocaInst* local = local_read(*instruction)) {
      wanted.insert(local);
      continue;
    }
    const std::set<AllocaInst*> locals = stored_in(*instruction);
    wanted.insert(locals.begin(), locals.end());
    if (locals.empty()) passing.push_back(instruction);
  }
  std::vector<AllocaInst*> locals; /* in the program's order */
  for (Instruction* instruction : numbered_)
    if (auto* local = dyn_cast<AllocaInst>(instruction); local && wanted.contains(local))
      locals.push_back(local);
  forget_numbers();
  if (locals.empty() && passing.empty()) return false;

  for (Instruction* value : passing) {
    GlobalVariable& variable =
        variable_for(module_, *value->getType(), Align(8), "local" + std::to_string(names.size() + 1));
    IRBuilder<>(behind(*value)).CreateStore(value, &variable);
    names.insert(variable.getName().str());
  }
  for (AllocaInst* local : locals) {
    const DILocalVariable* known = Described(*local).variable();
    const std::string name = known ? known->getName().str() : "local" + std::to_string(names.size() + 1);
    GlobalVariable& variable = variable_for(module_, *local->getAllocatedType(), local->getAlign(), name);
    names.insert(variable.getName().str());
    if (const auto writers = writers_of_number(*local)) {
      local->replaceUsesWithIf(&variable, [](const Use& use) {
        const auto* call = dyn_cast<CallBase>(use.getUser());
        return !call || !call->isLifetimeStartOrEnd();
      });
      copied_.push_back({local, &variable, *writers});
    } else {
      describe(*local, variable);
      replace(*local, variable);
    }
  }
  return true;
}

void KeptLocals::give_back() {
  for (const Copied& copy : copied_)
    copy.variable->replaceUsesWithIf(copy.local,
                                     [](const Use& use) { return isa<Instruction>(use.getUser()); });
  for (const Copied& copy : copied_)
    for (Instruction* writer : copy.writers) {
      IRBuilder<> build(writer->getNextNode());
      build.SetCurrentDebugLocation(writer->getDebugLoc());
      Value* value = build.CreateLoad(copy.local->getAllocatedType(), copy.local);
      build.CreateAlignedStore(value, copy.variable, copy.local->getAlign());
    }
  copied_.clear();
}

std::optional<uint32_t> number_of_local(const Value& value) {
  if (const auto* local = dyn_cast<AllocaInst>(&value)) {
    const MDNode* number = local->getMetadata(kNumber);
    if (!number) return std::nullopt;
    return static_cast<uint32_t>(mdconst::extract<ConstantInt>(number->getOperand(0))->getZExtValue());
  }
  if (isa<Constant>(value)) return std::nullopt;
  for (const User* user : value.users())
    if (const auto* call = dyn_cast<CallBase>(user); call && call->arg_size() == 2)
      if (const Function* callee = call->getCalledFunction(); callee && callee->getName() == kValue)
        return static_cast<uint32_t>(cast<ConstantInt>(call->getArgOperand(1))->getZExtValue());
  return std::nullopt;
}

bool was_local(const GlobalVariable& variable) { return variable.getMetadata(kLocal) != nullptr; }

std::string name_of_local(const GlobalVariable& variable) {
  const MDNode* name = variable.getMetadata(kLocal);
  return name ? cast<MDString>(name->getOperand(0))->getString().str() : "";
}

}  // namespace hybrid::pass
