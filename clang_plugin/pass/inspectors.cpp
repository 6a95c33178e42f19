#include "clang_plugin/pass/inspectors.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/GlobalsModRef.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemoryBuiltins.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/MustExecute.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Transforms/Scalar/LowerConstantIntrinsics.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LowerInvoke.h>

#include <cstddef>
#include <optional>
#include <set>

#include "clang_plugin/pass/preparation.h"
#include "clang_plugin/pass/values.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

/* Largest number of instructions of an inspector with the functions that are inlined for it. */
constexpr size_t kMost = 20000;
/* How often functions are inlined whose results a send depends on. */
constexpr int kRounds = 6;

/* The positions of hybrid.site's arguments. */
enum { kSiteNumber = 0, kSitePeer = 3, kSiteCommunicator = 5 };

bool is_call_of(const Instruction& instruction, StringRef name) {
  const Function* callee = callee_of(instruction);
  return callee && callee->getName() == name;
}

/* The query that computes this function of values.h at run time. */
std::optional<uint32_t> query_of(const Function& function) {
  const std::pair<const char*, uint32_t> queries[] = {{kRank, HYBRID_QUERY_RANK},
                                                      {kSize, HYBRID_QUERY_SIZE},
                                                      {kCoordinate, HYBRID_QUERY_COORDINATE},
                                                      {kCartRank, HYBRID_QUERY_CART_RANK},
                                                      {kShift, HYBRID_QUERY_SHIFT},
                                                      {kDimension, HYBRID_QUERY_DIMENSION},
                                                      {kDegree, HYBRID_QUERY_DEGREE},
                                                      {kNeighbor, HYBRID_QUERY_NEIGHBOR}};
  for (const auto& [name, query] : queries)
    if (function.getName() == name) return query;
  return std::nullopt;
}

/* Whether a value of this type passes through 64 bits of memory. */
bool is_word(const Type* type) {
  if (type->isPointerTy() || type->isFloatTy() || type->isDoubleTy()) return true;
  return type->isIntegerTy() && type->getIntegerBitWidth() <= 64;
}

uint32_t bytes_of(const Type* type) {
  if (type->isFloatTy()) return 4;
  if (!type->isIntegerTy()) return 8;
  const unsigned bits = type->getIntegerBitWidth();
  return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

/* Removes the branches to blocks that only end the program: an inspector is for runs that continue. */
void cut_dead_ends(Function& function) {
  std::set<const BasicBlock*> dead;
  for (bool more = true; more;) {
    more = false;
    for (const BasicBlock& block : function) {
      if (dead.contains(&block)) continue;
      const Instruction* last = block.getTerminator();
      const bool ends = isa<UnreachableInst, ResumeInst>(last) ||
                        (succ_size(&block) != 0 && all_of(successors(&block), [&](const BasicBlock* next) {
                           return dead.contains(next);
                         }));
      if (ends) more |= dead.insert(&block).second;
    }
  }
  for (BasicBlock& block : function) {
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || branch->isUnconditional() || dead.contains(&block)) continue;
    for (unsigned i : {0u, 1u}) {
      BasicBlock *cut = branch->getSuccessor(i), *kept = branch->getSuccessor(1 - i);
      if (!dead.contains(cut)) continue;
      cut->removePredecessor(&block);
      BranchInst::Create(kept, branch->getIterator());
      branch->eraseFromParent();
      break;
    }
  }
  removeUnreachableBlocks(function);
}

/* MPI keeps no address of a handle, a status or a result. */
void do_not_capture(Function& function) {
  for (Instruction& instruction : instructions(function)) {
    if (!is_call_of(instruction, kClobber)) continue;
    auto& call = cast<CallBase>(instruction);
    if (const auto* when = dyn_cast<ConstantInt>(call.getArgOperand(2));
        when && (when->getZExtValue() == kHandle || when->getZExtValue() == kNow))
      call.addParamAttr(0, Attribute::NoCapture);
  }
}

