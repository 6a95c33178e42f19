#include "clang_plugin/pass/slice.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/MemoryBuiltins.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Scalar/LowerConstantIntrinsics.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LowerInvoke.h>

#include <set>
#include <utility>

#include "clang_plugin/pass/preparation.h"

namespace hybrid::pass {

using namespace llvm;

bool is_call_of(const Instruction& instruction, StringRef name) {
  const Function* callee = callee_of(instruction);
  return callee && callee->getName() == name;
}

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

bool is_word(const Type* type) {
  if (type->isPointerTy() || type->isFloatTy() || type->isDoubleTy()) return true;
  const unsigned bits = type->isIntegerTy() ? type->getIntegerBitWidth() : 0;
  return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

bool is_allocation(const Instruction& instruction) {
  const Function* callee = callee_of(instruction);
  if (!callee || !callee->isDeclaration()) return false;
  const StringRef name = callee->getName();
  return name == "malloc" || name == "calloc" || name == "_Znwm" || name == "_Znam";
}

namespace {

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
    const uint64_t when = cast<ConstantInt>(call.getArgOperand(2))->getZExtValue();
    if (when == kHandle || when == kCompletion || when == kNow) call.addParamAttr(0, Attribute::NoCapture);
  }
}

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

/* Whether a receive that the function does not begin may write the object: it is no variable of this file
 * whose address is used for nothing but reads, writes, and calls of MPI that have finished with it. */
bool may_be_pending(const Value& object) {
  const auto* variable = dyn_cast<GlobalVariable>(&object);
  if (!variable || !variable->hasLocalLinkage()) return true;
  SmallVector<const Value*> addresses{variable};
  for (size_t i = 0; i < addresses.size(); ++i)
    for (const Use& use : addresses[i]->uses()) {
      const User* user = use.getUser();
      if (isa<GEPOperator>(user)) {
        addresses.push_back(user);
        continue;
      }
      if (isa<LoadInst, ICmpInst, MemIntrinsic>(user)) continue;
      if (isa<StoreInst>(user) && use.getOperandNo() != 0) continue;
      const auto* call = dyn_cast<CallBase>(user);
      if (!call || !is_call_of(*call, kClobber)) return true;
      const uint64_t when = cast<ConstantInt>(call->getArgOperand(2))->getZExtValue();
      if (when != kNow && when != kHandle && when != kCompletion) return true;
    }
  return false;
}

/* Whether a write hardly changes what is read, and would only make the inspector slow, because loops that
 * compute the program's data contain it: a real number, where an integer or an address is read; a write
 * through a pointer, where a variable is read by name. */
bool is_unlikely(const Instruction& writer, const MemoryLocation& to, const Instruction& reader,
                 const MemoryLocation& read) {
  const auto* store = dyn_cast<StoreInst>(&writer);
  const bool writes_real = store && store->getValueOperand()->getType()->isFPOrFPVectorTy();
  if (writes_real && isa<LoadInst>(reader) && !reader.getType()->isFPOrFPVectorTy()) return true;
  return isa<GlobalVariable>(getUnderlyingObject(read.Ptr)) &&
         !isa<GlobalVariable>(getUnderlyingObject(to.Ptr));
}

}  // namespace

bool handles_exceptions(const Function& function) {
  return any_of(instructions(function), [](const Instruction& instruction) {
    const auto* pad = dyn_cast<LandingPadInst>(&instruction);
    return pad && pad->getNumClauses() != 0 && !isa<UnreachableInst>(pad->getParent()->getTerminator());
  });
}

void make_sliceable(Function& function, FunctionAnalysisManager& analyses) {
  LowerInvokePass().run(function, analyses);
  LowerConstantIntrinsicsPass().run(function, analyses);
  cut_dead_ends(function);
  do_not_capture(function);
  analyses.invalidate(function, PreservedAnalyses::none());
  simplify(function, analyses);
}

Slice::Slice(Function& function, const std::vector<SiteOrigin>& origins, const std::string& procedure,
             bool exposed, bool may_be_exact, FunctionAnalysisManager& analyses)
    : function_(function),
      origins_(origins),
      exposed_(exposed),
      may_be_exact_(may_be_exact),
      layout_(function.getParent()->getDataLayout()),
      library_(analyses.getResult<TargetLibraryAnalysis>(function)),
      aliases_(analyses.getResult<AAManager>(function)),
      loops_(analyses.getResult<LoopAnalysis>(function)),
      dominators_(analyses.getResult<DominatorTreeAnalysis>(function)),
      post_dominators_(analyses.getResult<PostDominatorTreeAnalysis>(function)) {
  find_deciding_branches();
  for (Instruction& instruction : instructions(function)) {
    if (is_call_of(instruction, kSite)) {
      const SiteOrigin& origin = origin_of(instruction);
      if (origin.part->kind == HYBRID_SEND && origin.function == procedure) sites_.push_back(&instruction);
    } else if (instruction.mayWriteToMemory() && !isa<LifetimeIntrinsic>(instruction) &&
               !match(&instruction, PatternMatch::m_Intrinsic<Intrinsic::stackrestore>())) {
      writers_.push_back(&instruction);
    }
  }
  discover();
}

