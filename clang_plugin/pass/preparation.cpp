#include "clang_plugin/pass/preparation.h"

#include <llvm/Analysis/InlineCost.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/IPO/InferFunctionAttrs.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerInvoke.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "clang_plugin/pass/endings.h"
#include "clang_plugin/pass/overflows.h"
#include "clang_plugin/pass/plain_memory.h"

namespace hybrid::pass {
namespace {

using namespace llvm;

/* Largest number of instructions of a function that is inlined, after inlining in it: larger ones have
 * phases of their own. */
constexpr size_t kMost = 500;
/* Functions up to this size are inlined at all calls: accessors and similar. */
constexpr size_t kSmall = 40;
/* Functions up to this size are inlined if they are called once and may set numbers of their caller. */
constexpr size_t kMiddling = 400;
/* Functions that are called so many times, and got calls inlined, are simplified before they are inlined. */
constexpr size_t kOften = 3;

}  // namespace

bool is_renamed_by_glibc(StringRef name) {
  return name.starts_with("__isoc99_") || name.starts_with("__isoc23_");
}

bool is_harmless(const Function& function, const TargetLibraryInfo& library) {
  LibFunc known;
  const StringRef name = function.getName();
  return function.isIntrinsic() || name.starts_with("hybrid.") || name.starts_with("_Fortran") ||
         name.starts_with("_ZNS") || name.starts_with("_ZNKS") || name.starts_with("_ZSt") ||
         name.starts_with("__cxa_") || name.starts_with("_Zn") || name.starts_with("_Zd") ||
         is_renamed_by_glibc(name) || function.onlyReadsMemory() || library.getLibFunc(function, known);
}

bool is_harmless(const CallBase& call, const TargetLibraryInfo& library) {
  const Function* callee = callee_of(call);
  if (!callee || !is_harmless(*callee, library)) return false;
  if (callee->isIntrinsic() || callee->getName().starts_with("__cxa_")) return true;
  return std::none_of(call.arg_begin(), call.arg_end(), [](const Use& argument) {
    return isa<Function>(argument->stripPointerCastsAndAliases());
  });
}

namespace {

bool is_number(const AllocaInst& local) {
  const Type* type = local.getAllocatedType();
  return !local.isArrayAllocation() && (type->isIntegerTy() || type->isFloatingPointTy());
}

/* Whether the call may set a number of its caller, like Fortran's subroutines and C functions with several
 * results. */
bool may_set_a_number(const CallBase& call) {
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (const auto* local = dyn_cast<AllocaInst>(call.getArgOperand(i)))
      if (is_number(*local) && !call.onlyReadsMemory(i)) return true;
  return false;
}

bool is_integer(const DIType* type) {
  while (const auto* derived = dyn_cast_or_null<DIDerivedType>(type)) {
    if (derived->getTag() == dwarf::DW_TAG_pointer_type || derived->getTag() == dwarf::DW_TAG_reference_type)
      return false;
    type = derived->getBaseType();
  }
  const auto* basic = dyn_cast_or_null<DIBasicType>(type);
  return basic && basic->getEncoding() != dwarf::DW_ATE_float;
}

/* Removes the debug information of other variables than integers: only integers' names are used, and the rest
 * slows down every pass. */
void forget_other_variables(Instruction& instruction) {
  for (DbgVariableRecord& record : make_early_inc_range(filterDbgVars(instruction.getDbgRecordRange())))
    if (!is_integer(record.getVariable()->getType())) record.eraseFromParent();
}

template <class Pass>
void add(FunctionPassManager& manager, Pass pass) {
  manager.addPass(std::move(pass));
}

FunctionPassManager simplification() {
  FunctionPassManager passes;
  add(passes, SROAPass(SROAOptions::ModifyCFG));
  add(passes, EarlyCSEPass(true));
  add(passes, SimplifyCFGPass());
  return passes;
}

/* Whether it represents a message between two ranks, or a value of a directive. */
bool is_message(const Instruction& instruction, const std::vector<SiteOrigin>& origins) {
  const Function* callee = callee_of(instruction);
  if (!callee || callee->getName() != kSite) return callee && callee->getName() == kClause;
  const auto* number = cast<ConstantInt>(cast<CallBase>(instruction).getArgOperand(0));
  return origins[number->getZExtValue()].part->kind != HYBRID_COLLECTIVE;
}

/* The calls between functions, and the functions that lead to a site or to a value of MPI. */
class CallGraph {
 public:
  CallGraph(Module& module, const std::vector<SiteOrigin>& origins) {
    for (Function& function : module) {
      sizes_[&function] = 0;
      for (Instruction& instruction : instructions(function)) {
        ++sizes_[&function];
        const auto* call = dyn_cast<CallBase>(&instruction);
        if (!call) continue;
        const Function* callee = callee_of(*call);
        if (callee && !callee->isDeclaration()) {
          calls_[&function].insert(callee);
          ++uses_[callee];
          if (may_set_a_number(*call)) setters_.insert(callee);
        } else if (callee && callee->getName().starts_with("hybrid.") && callee->getName() != kClobber) {
          leads_.insert(&function);
          if (is_message(instruction, origins)) leads_to_messages_.insert(&function);
        }
      }
    }
    for (std::set<const Function*>* leading : {&leads_, &leads_to_messages_})
      for (bool more = true; more;) {
        more = false;
        for (const auto& [caller, callees] : calls_)
          for (const Function* callee : callees)
            if (leading->contains(callee)) more |= leading->insert(caller).second;
      }
  }