/* Finds what the sends of one procedure depend on, and removes the rest. */
class Slicer {
 public:
  Slicer(Function& function, const std::vector<SiteOrigin>& origins, const std::string& procedure,
         FunctionAnalysisManager& analyses)
      : function_(function),
        layout_(function.getParent()->getDataLayout()),
        origins_(origins),
        library_(analyses.getResult<TargetLibraryAnalysis>(function)),
        aliases_(analyses.getResult<AAManager>(function)),
        loops_(analyses.getResult<LoopAnalysis>(function)),
        dominators_(analyses.getResult<DominatorTreeAnalysis>(function)),
        post_dominators_(analyses.getResult<PostDominatorTreeAnalysis>(function)) {
    control();
    for (Instruction& instruction : instructions(function)) {
      if (is_call_of(instruction, kSite)) {
        const SiteOrigin& origin = origin_of(cast<CallBase>(instruction));
        if (origin.part->kind == HYBRID_SEND && origin.function == procedure) sites_.push_back(&instruction);
      } else if (instruction.mayWriteToMemory() && !isa<LifetimeIntrinsic>(instruction)) {
        writers_.push_back(&instruction);
      }
    }
    discover();
  }

  /* Calls of functions of the module whose results a send depends on, and which no instruction of the
   * inspector may replace: they must be inlined. */
  std::vector<CallBase*> unfollowed() const {
    std::vector<CallBase*> calls;
    for (Instruction* instruction : blamed_)
      if (const Function* callee = callee_of(*instruction);
          callee && !callee->isDeclaration() && !callee->isInterposable())
        calls.push_back(cast<CallBase>(instruction));
    return calls;
  }

  size_t count() const { return sites_.size(); }
  void blame() const {
    for (Instruction* i : blamed_) errs() << "   " << *i << "\n";
  }
  struct Site {
    CallBase* call;
    bool speculative;
  };
  /* The sends that can be computed. */
  std::vector<Site> computed() const {
    std::vector<Site> result;
    for (Instruction* site : sites_)
      if (!bad_.contains(site)) result.push_back({cast<CallBase>(site), is_speculative(*site)});
    return result;
  }

  /* Reduces the function to an inspector of these sends, and returns it: a new function. */
  Function* reduce(const std::vector<Site>& sites, std::vector<unsigned>& inputs);

 private:
  struct Needs {
    std::vector<Instruction*> always; /* the instruction cannot be computed without these */
    std::vector<Instruction*> writes; /* to memory that it reads; without them its value is speculative */
    bool speculative = false;         /* writes that cannot be followed at all */
  };

  const SiteOrigin& origin_of(const CallBase& site) const {
    return origins_[cast<ConstantInt>(site.getArgOperand(kSiteNumber))->getZExtValue()];
  }

  /* Control dependences (Ferrante, Ottenstein, Warren): the branches that decide whether a block runs. */
  void control() {
    for (BasicBlock& block : function_) {
      if (succ_size(&block) < 2) continue;
      const auto* own = post_dominators_.getNode(&block);
      for (BasicBlock* next : successors(&block)) {
        const auto* end = own ? own->getIDom() : nullptr;
        for (auto* at = post_dominators_.getNode(next); at && at != end; at = at->getIDom())
          if (at->getBlock()) deciding_[at->getBlock()].insert(block.getTerminator());
      }
    }
  }

  void add_control(BasicBlock* block, std::vector<Instruction*>& to) const {
    if (const auto found = deciding_.find(block); found != deciding_.end())
      to.insert(to.end(), found->second.begin(), found->second.end());
  }

