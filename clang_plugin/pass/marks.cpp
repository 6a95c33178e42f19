#include "clang_plugin/pass/marks.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "clang_plugin/pass/inspection_code.h"
#include "clang_plugin/pass/values.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

/* Returns the function of the module through which it calls a function of the library, with the same
 * arguments. It looks up the library's function once for the whole program or library, and does nothing
 * without the library. */
Function* library_function(Module& module, const char* symbol, const Twine& name, ArrayRef<Type*> arguments) {
  if (Function* known = module.getFunction(name.str())) return known;
  LLVMContext& context = module.getContext();
  IRBuilder<> build(context);
  Type* pointer = build.getPtrTy();
  auto* type = FunctionType::get(build.getVoidTy(), arguments, false);
  auto* made = Function::Create(type, GlobalValue::LinkOnceODRLinkage, name, module);
  auto* kept = new GlobalVariable(module, pointer, false, GlobalValue::LinkOnceODRLinkage,
                                  Constant::getNullValue(pointer), name + "_known");
  for (GlobalObject* shared : {static_cast<GlobalObject*>(made), static_cast<GlobalObject*>(kept)}) {
    shared->setVisibility(GlobalValue::HiddenVisibility);
    shared->setComdat(module.getOrInsertComdat(shared->getName()));
    shared->setDSOLocal(true);
  }
  made->setDoesNotThrow();
  made->addFnAttr(Attribute::NoInline); /* at every mark, its code would be 100 bytes */
  FunctionCallee search =
      module.getOrInsertFunction("dlsym", FunctionType::get(pointer, {pointer, pointer}, false));
  if (auto* function = dyn_cast<Function>(search.getCallee()); function && function->use_empty())
    function->setLinkage(GlobalValue::ExternalWeakLinkage);

  BasicBlock* entry = BasicBlock::Create(context, "", made);
  BasicBlock* search_block = BasicBlock::Create(context, "", made);
  BasicBlock* query_block = BasicBlock::Create(context, "", made);
  BasicBlock* keep = BasicBlock::Create(context, "", made);
  BasicBlock* found = BasicBlock::Create(context, "", made);
  BasicBlock* call = BasicBlock::Create(context, "", made);
  BasicBlock* leave = BasicBlock::Create(context, "", made);
  const auto is_null = [&](Value* value) {
    return build.CreateICmpEQ(value, Constant::getNullValue(pointer));
  };

  build.SetInsertPoint(entry);
  LoadInst* now = build.CreateAlignedLoad(pointer, kept, Align(8));
  now->setAtomic(AtomicOrdering::Monotonic);
  build.CreateCondBr(is_null(now), search_block, found);
  build.SetInsertPoint(search_block);
  build.CreateCondBr(is_null(search.getCallee()), keep, query_block);
  build.SetInsertPoint(query_block);
  Value* library =
      build.CreateCall(search, {Constant::getNullValue(pointer), build.CreateGlobalString(symbol)});
  build.CreateBr(keep);
  build.SetInsertPoint(keep);
  PHINode* result = build.CreatePHI(pointer, 2);
  result->addIncoming(Constant::getNullValue(pointer), search_block);
  result->addIncoming(library, query_block);
  /* The variable's own address means that there is no library. */
  Value* known = build.CreateSelect(is_null(result), kept, result);
  StoreInst* store = build.CreateAlignedStore(known, kept, Align(8));
  store->setAtomic(AtomicOrdering::Monotonic);
  build.CreateBr(found);
  build.SetInsertPoint(found);
  PHINode* target = build.CreatePHI(pointer, 2);
  target->addIncoming(now, entry);
  target->addIncoming(known, keep);
  build.CreateCondBr(build.CreateICmpEQ(target, kept), leave, call);
  build.SetInsertPoint(call);
  std::vector<Value*> passed;
  for (Argument& argument : made->args()) passed.push_back(&argument);
  build.CreateCall(type, target, passed);
  build.CreateBr(leave);
  build.SetInsertPoint(leave);
  build.CreateRetVoid();
  return made;
}