const SiteOrigin& Slice::origin_of(const Instruction& site) const {
  return origins_[cast<ConstantInt>(cast<CallBase>(site).getArgOperand(kSiteNumber))->getZExtValue()];
}

std::vector<CallBase*> Slice::unfollowed() const {
  std::vector<CallBase*> calls;
  for (Instruction* instruction : blamed_)
    if (const Function* callee = callee_of(*instruction);
        callee && !callee->isDeclaration() && !callee->isInterposable())
      calls.push_back(cast<CallBase>(instruction));
  return calls;
}

std::vector<Slice::Site> Slice::computed() const {
  std::vector<Site> result;
  for (Instruction* site : sites_)
    if (!bad_.contains(site))
      result.push_back({cast<CallBase>(site), origin_of(*site).number, origin_of(*site).directive,
                        !may_be_exact_ || is_speculative(*site)});
  return result;
}

/* Control dependences (Ferrante, Ottenstein, Warren). */
void Slice::find_deciding_branches() {
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

void Slice::add_control(BasicBlock* block, std::vector<Instruction*>& to) const {
  if (const auto found = deciding_.find(block); found != deciding_.end())
    to.insert(to.end(), found->second.begin(), found->second.end());
}

/* Whether an inspector can execute an instruction of this kind. */
bool Slice::is_possible(const Instruction& instruction) const {
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

/* Functions that only calculate: of the C library, and those that the program calls constant
 * (`__attribute__((const))`). */
bool Slice::is_arithmetic(const Function& callee) const {
  if (callee.doesNotAccessMemory() && callee.willReturn() && callee.doesNotThrow() && !callee.isIntrinsic())
    return true;
  LibFunc known;
  if (!library_.getLibFunc(callee, known)) return false;
  if (any_of(callee.args(), [](const Argument& argument) { return argument.getType()->isPointerTy(); }))
    return false;
  const StringRef name = callee.getName();
  return callee.getReturnType()->isFloatingPointTy() || name == "abs" || name == "labs" || name == "llabs";
}

/* Whether only this function knows the memory at that address. */
bool Slice::is_own(const Value* address) const {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(address, objects, &loops_, 12);
  /* Nothing is read from null: the memory of an empty container. */
  erase_if(objects, [](const Value* object) { return isa<ConstantPointerNull>(object); });
  return !objects.empty() && all_of(objects, [](const Value* object) {
    return isa<AllocaInst>(object) || (isa<Instruction>(object) && is_allocation(*cast<Instruction>(object)));
  });
}

/* The bytes at an address in all iterations. */
MemoryLocation Slice::location(const Value* address, LocationSize size, const AAMDNodes& types) const {
  APInt offset(layout_.getIndexTypeSizeInBits(address->getType()), 0);
  const Value* base = address->stripAndAccumulateConstantOffsets(layout_, offset, true);
  const bool is_fixed = isa<Argument, GlobalValue, AllocaInst>(base);
  return is_fixed ? MemoryLocation(address, size, types) : MemoryLocation::getBeforeOrAfter(address, types);
}

LocationSize Slice::size_of(Type* type) const {
  return LocationSize::precise(layout_.getTypeStoreSize(type));
}

/* Whether a function that writes nothing else may write these bytes through an argument. */
bool Slice::writes_argument(const CallBase& call, const MemoryLocation& read) const {
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const Value* argument = call.getArgOperand(i);
    if (argument->getType()->isPointerTy() && !call.onlyReadsMemory(i) &&
        !aliases_.isNoAlias(MemoryLocation::getBeforeOrAfter(argument), read))
      return true;
  }
  return false;
}

/* The bytes that an instruction writes; nullopt if they are not those at one address. */
std::optional<MemoryLocation> Slice::written(const Instruction& writer) const {
  const auto bytes = [](const Value* length, LocationSize otherwise) {
    const auto* number = dyn_cast<ConstantInt>(length);
    return number && number->getSExtValue() >= 0 ? LocationSize::precise(number->getZExtValue()) : otherwise;
  };
  if (const auto* store = dyn_cast<StoreInst>(&writer))
    return location(store->getPointerOperand(), size_of(store->getValueOperand()->getType()),
                    store->getAAMetadata());
  if (const auto* memory = dyn_cast<MemIntrinsic>(&writer))
    return location(memory->getDest(), bytes(memory->getLength(), LocationSize::afterPointer()), AAMDNodes());
  if (!is_call_of(writer, kClobber)) return std::nullopt;
  const auto& call = cast<CallBase>(writer);
  return location(call.getArgOperand(0), bytes(call.getArgOperand(1), LocationSize::beforeOrAfterPointer()),
                  AAMDNodes());
}

/* Adds the instructions that may write the bytes that `reader` reads. */
void Slice::add_writers(const MemoryLocation& read, const Instruction& reader, Needs& needs) const {
  const bool own = is_own(read.Ptr);
  needs.speculative |= exposed_ && !own && !isNoModRef(aliases_.getModRefInfoMask(read));
  for (Instruction* writer : writers_) {
    if (writer == &reader) continue;
    if (is_call_of(*writer, kClobber)) {
      /* What began elsewhere completes here. */
      const auto& call = cast<CallBase>(*writer);
      const uint64_t when = cast<ConstantInt>(call.getArgOperand(2))->getZExtValue();
      const bool unseen =
          when == kAnywhere || (when == kCompletion && !own && !is_own(call.getArgOperand(0)) &&
                                may_be_pending(*getUnderlyingObject(read.Ptr)));
      needs.speculative |= unseen && !isNoModRef(aliases_.getModRefInfoMask(read)) &&
                           isPotentiallyReachable(writer, &reader, nullptr, &dominators_, &loops_);
      if (when == kAnywhere) continue;
    }
    const std::optional<MemoryLocation> to = written(*writer);
    if (to) {
      if (aliases_.isNoAlias(*to, read)) continue;
    } else {
      const auto* call = dyn_cast<CallBase>(writer);
      if (is_allocation(*writer) || (call && getFreedOperand(call, &library_))) continue;
      if (call && !own && is_harmless(*call, library_) && !writes_argument(*call, read)) continue;
      if (!isModSet(aliases_.getModRefInfo(writer, read))) continue;
    }
    if (!isPotentiallyReachable(writer, &reader, nullptr, &dominators_, &loops_)) continue;
    const bool received = to && is_call_of(*writer, kClobber);
    const bool certain = to && dominators_.dominates(writer, &reader) &&
                         (aliases_.isMustAlias(*to, read) ||
                          (received && getUnderlyingObject(to->Ptr, 0) == getUnderlyingObject(read.Ptr, 0)));
    if (own || certain)
      needs.always.push_back(writer);
    else if (to && !received && is_possible(*writer) && !is_unlikely(*writer, *to, reader, read))
      needs.writes.push_back(writer);
    else
      needs.speculative = true;
  }
}

const Slice::Needs& Slice::needs(Instruction* instruction) {
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
void Slice::discover() {
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

SetVector<Instruction*> Slice::closure(ArrayRef<Instruction*> roots) const {
  SetVector<Instruction*> all(roots.begin(), roots.end());
  for (size_t i = 0; i < all.size(); ++i) {
    const Needs& found = needs_.find(all[i])->second;
    all.insert(found.always.begin(), found.always.end());
    for (Instruction* writer : found.writes)
      if (!bad_.contains(writer)) all.insert(writer);
  }
  return all;
}

bool Slice::is_speculative(Instruction& site) const {
  return any_of(closure({&site}), [&](Instruction* at) {
    const Needs& found = needs_.find(at)->second;
    return found.speculative ||
           any_of(found.writes, [&](Instruction* writer) { return bad_.contains(writer); });
  });
}

SetVector<Instruction*> Slice::reduce(const std::vector<Site>& sites) {
  std::vector<Instruction*> roots;
  for (const Site& site : sites) roots.push_back(site.call);
  const SetVector<Instruction*> kept = closure(roots);

  std::vector<std::pair<Instruction*, BasicBlock*>> skipped;
  for (BasicBlock& block : function_) {
    Instruction* last = block.getTerminator();
    if (isa<UnreachableInst, ReturnInst>(last) || succ_size(&block) == 1 || kept.contains(last)) continue;
    const auto* own = post_dominators_.getNode(&block);
    const auto* next = own ? own->getIDom() : nullptr;
    skipped.emplace_back(last, next ? next->getBlock() : nullptr);
  }
  for (BasicBlock& block : function_)
    for (Instruction& instruction : make_early_inc_range(reverse(block))) {
      if (instruction.isTerminator() || kept.contains(&instruction)) continue;
      if (!instruction.getType()->isVoidTy())
        instruction.replaceAllUsesWith(PoisonValue::get(instruction.getType()));
      instruction.eraseFromParent();
    }
  for (const auto& [branch, to] : skipped) skip_branch(*branch, to);
  return kept;
}

}  // namespace hybrid::pass