  /* Whether an inspector can execute an instruction of this kind. */
  bool is_possible(const Instruction& instruction) const {
    for (const Value* operand : instruction.operands())
      if (const auto* argument = dyn_cast<Argument>(operand); argument && !is_word(argument->getType()))
        return false;
    if (isa<PHINode, BinaryOperator, UnaryOperator, CmpInst, SelectInst, GetElementPtrInst, FreezeInst,
            ExtractValueInst, InsertValueInst, ExtractElementInst, InsertElementInst, BranchInst, SwitchInst>(
            instruction))
      return true;
    if (isa<CastInst>(instruction)) return !isa<AddrSpaceCastInst>(instruction);
    if (const auto* load = dyn_cast<LoadInst>(&instruction))
      return !load->isVolatile() && is_word(load->getType());
    if (const auto* store = dyn_cast<StoreInst>(&instruction))
      return !store->isVolatile() && is_word(store->getValueOperand()->getType());
    if (const auto* local = dyn_cast<AllocaInst>(&instruction))
      return isa<ConstantInt>(local->getArraySize()) && local->getAllocatedType()->isSized();
    const auto* call = dyn_cast<CallInst>(&instruction);
    const Function* callee = call ? callee_of(*call) : nullptr;
    if (!callee) return false;
    if (is_call_of(instruction, kSite)) return true;
    if (is_allocation(instruction)) return true;
    if (isa<MemTransferInst, MemSetInst>(call)) return !cast<MemIntrinsic>(call)->isVolatile();
    if (callee->getName().starts_with("hybrid.")) return query_of(*callee).has_value();
    if (callee->isIntrinsic())
      return call->doesNotAccessMemory() && call->willReturn() && !call->isConvergent() &&
             !isa<DbgInfoIntrinsic>(call);
    return is_arithmetic(*callee);
  }

  /* Functions of the C library that only calculate. */
  bool is_arithmetic(const Function& callee) const {
    LibFunc known;
    if (!library_.getLibFunc(callee, known)) return false;
    if (any_of(callee.args(), [](const Argument& argument) { return argument.getType()->isPointerTy(); }))
      return false;
    const StringRef name = callee.getName();
    return callee.getReturnType()->isFloatingPointTy() || name == "abs" || name == "labs" || name == "llabs";
  }

  static bool is_allocation(const Instruction& instruction) {
    const Function* callee = callee_of(instruction);
    if (!callee || !callee->isDeclaration()) return false;
    const StringRef name = callee->getName();
    return name == "malloc" || name == "calloc" || name == "_Znwm" || name == "_Znam";
  }

  /* Whether only this procedure knows the memory at that address. */
  bool is_own(const Value* address) const {
    SmallVector<const Value*, 4> objects;
    getUnderlyingObjects(address, objects, &loops_, 12);
    return !objects.empty() && all_of(objects, [](const Value* object) {
      return isa<AllocaInst>(object) ||
             (isa<Instruction>(object) && is_allocation(*cast<Instruction>(object)));
    });
  }

  /* The bytes at an address in all iterations. */
  MemoryLocation location(const Value* address, LocationSize size, const AAMDNodes& types) const {
    APInt offset(layout_.getIndexTypeSizeInBits(address->getType()), 0);
    const Value* base = address->stripAndAccumulateConstantOffsets(layout_, offset, true);
    const bool is_fixed = isa<Argument, GlobalValue, AllocaInst>(base);
    return is_fixed ? MemoryLocation(address, size, types) : MemoryLocation::getBeforeOrAfter(address, types);
  }
  LocationSize size_of(Type* type) const { return LocationSize::precise(layout_.getTypeStoreSize(type)); }