Function* mark_function(Module& module) {
  IRBuilder<> build(module.getContext());
  return library_function(
      module, HYBRID_LIBRARY_MARK, "__hybrid_compiled_mark",
      {build.getPtrTy(), build.getInt32Ty(), build.getInt32Ty(), build.getInt64Ty(), build.getPtrTy()});
}

Function* inspect_function(Module& module) {
  IRBuilder<> build(module.getContext());
  return library_function(module, HYBRID_LIBRARY_INSPECT, "__hybrid_compiled_inspect",
                          {build.getPtrTy(), build.getInt32Ty(), build.getPtrTy(), build.getPtrTy()});
}

class Marks {
 public:
  Marks(Module& module, const Directives& directives, const std::map<std::string, uint32_t>& procedures,
        const Inspectors& inspectors, Constant* unit)
      : module_(module),
        directives_(directives),
        procedures_(procedures),
        inspectors_(inspectors),
        unit_(unit) {}

  void run() {
    for (const DirectivePhase& phase : directives_.phases) begin(phase);
    for (const auto& [call, phase] : directives_.ends)
      if (phase != HYBRID_NONE) put(call, phase, HYBRID_MARK_END);
    for (CallBase* marker : directives_.markers) {
      const StringRef name = marker->getCalledFunction()->getName();
      if (name == HYBRID_MARKER_FLUSH) put(marker, HYBRID_NONE, HYBRID_MARK_FLUSH);
      if (name == HYBRID_MARKER_OFF) put(marker, HYBRID_NONE, HYBRID_MARK_OFF);
      if (name == HYBRID_MARKER_ON) put(marker, HYBRID_NONE, HYBRID_MARK_ON);
    }
    early_ends();
    for (const auto& [name, phase] : procedures_)
      if (Function* function = module_.getFunction(name); function && !function->isDeclaration())
        procedure(*function, phase);
    for (const auto& [name, of_procedure] : inspectors_)
      for (const Inspector& inspector : of_procedure)
        if (inspector.before) inspect(*inspector.before, inspector);
  }

 private:
  void put(Instruction* before, uint32_t phase, uint32_t mark, Value* holds = nullptr,
           Value* values = nullptr) {
    IRBuilder<> build(before);
    /* A call without a source location would prevent inlining here. */
    if (!before->getDebugLoc())
      if (DISubprogram* where = before->getFunction()->getSubprogram())
        build.SetCurrentDebugLocation(DILocation::get(module_.getContext(), where->getLine(), 0, where));
    Value* number = holds ? build.CreateSExtOrTrunc(holds, build.getInt64Ty()) : build.getInt64(1);
    if (!values) values = Constant::getNullValue(build.getPtrTy());
    CallInst* call = build.CreateCall(mark_function(module_),
                                      {unit_, build.getInt32(phase), build.getInt32(mark), number, values});
    call->setDoesNotThrow();
  }

  /* Returns room for so many 64-bit values on the function's stack. */
  static Value* words(Function& function, size_t count) {
    IRBuilder<> entry(&*function.getEntryBlock().getFirstInsertionPt());
    return entry.CreateAlloca(ArrayType::get(entry.getInt64Ty(), count));
  }

  void begin(const DirectivePhase& phase) {
    if (!phase.ready) return;
    Value* holds = phase.holds;
    if (auto* instruction = dyn_cast_or_null<Instruction>(holds)) {
      const DominatorTree dominators(*phase.ready->getFunction());
      /* The value may not be available here: the condition does not hold. */
      if (!dominators.dominates(instruction, phase.ready)) holds = ConstantInt::get(holds->getType(), 0);
    }
    const auto number = static_cast<uint32_t>(&phase - directives_.phases.data());
    put(phase.ready, number, HYBRID_MARK_BEGIN, holds,
        phase.value_count == 0 ? nullptr : clause_words(phase));
  }

