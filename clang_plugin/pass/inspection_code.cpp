#include "clang_plugin/pass/inspection_code.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cstddef>

#include "core/hint_abi.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

uint32_t bytes_of(const Type* type) {
  if (type->isFloatTy()) return 4;
  if (!type->isIntegerTy()) return 8;
  const unsigned bits = type->getIntegerBitWidth();
  return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

/* Rewrites a reduced function for struct hybrid_inspection. */
class Emitter {
 public:
  explicit Emitter(Function& function, Value* inspection)
      : context_(function.getContext()), function_(function), inspection_(inspection) {}

  void rewrite(Instruction& instruction, bool speculative) {
    IRBuilder<> build(&instruction);
    Value* result = nullptr;
    if (auto* load = dyn_cast<LoadInst>(&instruction)) {
      result = from_word(build,
                         call(build, offsetof(hybrid_inspection, load), build.getInt64Ty(),
                              {load->getPointerOperand(), build.getInt32(bytes_of(load->getType()))}),
                         load->getType());
    } else if (auto* store = dyn_cast<StoreInst>(&instruction)) {
      Value* value = store->getValueOperand();
      call(build, offsetof(hybrid_inspection, store), build.getVoidTy(),
           {store->getPointerOperand(), build.getInt32(bytes_of(value->getType())), as_word(build, value)});
    } else if (auto* local = dyn_cast<AllocaInst>(&instruction)) {
      const DataLayout& layout = function_.getParent()->getDataLayout();
      const uint64_t bytes = layout.getTypeAllocSize(local->getAllocatedType()).getKnownMinValue() *
                             cast<ConstantInt>(local->getArraySize())->getZExtValue();
      result = allocate(build, build.getInt64(bytes));
    } else if (auto* transfer = dyn_cast<MemTransferInst>(&instruction)) {
      call(build, offsetof(hybrid_inspection, copy), build.getVoidTy(),
           {transfer->getDest(), transfer->getSource(), number(build, transfer->getLength())});
    } else if (auto* set = dyn_cast<MemSetInst>(&instruction)) {
      call(build, offsetof(hybrid_inspection, fill), build.getVoidTy(),
           {set->getDest(), build.CreateZExt(set->getValue(), build.getInt32Ty()),
            number(build, set->getLength())});
    } else if (auto* division = dyn_cast<BinaryOperator>(&instruction); division && division->isIntDivRem()) {
      divide(build, *division);
      return;
    } else if (auto* callee_call = dyn_cast<CallBase>(&instruction)) {
      const Function* callee = callee_of(instruction);
      if (callee->getName() == kSite) {
        call(build, offsetof(hybrid_inspection, send), build.getVoidTy(),
             {callee_call->getArgOperand(kSitePeer), callee_call->getArgOperand(kSiteCommunicator),
              build.getInt32(speculative)});
      } else if (const auto query = query_of(*callee)) {
        result = emit_query(build, *query, *callee_call);
      } else if (!callee->isIntrinsic() && callee->isDeclaration() && instruction.getType()->isPointerTy()) {
        Value* bytes = number(build, callee_call->getArgOperand(0));
        if (callee->getName() == "calloc")
          bytes = build.CreateMul(bytes, number(build, callee_call->getArgOperand(1)));
        result = allocate(build, bytes);
      } else {
        return;
      }
    } else {
      return;
    }
    if (result) instruction.replaceAllUsesWith(result);
    instruction.eraseFromParent();
  }

  /* Lets every loop end when the steps are used up. */
  void bound_loops() {
    DominatorTree dominators(function_);
    LoopInfo loops(dominators);
    std::vector<BasicBlock*> latches;
    for (Loop* loop : loops.getLoopsInPreorder()) {
      SmallVector<BasicBlock*, 4> ends;
      loop->getLoopLatches(ends);
      latches.insert(latches.end(), ends.begin(), ends.end());
    }
    for (BasicBlock* latch : latches) {
      IRBuilder<> build(latch->getTerminator());
      Value* place = at(build, offsetof(hybrid_inspection, steps));
      Value* left = build.CreateSub(build.CreateLoad(build.getInt64Ty(), place), build.getInt64(1));
      build.CreateStore(left, place);
      Instruction* end = SplitBlockAndInsertIfThen(build.CreateICmpSLT(left, build.getInt64(0)),
                                                   latch->getTerminator(), true);
      IRBuilder<>(end).CreateRetVoid();
      end->eraseFromParent();
    }
  }

  static Value* from_word(IRBuilder<>& build, Value* word, Type* type) {
    if (type->isPointerTy()) return build.CreateIntToPtr(word, type);
    if (type->isDoubleTy()) return build.CreateBitCast(word, type);
    if (type->isFloatTy()) return build.CreateBitCast(build.CreateTrunc(word, build.getInt32Ty()), type);
    return build.CreateTrunc(word, type);
  }

 private:
  Value* at(IRBuilder<>& build, size_t offset) {
    return build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), inspection_, offset);
  }
  CallInst* call(IRBuilder<>& build, size_t offset, Type* result, std::vector<Value*> arguments) {
    arguments.insert(arguments.begin(), inspection_);
    std::vector<Type*> types;
    types.reserve(arguments.size());
    for (const Value* argument : arguments) types.push_back(argument->getType());
    CallInst* made = build.CreateCall(FunctionType::get(result, types, false),
                                      build.CreateLoad(build.getPtrTy(), at(build, offset)), arguments);
    made->setDoesNotThrow();
    return made;
  }
  Value* number(IRBuilder<>& build, Value* value) {
    return build.CreateZExtOrTrunc(value, build.getInt64Ty());
  }
  Value* allocate(IRBuilder<>& build, Value* bytes) {
    return call(build, offsetof(hybrid_inspection, allocate), build.getPtrTy(), {bytes});
  }
  Value* emit_query(IRBuilder<>& build, uint32_t query, CallBase& of) {
    Type* word = build.getInt32Ty();
    IRBuilder<> entry(&*function_.getEntryBlock().getFirstInsertionPt());
    Value* arguments = entry.CreateAlloca(ArrayType::get(word, of.arg_size()));
    for (unsigned i = 0; i < of.arg_size(); ++i)
      build.CreateStore(build.CreateZExtOrTrunc(of.getArgOperand(i), word),
                        build.CreateConstInBoundsGEP1_32(word, arguments, i));
    return call(build, offsetof(hybrid_inspection, query), word,
                {build.getInt32(query), arguments, build.getInt32(of.arg_size())});
  }
  /* Speculative values may be any: a division that the processor refuses gives 0. */
  void divide(IRBuilder<>& build, BinaryOperator& division) {
    Value* by = division.getOperand(1);
    Value *zero = ConstantInt::get(by->getType(), 0), *one = ConstantInt::get(by->getType(), 1);
    Value* refused = build.CreateICmpEQ(by, zero);
    if (division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem)
      refused = build.CreateOr(
          refused,
          build.CreateAnd(build.CreateICmpEQ(by, ConstantInt::getAllOnesValue(by->getType())),
                          build.CreateICmpEQ(
                              division.getOperand(0),
                              ConstantInt::get(by->getType(), APInt::getSignedMinValue(
                                                                  by->getType()->getScalarSizeInBits())))));
    division.setOperand(1, build.CreateSelect(refused, one, by));
    build.SetInsertPoint(division.getNextNode());
  }

  LLVMContext& context_;
  Function& function_;
  Value* inspection_;
};

}  // namespace