  /* Inlines calls in functions that lead to a message, and those in the bodies that are inlined there. Of
   * other functions only the effects on memory, and the communicators of their collectives, are used. */
  void inline_calls(Module& module, FunctionAnalysisManager& analyses) {
    std::vector<Function*> pending; /* in the module's order: the sizes of recursive functions depend on it */
    for (Function& function : module)
      if (leads_to_messages_.contains(&function)) pending.push_back(&function);
    std::set<const Function*> seen = leads_to_messages_;
    while (!pending.empty()) {
      Function& caller = *pending.back();
      pending.pop_back();
      for (Instruction& instruction : instructions(caller)) {
        auto* call = dyn_cast<CallBase>(&instruction);
        auto* callee = call ? const_cast<Function*>(callee_of(*call)) : nullptr;
        if (!callee || callee->isDeclaration() || callee->isInterposable() || callee->isPresplitCoroutine() ||
            !belongs_to_callers(*callee) || inlined_size(*callee) >= kMost)
          continue;
        inlined_calls_[&caller].push_back(call);
        if (seen.insert(callee).second) pending.push_back(callee);
      }
    }
    for (Function& function : module) inline_into(function, analyses);
    remove_unused(module, analyses);
  }

 private:
  /* Removes functions that were inlined everywhere and lead to nothing of MPI. */
  void remove_unused(Module& module, FunctionAnalysisManager& analyses) {
    SmallVector<Function*> pending;
    for (Function& function : module) pending.push_back(&function);
    while (!pending.empty()) {
      Function* function = pending.pop_back_val();
      if (function->isDeclaration() || !function->isDiscardableIfUnused() || !function->use_empty() ||
          leads_.contains(function))
        continue;
      for (const Function* callee : calls_[function]) pending.push_back(const_cast<Function*>(callee));
      analyses.clear(*function, function->getName());
      function->deleteBody();
    }
  }

  /* Inlines the selected calls of a function, after those of the functions that it calls. */
  void inline_into(Function& caller, FunctionAnalysisManager& analyses) {
    const auto found = inlined_calls_.find(&caller);
    if (found == inlined_calls_.end()) return;
    const std::vector<CallBase*> calls = std::move(found->second);
    inlined_calls_.erase(found);
    for (CallBase* call : calls) inline_into(*const_cast<Function*>(callee_of(*call)), analyses);
    for (CallBase* call : calls) {
      if (!isInlineViable(*const_cast<Function*>(callee_of(*call))).isSuccess()) continue;
      InlineFunctionInfo info;
      InlineFunction(*call, info, true, nullptr, false);
    }
    analyses.invalidate(caller, PreservedAnalyses::none());
    if (const auto known = uses_.find(&caller); known != uses_.end() && known->second >= kOften)
      simplification_.run(caller, analyses);
  }

  /* Whether the function is better analysed inlined into its callers. */
  bool belongs_to_callers(const Function& function) const {
    const size_t size = sizes_.at(&function);
    return leads_.contains(&function) || size <= kSmall ||
           (size <= kMiddling && setters_.contains(&function) && uses_.at(&function) == 1);
  }

  /* Number of instructions after inlining the calls in it. */
  size_t inlined_size(const Function& function) {
    std::set<const Function*> path;
    return inlined_size(function, path);
  }