  /* Whether a function that writes nothing else may write these bytes through an argument. */
  bool writes_argument(const CallBase& call, const MemoryLocation& read) const {
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      const Value* argument = call.getArgOperand(i);
      if (argument->getType()->isPointerTy() && !call.onlyReadsMemory(i) &&
          !aliases_.isNoAlias(MemoryLocation::getBeforeOrAfter(argument), read))
        return true;
    }
    return false;
  }

  /* Adds the instructions that may write the bytes that `reader` reads. */
  void add_writers(const MemoryLocation& read, const Instruction& reader, Needs& needs) const {
    const bool own = is_own(read.Ptr);
    for (Instruction* writer : writers_) {
      if (writer == &reader) continue;
      bool followed = is_possible(*writer);
      if (auto* store = dyn_cast<StoreInst>(writer)) {
        const MemoryLocation to = location(
            store->getPointerOperand(), size_of(store->getValueOperand()->getType()), store->getAAMetadata());
        if (aliases_.isNoAlias(to, read)) continue;
      } else if (auto* memory = dyn_cast<MemIntrinsic>(writer)) {
        const auto* length = dyn_cast<ConstantInt>(memory->getLength());
        const MemoryLocation to =
            location(memory->getDest(),
                     length ? LocationSize::precise(length->getZExtValue()) : LocationSize::afterPointer(),
                     AAMDNodes());
        if (aliases_.isNoAlias(to, read)) continue;
      } else if (is_call_of(*writer, kClobber)) {
        const auto* call = cast<CallBase>(writer);
        const auto* length = dyn_cast<ConstantInt>(call->getArgOperand(1));
        const bool all = !length || length->getSExtValue() < 0;
        const MemoryLocation to = location(
            call->getArgOperand(0),
            all ? LocationSize::beforeOrAfterPointer() : LocationSize::precise(length->getZExtValue()),
            AAMDNodes());
        if (aliases_.isNoAlias(to, read)) continue;
        followed = false;
      } else {
        const auto* call = dyn_cast<CallBase>(writer);
        if (is_allocation(*writer) || (call && getFreedOperand(call, &library_))) continue;
        if (call && !own && is_harmless(*call, library_) && !writes_argument(*call, read)) continue;
        if (!isModSet(aliases_.getModRefInfo(writer, read))) continue;
        followed = false;
      }
      if (!isPotentiallyReachable(writer, &reader, nullptr, &dominators_, &loops_)) continue;
      if (own)
        needs.always.push_back(writer);
      else if (followed)
        needs.writes.push_back(writer);
      else
        needs.speculative = true;
    }
  }

  const Needs& needs(Instruction* instruction) {
    const auto [entry, fresh] = needs_.try_emplace(instruction);
    if (!fresh) return entry->second;
    Needs found;
    const auto value = [&](Value* operand) {
      if (auto* other = dyn_cast<Instruction>(operand)) found.always.push_back(other);
    };
    if (is_call_of(*instruction, kSite)) {
      value(cast<CallBase>(instruction)->getArgOperand(kSitePeer));
      value(cast<CallBase>(instruction)->getArgOperand(kSiteCommunicator));
    } else {
      for (Value* operand : instruction->operands()) value(operand);
    }
    add_control(instruction->getParent(), found.always);
    if (auto* phi = dyn_cast<PHINode>(instruction))
      for (BasicBlock* from : phi->blocks()) {
        add_control(from, found.always);
        if (succ_size(from) > 1) found.always.push_back(from->getTerminator());
      }
    if (auto* load = dyn_cast<LoadInst>(instruction))
      add_writers(location(load->getPointerOperand(), size_of(load->getType()), load->getAAMetadata()), *load,
                  found);
    if (auto* transfer = dyn_cast<MemTransferInst>(instruction)) {
      const auto* length = dyn_cast<ConstantInt>(transfer->getLength());
      add_writers(
          location(transfer->getSource(),
                   length ? LocationSize::precise(length->getZExtValue()) : LocationSize::afterPointer(),
                   AAMDNodes()),
          *transfer, found);
    }
    return needs_[instruction] = std::move(found); /* try_emplace's entry may have moved */
  }

  /* Finds all instructions that sends may depend on, and those that cannot be computed. */
  void discover() {
    SetVector<Instruction*> all;
    for (Instruction* site : sites_) all.insert(site);
    DenseMap<Instruction*, SmallVector<Instruction*, 4>> users;
    for (size_t i = 0; i < all.size(); ++i) {
      Instruction* at = all[i];
      if (!is_possible(*at)) {
        blamed_.insert(at);
        continue;
      }
      const Needs& found = needs(at);
      for (Instruction* other : found.always) {
        users[other].push_back(at);
        all.insert(other);
      }
      for (Instruction* writer : found.writes) all.insert(writer);
    }
    SmallVector<Instruction*> pending(blamed_.begin(), blamed_.end());
    while (!pending.empty()) {
      Instruction* at = pending.pop_back_val();
      if (!bad_.insert(at).second) continue;
      if (const auto found = users.find(at); found != users.end()) pending.append(found->second);
    }
  }

  SetVector<Instruction*> closure(ArrayRef<Instruction*> roots) const {
    SetVector<Instruction*> all(roots.begin(), roots.end());
    for (size_t i = 0; i < all.size(); ++i) {
      const Needs& found = needs_.find(all[i])->second;
      all.insert(found.always.begin(), found.always.end());
      for (Instruction* writer : found.writes)
        if (!bad_.contains(writer)) all.insert(writer);
    }
    return all;
  }

  bool is_speculative(Instruction& site) const {
    return any_of(closure({&site}), [&](Instruction* at) {
      const Needs& found = needs_.find(at)->second;
      return found.speculative ||
             any_of(found.writes, [&](Instruction* writer) { return bad_.contains(writer); });
    });
  }

  Function& function_;
  const DataLayout& layout_;
  const std::vector<SiteOrigin>& origins_;
  const TargetLibraryInfo& library_;
  AAResults& aliases_;
  LoopInfo& loops_;
  DominatorTree& dominators_;
  PostDominatorTree& post_dominators_;
  std::vector<Instruction*> sites_, writers_;
  DenseMap<BasicBlock*, SetVector<Instruction*>> deciding_;
  DenseMap<Instruction*, Needs> needs_;
  SetVector<Instruction*> blamed_; /* instructions that cannot be computed themselves */
  DenseSet<Instruction*> bad_;     /* the same, and all that depend on them */
};

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
      ReturnInst::Create(context_, nullptr, end->getIterator());
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