  /* Stores the values of the clauses where the program computes them, which is not on all paths. Returns
   * their address. */
  static Value* clause_words(const DirectivePhase& phase) {
    Value* room = words(*phase.begin->getFunction(), phase.value_count);
    const auto store = [&](CallBase& before, uint32_t at, Value* value) {
      IRBuilder<> build(&before);
      build.CreateStore(
          value ? build.CreateSExtOrTrunc(value, build.getInt64Ty()) : build.getInt64(~uint64_t{0}),
          build.CreateConstInBoundsGEP1_64(build.getInt64Ty(), room, at));
    };
    for (uint32_t i = 0; i < phase.value_count; ++i) store(*phase.begin, i, nullptr);
    uint32_t at = 0;
    for (CallBase* clause : phase.clauses)
      for (Value* value : clause_values(*clause)) store(*clause, at++, value);
    return room;
  }

  /* Ends phases that are left other than by their end: return, break, goto, an exception. */
  void early_ends() {
    for (const auto& [constant_block, open] : directives_.open_at_end) {
      auto* block = const_cast<BasicBlock*>(constant_block);
      if (open.empty()) continue;
      Instruction* last = block->getTerminator();
      if (isa<ReturnInst, ResumeInst>(last)) {
        /* No instruction may be between a musttail call and its return. */
        if (CallInst* must = block->getTerminatingMustTailCall()) last = must;
        end_down_to(open, 0, last);
        continue;
      }
      const std::vector<BasicBlock*> next(successors(block).begin(), successors(block).end());
      for (BasicBlock* to : next) {
        const auto begin = directives_.open_at_begin.find(to);
        if (begin == directives_.open_at_begin.end() || begin->second.size() >= open.size() || to->isEHPad())
          continue;
        BasicBlock* between = next.size() == 1 ? nullptr : SplitEdge(block, to);
        end_down_to(open, begin->second.size(), between ? between->getTerminator() : block->getTerminator());
      }
    }
  }
  void end_down_to(const OpenPhases& open, size_t depth, Instruction* before) {
    for (size_t i = open.size(); i-- > depth;) put(before, open[i], HYBRID_MARK_END);
  }

  void procedure(Function& function, uint32_t phase) {
    for (BasicBlock& block : function) {
      Instruction* last = block.getTerminator();
      if (!isa<ReturnInst, ResumeInst>(last)) continue;
      if (CallInst* must = block.getTerminatingMustTailCall()) last = must;
      put(last, phase, HYBRID_MARK_END);
    }
    auto first = function.getEntryBlock().getFirstInsertionPt();
    while (isa<AllocaInst>(*first)) ++first;
    put(&*first, phase, HYBRID_MARK_BEGIN);
    const auto found = inspectors_.find(function.getName().str());
    if (found == inspectors_.end()) return;
    for (const Inspector& inspector : found->second)
      if (!inspector.before) inspect(*first, inspector);
  }

  void inspect(Instruction& before, const Inspector& inspector) {
    IRBuilder<> build(&before);
    Function& function = *before.getFunction();
    if (DISubprogram* where = function.getSubprogram())
      build.SetCurrentDebugLocation(DILocation::get(module_.getContext(), where->getLine(), 0, where));
    Value* inputs = Constant::getNullValue(build.getPtrTy());
    if (!inspector.inputs.empty()) {
      inputs = words(function, inspector.inputs.size());
      for (unsigned i = 0; i < inspector.inputs.size(); ++i) {
        const InspectorInput& input = inspector.inputs[i];
        Value* value = input.value;
        if (input.loaded)
          value = build.CreateLoad(input.loaded,
                                   build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), value,
                                                                    static_cast<uint64_t>(input.offset)));
        build.CreateStore(as_word(build, build.CreateFreeze(value)),
                          build.CreateConstInBoundsGEP1_64(build.getInt64Ty(), inputs, i));
      }
    }
    build
        .CreateCall(inspect_function(module_),
                    {unit_, build.getInt32(inspector.phase), inspector.code, inputs})
        ->setDoesNotThrow();
  }

  Module& module_;
  const Directives& directives_;
  const std::map<std::string, uint32_t>& procedures_;
  const Inspectors& inspectors_;
  Constant* unit_;
};