  size_t inlined_size(const Function& function, std::set<const Function*>& path) {
    if (const auto known = inlined_.find(&function); known != inlined_.end()) return known->second;
    if (!path.insert(&function).second) return kMost;
    size_t size = sizes_[&function];
    for (const Instruction& instruction : instructions(function))
      if (const auto* call = dyn_cast<CallBase>(&instruction))
        if (const Function* callee = callee_of(*call);
            callee && !callee->isDeclaration() && belongs_to_callers(*callee))
          if (const size_t inlined = inlined_size(*callee, path); inlined < kMost) size += inlined;
    path.erase(&function);
    return inlined_[&function] = size;
  }

  std::map<const Function*, std::set<const Function*>> calls_;
  std::map<const Function*, size_t> sizes_, inlined_, uses_;
  std::set<const Function*> leads_, leads_to_messages_, setters_;
  std::map<const Function*, std::vector<CallBase*>> inlined_calls_;
  FunctionPassManager simplification_ = simplification();
};

/* Passes copies of numbers to functions that only read them. Fortran passes all arguments by address; with a
 * copy, the address of the number itself is unused, and LLVM keeps the number in a register: call f(&n)   ->
 * copy = n; call f(&copy) */
void pass_copies_of_numbers(Function& function) {
  for (Instruction& instruction : instructions(function)) {
    auto* call = dyn_cast<CallBase>(&instruction);
    if (!call) continue;
    for (unsigned i = 0; i < call->arg_size(); ++i) {
      auto* local = dyn_cast<AllocaInst>(call->getArgOperand(i));
      if (!local || !is_number(*local) || !call->onlyReadsMemory(i) || !call->doesNotCapture(i)) continue;
      Type* type = local->getAllocatedType();
      AllocaInst* copy = IRBuilder<>(local).CreateAlloca(type, local->getAddressSpace());
      IRBuilder<> before(call);
      before.CreateStore(before.CreateLoad(type, local), copy);
      call->setArgOperand(i, copy);
    }
  }
}

/* Whether the loop's only results are floating-point numbers in memory, which determine no peer. */
bool computes(const Loop& loop) {
  bool writes = false;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block) {
      if (!instruction.mayWriteToMemory()) continue;
      const auto* store = dyn_cast<StoreInst>(&instruction);
      if (!store || !store->getValueOperand()->getType()->isFPOrFPVectorTy()) return false;
      writes = true;
    }
  SmallVector<BasicBlock*, 4> exits;
  loop.getUniqueExitBlocks(exits);
  for (const BasicBlock* exit : exits) /* values used after it, in LCSSA form */
    for (const PHINode& result : exit->phis())
      if (!result.getType()->isFPOrFPVectorTy()) return false;
  return writes;
}

bool communicates(const Loop& loop) {
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block)
      if (const auto* call = dyn_cast<CallBase>(&instruction))
        if (const Function* callee = callee_of(*call); callee && callee->getName() == kSite) return true;
  return false;
}

/* Whether the number of its iterations may be a constant. */
bool ends_at_a_constant(const Loop& loop) {
  SmallVector<BasicBlock*, 4> ends;
  loop.getExitingBlocks(ends);
  return any_of(ends, [](const BasicBlock* block) {
    const auto* branch = dyn_cast<BranchInst>(block->getTerminator());
    const auto* test =
        branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    return test && (isa<ConstantInt>(test->getOperand(0)) || isa<ConstantInt>(test->getOperand(1)));
  });
}

/* Unrolls short loops. Loops that communicate are kept: a call in them is one site. */
struct ShortLoopsPass : PassInfoMixin<ShortLoopsPass> {
  FunctionPassManager again = simplification();

  ShortLoopsPass() {
    add(again, LoopSimplifyPass());
    add(again, LCSSAPass());
  }
  PreservedAnalyses run(Function& function, FunctionAnalysisManager& analyses) {
    LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
    bool any = false;
    for (Loop* loop : loops.getLoopsInPreorder()) {
      const bool kept = !ends_at_a_constant(*loop) || communicates(*loop) || computes(*loop);
      if (kept) loop->setLoopAlreadyUnrolled();
      any |= !kept;
    }
    if (!any) return PreservedAnalyses::all();
    LoopUnrollOptions options;
    options.setPartial(false).setPeeling(false).setRuntime(false).setUpperBound(false);
    options.setFullUnrollMaxCount(16);
    PreservedAnalyses kept = LoopUnrollPass(options).run(function, analyses);
    if (kept.areAllPreserved()) return kept;
    analyses.invalidate(function, kept);
    kept.intersect(again.run(function, analyses));
    return kept;
  }
};