/* Jumps over what the branch decides: nothing of the inspector is in it. */
void skip_branch(Instruction& branch, BasicBlock* to) {
  BasicBlock* block = branch.getParent();
  bool kept = false;
  for (BasicBlock* next : successors(block)) {
    if (next == to && !std::exchange(kept, true)) continue;
    next->removePredecessor(block, true);
  }
  if (to)
    BranchInst::Create(to, branch.getIterator());
  else
    ReturnInst::Create(block->getContext(), nullptr, branch.getIterator());
  branch.eraseFromParent();
}

Function* Slicer::reduce(const std::vector<Site>& sites, std::vector<unsigned>& inputs) {
  std::vector<Instruction*> roots;
  DenseMap<Instruction*, bool> speculative;
  for (const Site& site : sites) {
    roots.push_back(site.call);
    speculative[site.call] = site.speculative;
  }
  const SetVector<Instruction*> kept = closure(roots);

  DenseMap<Instruction*, BasicBlock*> skipped;
  for (BasicBlock& block : function_) {
    Instruction* last = block.getTerminator();
    if (isa<UnreachableInst, ReturnInst>(last) || succ_size(&block) == 1 || kept.contains(last)) continue;
    const auto* own = post_dominators_.getNode(&block);
    const auto* next = own ? own->getIDom() : nullptr;
    skipped[last] = next ? next->getBlock() : nullptr;
  }
  for (BasicBlock& block : function_)
    for (Instruction& instruction : make_early_inc_range(reverse(block))) {
      if (instruction.isTerminator() || kept.contains(&instruction)) continue;
      if (!instruction.getType()->isVoidTy())
        instruction.replaceAllUsesWith(PoisonValue::get(instruction.getType()));
      instruction.eraseFromParent();
    }
  for (const auto& [branch, to] : skipped) skip_branch(*branch, to);
  for (BasicBlock& block : function_) {
    Instruction* last = block.getTerminator();
    if (!isa<UnreachableInst, ReturnInst>(last)) continue;
    ReturnInst::Create(function_.getContext(), nullptr, last->getIterator());
    last->eraseFromParent();
  }

  LLVMContext& context = function_.getContext();
  Type* pointer = PointerType::getUnqual(context);
  Function* made = Function::Create(FunctionType::get(Type::getVoidTy(context), {pointer, pointer}, false),
                                    GlobalValue::InternalLinkage, "", function_.getParent());
  made->splice(made->begin(), &function_);
  removeUnreachableBlocks(*made);
  std::vector<Instruction*> rewritten;
  for (Instruction& instruction : instructions(*made)) {
    if (instruction.isTerminator()) continue;
    instruction.dropPoisonGeneratingAnnotations();
    rewritten.push_back(&instruction);
  }
  IRBuilder<> entry(&*made->getEntryBlock().getFirstInsertionPt());
  for (Argument& argument : function_.args()) {
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

/* Moves functions between modules of one context. */
class Mover {
 public:
  Mover(Module& to) : to_(to) {}

  /* Returns a copy of `from` in the module; null if it refers to something without a name there. */
  Function* move(Function& from, const Function& procedure, StringRef name) {
    ValueToValueMapTy map;
    for (Instruction& instruction : instructions(from))
      for (Value* operand : instruction.operands())
        if (!add(operand, map)) return nullptr;
    auto* made = Function::Create(from.getFunctionType(), GlobalValue::InternalLinkage, name, to_);
    for (const auto& [mine, theirs] : zip(made->args(), from.args())) map[&theirs] = &mine;
    SmallVector<ReturnInst*, 4> returns;
    CloneFunctionInto(made, &from, map, CloneFunctionChangeType::DifferentModule, returns);
    made->setLinkage(GlobalValue::InternalLinkage);
    made->setAttributes({});
    for (const char* kind : {"target-cpu", "target-features", "tune-cpu", "frame-pointer"})
      if (procedure.hasFnAttribute(kind)) made->addFnAttr(procedure.getFnAttribute(kind));
    made->addFnAttr(Attribute::NoInline);
    made->addFnAttr(Attribute::NoUnwind);
    return made;
  }

 private:
  bool add(Value* value, ValueToValueMapTy& map) {
    auto* constant = dyn_cast<Constant>(value);
    if (!constant || map.count(constant)) return true;
    if (auto* global = dyn_cast<GlobalValue>(constant)) {
      GlobalValue* known = global->hasName() ? to_.getNamedValue(global->getName()) : nullptr;
      if (auto* function = dyn_cast<Function>(global); !known && function && function->isDeclaration())
        known =
            dyn_cast<GlobalValue>(to_.getOrInsertFunction(function->getName(), function->getFunctionType(),
                                                          function->getAttributes())
                                      .getCallee());
      if (!known || known->getType() != global->getType()) return false;
      map[global] = known;
      return true;
    }
    return all_of(constant->operands(), [&](Use& operand) { return add(operand.get(), map); });
  }

  Module& to_;
};

}  // namespace

Value* as_word(IRBuilder<>& build, Value* value) {
  Type *type = value->getType(), *word = build.getInt64Ty();
  if (type->isPointerTy()) return build.CreatePtrToInt(value, word);
  if (type->isDoubleTy()) return build.CreateBitCast(value, word);
  if (type->isFloatTy()) return build.CreateZExt(build.CreateBitCast(value, build.getInt32Ty()), word);
  return build.CreateZExt(value, word);
}

Inspectors make_inspectors(Module& module, const std::map<std::string, uint32_t>& procedures,
                           const Note& note) {
  Inspectors result;
  std::set<std::string> wanted;
  for (const auto& [symbol, phase] : procedures) {
    const std::string name = demangle(symbol);
    for (const hybrid_site& site : note.sites)
      if (site.kind == HYBRID_SEND && site.site_class == HYBRID_DYNAMIC &&
          name == note.strings.c_str() + site.function)
        wanted.insert(symbol);
  }
  if (wanted.empty()) return result;

  std::unique_ptr<Module> copy = CloneModule(module);
  for (const std::string& symbol : wanted) /* functions that are inlined everywhere must remain */
    if (Function* function = copy->getFunction(symbol)) {
      function->setComdat(nullptr);
      function->setLinkage(GlobalValue::ExternalLinkage);
    }
  const Prepared prepared = prepare(std::move(copy), nullptr);
  Analyses analyses;
  analyses.modules.getResult<GlobalsAA>(*prepared.module); /* for the alias analysis of functions */
  for (const std::string& symbol : wanted) {
    Function* procedure = prepared.module->getFunction(symbol);
    const Function* own = module.getFunction(symbol);
    if (!procedure || procedure->isDeclaration() || !own || own->isVarArg() ||
        procedure->callsFunctionThatReturnsTwice())
      continue;
    ValueToValueMapTy unused;
    Function* function = CloneFunction(procedure, unused);
    function->setLinkage(GlobalValue::InternalLinkage);
    LowerInvokePass().run(*function, analyses.functions);
    LowerConstantIntrinsicsPass().run(*function, analyses.functions);
    for (int round = 0;; ++round) {
      cut_dead_ends(*function);
      do_not_capture(*function);
      analyses.functions.invalidate(*function, PreservedAnalyses::none());
      simplify(*function, analyses.functions);
      if (mayContainIrreducibleControl(*function, &analyses.functions.getResult<LoopAnalysis>(*function)))
        break;
      Slicer slicer(*function, prepared.origins, symbol, analyses.functions);
      const std::vector<CallBase*> calls = slicer.unfollowed();
      bool inlined = false;
      if (round < kRounds)
        for (CallBase* call : calls) {
          Function* callee = call->getCalledFunction();
          if (!callee || callee == function || callee == procedure ||
              callee->getInstructionCount() + function->getInstructionCount() > kMost)
            continue;
          InlineFunctionInfo info;
          inlined |= InlineFunction(*call, info).isSuccess();
        }
      if (inlined) {
        LowerInvokePass().run(*function, analyses.functions);
        LowerConstantIntrinsicsPass().run(*function, analyses.functions);
        continue;
      }
      const std::vector<Slicer::Site> sites = slicer.computed();
      if (getenv("HYBRID_DEBUG")) {
        errs() << "== " << demangle(symbol) << ": " << sites.size() << " of " << slicer.count() << " round "
               << round << "\n";
        slicer.blame();
      }
      if (sites.empty()) break;
      std::vector<InspectedSite> described;
      for (const Slicer::Site& site : sites)
        if (const DebugLoc& place = site.call->getDebugLoc())
          described.push_back({demangle(symbol), place.getLine(), place.getCol(), site.speculative});
      std::vector<unsigned> inputs;
      Function* reduced = slicer.reduce(sites, inputs);
      stripDebugInfo(*reduced);
      Function* moved =
          verifyFunction(*reduced) ? nullptr : Mover(module).move(*reduced, *own, symbol + ".inspect");
      reduced->eraseFromParent();
      if (!moved) break;
      result.procedures[symbol] = {moved, inputs};
      result.sites.insert(result.sites.end(), described.begin(), described.end());
      break;
    }
    function->deleteBody();
  }
  return result;
}

void classify_inspected(Note& note, const std::vector<InspectedSite>& sites) {
  for (const InspectedSite& inspected : sites)
    for (hybrid_site& site : note.sites)
      if (site.kind == HYBRID_SEND && site.site_class == HYBRID_DYNAMIC && site.line == inspected.line &&
          site.column == inspected.column && inspected.function == note.strings.c_str() + site.function)
        site.site_class = inspected.speculative ? HYBRID_SPECULATIVE : HYBRID_INSPECTED;
}

}  // namespace hybrid::pass