/* Calls MPI_Comm_rank or MPI_Comm_size of MPI_COMM_WORLD; the result is 0 while MPI does not run. */
Value* query_mpi(CallBase& marker, StringRef function) {
  Module& module = *marker.getModule();
  IRBuilder<> entry(&*marker.getFunction()->getEntryBlock().getFirstInsertionPt());
  Type *word = entry.getInt32Ty(), *pointer = entry.getPtrTy();
  Value *begun = entry.CreateAlloca(word), *ended = entry.CreateAlloca(word),
        *result = entry.CreateAlloca(word);
  IRBuilder<> build(&marker);
  for (const auto& [name, place] : {std::pair{"MPI_Initialized", begun}, std::pair{"MPI_Finalized", ended}}) {
    build.CreateStore(build.getInt32(0), place);
    build.CreateCall(module.getOrInsertFunction(name, FunctionType::get(word, {pointer}, false)), {place});
  }
  build.CreateStore(build.getInt32(0), result);
  Value* runs = build.CreateAnd(build.CreateICmpNE(build.CreateLoad(word, begun), build.getInt32(0)),
                                build.CreateICmpEQ(build.CreateLoad(word, ended), build.getInt32(0)));
  IRBuilder<> inside(SplitBlockAndInsertIfThen(runs, &marker, false));
  inside.CreateCall(module.getOrInsertFunction(function, FunctionType::get(word, {word, pointer}, false)),
                    {inside.getInt32(kWorldHandle), result});
  IRBuilder<> after(&marker);
  return after.CreateSExtOrTrunc(after.CreateLoad(word, result), marker.getType());
}

void erase(CallBase& marker) {
  /* The marker of a condition returns its argument. */
  if (marker.getCalledFunction()->getName() == HYBRID_MARKER_CONDITION && marker.arg_size() >= 1 &&
      marker.getArgOperand(0)->getType() == marker.getType())
    marker.replaceAllUsesWith(marker.getArgOperand(0));
  if (!marker.use_empty()) marker.replaceAllUsesWith(Constant::getNullValue(marker.getType()));
  if (auto* invoke = dyn_cast<InvokeInst>(&marker)) {
    invoke->getUnwindDest()->removePredecessor(invoke->getParent());
    BranchInst::Create(invoke->getNormalDest(), invoke->getIterator());
  }
  const std::vector<WeakTrackingVH> arguments(marker.arg_begin(), marker.arg_end());
  marker.eraseFromParent();
  /* Removes calculations that were only for the directive. */
  for (const WeakTrackingVH& value : arguments)
    if (value) RecursivelyDeleteTriviallyDeadInstructions(value);
}

}  // namespace

void write_marks(Module& module, const Directives& directives,
                 const std::map<std::string, uint32_t>& procedures, const Inspectors& inspectors,
                 Constant* unit) {
  Marks(module, directives, procedures, inspectors, unit).run();
  std::vector<CallBase*> queries;
  for (CallBase* marker : directives.markers) {
    const StringRef name = marker->getCalledFunction()->getName();
    if (name == HYBRID_MARKER_RANK || name == HYBRID_MARKER_SIZE)
      queries.push_back(marker);
    else
      erase(*marker);
  }
  for (CallBase* marker : queries) {
    const bool rank = marker->getCalledFunction()->getName() == HYBRID_MARKER_RANK;
    if (!marker->use_empty() && marker->getType()->isIntegerTy())
      marker->replaceAllUsesWith(query_mpi(*marker, rank ? "MPI_Comm_rank" : "MPI_Comm_size"));
    erase(*marker);
  }
  std::vector<Function*> unused;
  for (Function& function : module)
    if (is_marker(function.getName()) && function.use_empty() &&
        (function.isDeclaration() || function.hasLocalLinkage()))
      unused.push_back(&function);
  for (Function* function : unused) function->eraseFromParent();
}

}  // namespace hybrid::pass