/* Whether it is a call that stands for one of MPI (values.h). */
bool is_of_mpi(const Instruction& instruction) {
  const Function* callee = callee_of(instruction);
  return callee && callee->getName().starts_with("hybrid.");
}

/* The same without writes to memory. */
bool is_mpi_value(const Instruction& instruction) {
  return is_of_mpi(instruction) && callee_of(instruction)->getName() != kClobber;
}

/* Whether no part of the program calls the function any more. */
bool is_inlined_everywhere(const Function& function) {
  return function.hasLocalLinkage() && all_of(function.users(), [&](const User* user) {
           const auto* call = dyn_cast<CallBase>(user);
           return call && callee_of(*call) == &function && is_aside(*call);
         });
}

}  // namespace

Analyses::Analyses() {
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
}

void simplify(Function& function, FunctionAnalysisManager& analyses) {
  FunctionPassManager passes = simplification();
  add(passes, LoopSimplifyPass());
  passes.run(function, analyses);
  analyses.invalidate(function, PreservedAnalyses::none());
}

bool is_aside(const Instruction& instruction) { return instruction.getFunction()->hasFnAttribute(kAside); }

bool is_main_program(StringRef name) { return name == "main" || name == "_QQmain"; }

Prepared prepare(std::unique_ptr<Module> module, ArrayRef<GlobalValue*> kept, bool in_registers) {
  Prepared result;
  Analyses analyses;
  auto& [builder, loops, functions, components, modules] = analyses;

  no_overflows(*module);
  for (Function& function : *module) {
    function.removeFnAttr(Attribute::OptimizeNone);
    function.removeFnAttr(Attribute::NoInline);
    function.removeFnAttr(Attribute::AlwaysInline);
  }
  calls_to_values(*module, result.origins);
  mark_constants(*module);
  for (Function& function : *module)
    for (Instruction& instruction : instructions(function)) {
      forget_other_variables(instruction);
      /* Only the lines of calls are used, and LLVM creates a new location for each inlined instruction. */
      if (!isa<CallBase>(instruction)) instruction.setDebugLoc(DebugLoc());
    }

  ModulePassManager first;
  first.addPass(InferFunctionAttrsPass());
  first.run(*module, modules);
  FunctionPassManager early = simplification();
  const bool any_catches = catches_exceptions(*module);
  mark_left_early(*module, any_catches);
  for (Function& function : *module) {
    if (function.isDeclaration()) continue;
    forget_dead_ends(function, any_catches);
    if (!any_catches) LowerInvokePass().run(function, functions);
    const bool copies = copy_structures_as_memory(function);
    functions.invalidate(function, PreservedAnalyses::none());
    if (copies || !in_registers || any_of(instructions(function), is_of_mpi))
      early.run(function, functions);
    else
      SimplifyCFGPass().run(function, functions);
  }
  modules.invalidate(*module, PreservedAnalyses::none());

  CallGraph(*module, result.origins).inline_calls(*module, functions);
  appendToCompilerUsed(*module, kept);
  ModulePassManager middle;
  middle.addPass(createModuleToPostOrderCGSCCPassAdaptor(PostOrderFunctionAttrsPass()));
  middle.run(*module, modules);
  /* Their addresses are not known to other code. */
  if (GlobalVariable* used = module->getNamedGlobal("llvm.compiler.used")) used->eraseFromParent();
  for (GlobalValue* function : kept) function->removeDeadConstantUsers();
  for (Function& function : *module) pass_copies_of_numbers(function);

  FunctionPassManager late = simplification(), last;
  for (FunctionPassManager* passes : {&late, &last}) {
    add(*passes, LoopSimplifyPass());
    add(*passes, LCSSAPass());
  }
  add(late, ShortLoopsPass());
  modules.invalidate(*module, PreservedAnalyses::none());
  const auto is_of_message = [&](const Instruction& instruction) {
    return is_message(instruction, result.origins);
  };
  for (Function& function : *module)
    if (any_of(instructions(function), is_of_message))
      late.run(function, functions);
    else if (any_of(instructions(function), is_mpi_value))
      last.run(function, functions);

  for (Function& function : *module)
    if (is_inlined_everywhere(function)) function.addFnAttr(kAside);
  result.module = std::move(module);
  return result;
}

}  // namespace hybrid::pass
