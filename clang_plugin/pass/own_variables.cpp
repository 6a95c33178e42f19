#include "clang_plugin/pass/own_variables.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <algorithm>

#include "clang_plugin/pass/call_table.h"
#include "clang_plugin/pass/preparation.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

constexpr char kName[] = "hybrid.name"; /* metadata */

/* Returns the single variable that an accessor reads and returns, or null. */
const GlobalVariable* variable_read_by(const Function& function) {
  if (function.isDeclaration() || function.hasLocalLinkage() || !function.getReturnType()->isIntegerTy())
    return nullptr;
  const GlobalVariable* variable = nullptr;
  for (const Instruction& instruction : instructions(function)) {
    if (isa<DbgInfoIntrinsic, AllocaInst, ReturnInst, GetElementPtrInst, CastInst>(instruction)) continue;
    if (const auto* store = dyn_cast<StoreInst>(&instruction)) {
      if (!isa<AllocaInst>(store->getPointerOperand()->stripInBoundsOffsets())) return nullptr;
      continue;
    }
    const auto* load = dyn_cast<LoadInst>(&instruction);
    if (!load) return nullptr;
    const auto* from = dyn_cast<GlobalVariable>(load->getPointerOperand()->stripInBoundsOffsets());
    if (from && variable && from != variable) return nullptr;
    if (from) variable = from;
  }
  return variable;
}

}  // namespace

bool has_numbers(const Type* type) {
  if (const auto* integer = dyn_cast<IntegerType>(type)) return integer->getBitWidth() >= 32;
  return std::any_of(type->subtype_begin(), type->subtype_end(), has_numbers);
}

bool may_get_a_name(const GlobalVariable& variable) {
  /* The linker may discard variables of a COMDAT group. */
  return variable.hasLocalLinkage() && !variable.isConstant() && !variable.isThreadLocal() &&
         !variable.isDeclaration() && !variable.hasComdat() && has_numbers(variable.getValueType());
}

bool calls_mpi(const Module& module) {
  return std::any_of(module.begin(), module.end(), [](const Function& function) {
    bool fortran = false;
    return function.isDeclaration() && !function.use_empty() && is_mpi(function.getName(), fortran);
  });
}

std::set<std::string> read_by_accessors(const Module& module) {
  std::set<std::string> variables;
  for (const Function& function : module)
    if (const GlobalVariable* variable = variable_read_by(function); variable && may_get_a_name(*variable))
      variables.insert(variable->getName().str());
  return variables;
}

std::set<const GlobalVariable*> requested_variables(const Module& module, Symbolic& symbolic) {
  std::set<const GlobalVariable*> addresses;
  const auto request = [&](const Value* value) {
    if (value->getType()->isIntegerTy() || value->getType()->isDoubleTy()) symbolic.value(value);
    Place place;
    const Value* object =
        value->getType()->isPointerTy() ? symbolic.memory().object_of(value, place) : nullptr;
    if (const auto* variable = dyn_cast_or_null<GlobalVariable>(object)) addresses.insert(variable);
    if (const auto* local = dyn_cast_or_null<AllocaInst>(object)) symbolic.request_local(*local);
  };
  const TargetLibraryInfoImpl implementation(Triple(module.getTargetTriple()));
  const TargetLibraryInfo library(implementation);
  for (const Function& function : module)
    for (const Instruction& instruction : instructions(function)) {
      if (const auto* back = dyn_cast<ReturnInst>(&instruction);
          back && back->getReturnValue() && !function.hasLocalLinkage() && function.getName() != "main")
        request(back->getReturnValue());
      const auto* call = dyn_cast<CallBase>(&instruction);
      const Function* callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !callee->isDeclaration() || is_harmless(*callee, library)) continue;
      for (const Value* argument : call->args()) request(argument);
    }
  addresses.insert(symbolic.requested().begin(), symbolic.requested().end());
  return addresses;
}

void note_names(Module& module, const std::set<std::string>& variables) {
  if (variables.empty()) return;
  /* Derived from symbols that no other unit of a program can have; "" if there are none. */
  const std::string unit = getUniqueModuleId(&module);
  if (unit.empty()) return;
  LLVMContext& context = module.getContext();
  for (const std::string& name : variables)
    if (GlobalVariable* variable = module.getNamedGlobal(name); variable && may_get_a_name(*variable))
      variable->setMetadata(kName,
                            MDNode::get(context, MDString::get(context, "hybrid.variable." + name + unit)));
}

void give_names(Module& module) {
  for (const auto& [own, name] : noted_names(module)) {
    GlobalVariable* variable = module.getNamedGlobal(own);
    variable->setMetadata(kName, nullptr);
    /* Weak: the optimiser keeps the variable's own name, and the linker accepts duplicates. */
    GlobalAlias* alias = GlobalAlias::create(variable->getValueType(), variable->getAddressSpace(),
                                             GlobalValue::WeakAnyLinkage, name, variable, &module);
    alias->setVisibility(GlobalValue::HiddenVisibility);
    alias->setDSOLocal(true);
  }
}

std::map<std::string, std::string> noted_names(const Module& module) {
  std::map<std::string, std::string> names;
  for (const GlobalVariable& variable : module.globals())
    if (const MDNode* noted = variable.getMetadata(kName))
      names[variable.getName().str()] = cast<MDString>(noted->getOperand(0))->getString().str();
  return names;
}

void declare_named(Module& module, const std::string& name) {
  auto* variable = new GlobalVariable(module, Type::getInt8Ty(module.getContext()), false,
                                      GlobalValue::ExternalWeakLinkage, nullptr, name);
  variable->setVisibility(GlobalValue::HiddenVisibility);
}

}  // namespace hybrid::pass