Value* as_word(IRBuilder<>& build, Value* value) {
  Type *type = value->getType(), *word = build.getInt64Ty();
  if (type->isPointerTy()) return build.CreatePtrToInt(value, word);
  if (type->isDoubleTy()) return build.CreateBitCast(value, word);
  if (type->isFloatTy()) return build.CreateZExt(build.CreateBitCast(value, build.getInt32Ty()), word);
  return build.CreateZExt(value, word);
}

Function* make_inspector(Function& function, Slice& slice, const std::vector<Slice::Site>& sites,
                         std::vector<unsigned>& inputs) {
  DenseMap<Instruction*, bool> speculative;
  for (const Slice::Site& site : sites) speculative[site.call] = site.speculative;
  slice.reduce(sites);
  for (BasicBlock& block : function) {
    Instruction* last = block.getTerminator();
    if (!isa<UnreachableInst, ReturnInst>(last)) continue;
    IRBuilder<>(last).CreateRetVoid();
    last->eraseFromParent();
  }

  LLVMContext& context = function.getContext();
  Type* pointer = PointerType::getUnqual(context);
  Function* made = Function::Create(FunctionType::get(Type::getVoidTy(context), {pointer, pointer}, false),
                                    GlobalValue::InternalLinkage, "", function.getParent());
  made->splice(made->begin(), &function);
  removeUnreachableBlocks(*made);
  std::vector<Instruction*> rewritten;
  for (Instruction& instruction : instructions(*made)) {
    if (instruction.isTerminator()) continue;
    instruction.dropPoisonGeneratingAnnotations();
    rewritten.push_back(&instruction);
  }
  IRBuilder<> entry(&*made->getEntryBlock().getFirstInsertionPt());
  for (Argument& argument : function.args()) {
    if (argument.use_empty()) continue;
    if (!is_word(argument.getType())) { /* by a rest that is not part of the inspector */
      argument.replaceAllUsesWith(PoisonValue::get(argument.getType()));
      continue;
    }
    Value* place = entry.CreateConstInBoundsGEP1_64(entry.getInt64Ty(), made->getArg(1), inputs.size());
    argument.replaceAllUsesWith(
        Emitter::from_word(entry, entry.CreateLoad(entry.getInt64Ty(), place), argument.getType()));
    inputs.push_back(argument.getArgNo());
  }
  Emitter emitter(*made, made->getArg(0));
  for (Instruction* instruction : rewritten) emitter.rewrite(*instruction, speculative.lookup(instruction));
  emitter.bound_loops();
  return made;
}

}  // namespace hybrid::pass
