#include "clang_plugin/pass/entries.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>
#include <map>

#include "clang_plugin/pass/directives.h"
#include "clang_plugin/pass/preparation.h"
#include "clang_plugin/pass/slice.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

/* Number of loops of a procedure. */
constexpr size_t kMostLoops = 12;
/* A local with at most so many parts is passed by its parts. The address of a larger one is passed. */
constexpr size_t kMostParts = 16;

bool sends(const Loop& loop) {
  return any_of(loop.blocks(), [](const BasicBlock* block) {
    return any_of(*block, [](const Instruction& instruction) {
      const Function* callee = callee_of(instruction);
      return callee && is_send(*callee);
    });
  });
}

std::vector<Loop*> sending_loops(const LoopInfo& loops) {
  std::vector<Loop*> found;
  const auto outer_first = [](const Loop* a, const Loop* b) { return a->getLoopDepth() < b->getLoopDepth(); };
  for (Loop* loop : const_cast<LoopInfo&>(loops).getLoopsInPreorder())
    if (sends(*loop)) found.insert(std::upper_bound(found.begin(), found.end(), loop, outer_first), loop);
  if (found.size() > kMostLoops) found.resize(kMostLoops);
  return found;
}

struct Part {
  Type* type;
  int64_t offset;
};

/* Appends the words that a value of this type consists of. Returns false if it has too many, or others. */
bool parts(Type* type, int64_t offset, const DataLayout& layout, std::vector<Part>& to) {
  if (is_word(type) && !type->isIntegerTy(1)) {
    to.push_back({type, offset});
    return to.size() <= kMostParts;
  }
  if (auto* structure = dyn_cast<StructType>(type)) {
    const StructLayout* places = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      if (!parts(structure->getElementType(i),
                 offset + static_cast<int64_t>(places->getElementOffset(i).getFixedValue()), layout, to))
        return false;
    return true;
  }
  auto* array = dyn_cast<ArrayType>(type);
  if (!array || array->getNumElements() > kMostParts) return false;
  const auto size = static_cast<int64_t>(layout.getTypeAllocSize(array->getElementType()).getFixedValue());
  for (uint64_t i = 0; i < array->getNumElements(); ++i)
    if (!parts(array->getElementType(), offset + static_cast<int64_t>(i) * size, layout, to)) return false;
  return true;
}

/* Finds the words of a local. Returns false if it has too many, or bytes that belong to none: of a union, or
 * padding. */
bool consists_of(const AllocaInst& local, const DataLayout& layout, std::vector<Part>& found) {
  if (!parts(local.getAllocatedType(), 0, layout, found)) return false;
  uint64_t bytes = 0;
  for (const Part& part : found) bytes += layout.getTypeStoreSize(part.type).getFixedValue();
  return bytes == layout.getTypeAllocSize(local.getAllocatedType()).getFixedValue();
}

/* Whether no other value than the local itself refers to it in the blocks that use these values. */
bool is_only_used_here(const AllocaInst& local, const std::vector<Instruction*>& used) {
  return !PointerMayBeCaptured(&local, true, true) && none_of(used, [&](const Instruction* value) {
    return value != &local && value->getType()->isPointerTy() && getUnderlyingObject(value) == &local;
  });
}

/* Blocks as a function. */
class Outlined {
 public:
  /* Only the first of `blocks` may have predecessors that are not among them. */
  Outlined(Function& procedure, ArrayRef<BasicBlock*> blocks)
      : procedure_(procedure), blocks_(blocks.begin(), blocks.end()) {}

  /* Returns null if a value that the blocks use cannot be passed. */
  Function* function(Module& copy, const ValueToValueMapTy& mapping, const Twine& name) {
    const DataLayout& layout = procedure_.getParent()->getDataLayout();
    for (Argument& argument : procedure_.args()) add(argument);
    std::vector<Instruction*> used;
    for (BasicBlock* block : blocks_)
      for (Instruction& instruction : *block)
        for (Value* operand : instruction.operands()) {
          auto* other = dyn_cast<Instruction>(operand);
          if (other && !blocks_.contains(other->getParent()) && !is_contained(used, other))
            used.push_back(other);
        }
    for (Instruction* value : used) {
      auto* local = dyn_cast<AllocaInst>(value);
      std::vector<Part> found;
      if (local && local->isStaticAlloca() && (is_only_used_here(*local, used) || is_of_blocks(*local)) &&
          consists_of(*local, layout, found)) {
        known_[local] = inputs.size();
        for (const Part& part : found) {
          inputs.push_back({local, part.type, part.offset});
          types_.push_back(part.type);
        }
        copied_.emplace_back(local, found.size());
      } else if (is_word(value->getType())) {
        add(*value);
      } else {
        return nullptr;
      }
    }

    LLVMContext& context = procedure_.getContext();
    auto* made = Function::Create(FunctionType::get(Type::getVoidTy(context), types_, false),
                                  GlobalValue::ExternalLinkage, name, copy);
    made->addFnAttr(kAside);
    BasicBlock* entry = BasicBlock::Create(context, "", made);
    BasicBlock* end = BasicBlock::Create(context, "", made);
    IRBuilder<>(end).CreateRetVoid();
    IRBuilder<> build(entry);
    ValueToValueMapTy map;
    for (const auto& [value, at] : known_)
      map[mapping.lookup(value)] = made->getArg(static_cast<unsigned>(at));
    for (const auto& [local, count] : copied_) {
      Instruction* own = local->clone();
      build.Insert(own);
      map[mapping.lookup(local)] = own;
      const size_t first = known_[local];
      for (size_t i = first; i < first + count; ++i)
        build.CreateStore(made->getArg(static_cast<unsigned>(i)),
                          build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), own,
                                                           static_cast<uint64_t>(inputs[i].offset)));
    }
    std::vector<BasicBlock*> blocks;
    for (const BasicBlock* block : blocks_) {
      const auto* theirs = cast<BasicBlock>(mapping.lookup(block));
      blocks.push_back(CloneBasicBlock(theirs, map, "", made));
      map[theirs] = blocks.back();
    }
    for (BasicBlock* block : blocks_)
      for (BasicBlock* next : successors(block))
        if (!blocks_.contains(next)) map[mapping.lookup(next)] = end;
    /* In a loop the block before the first one may follow the last one, too: to leave is to end. */
    for (BasicBlock* before : predecessors(blocks_.front()))
      if (!blocks_.contains(before))
        blocks.front()->replacePhiUsesWith(cast<BasicBlock>(mapping.lookup(before)), entry);
    for (BasicBlock* block : blocks)
      for (Instruction& instruction : *block) {
        instruction.dropDbgRecords();
        RemapInstruction(&instruction, map, RF_IgnoreMissingLocals | RF_NoModuleLevelChanges);
      }
    build.CreateBr(cast<BasicBlock>(map.lookup(mapping.lookup(blocks_.front()))));
    for (BasicBlock* block : blocks)
      if (auto* back = dyn_cast<ReturnInst>(block->getTerminator())) {
        IRBuilder<>(back).CreateBr(end);
        back->eraseFromParent();
      }
    /* An exception that leaves the blocks ends them. */
    for (BasicBlock* block : blocks)
      if (auto* invoke = dyn_cast<InvokeInst>(block->getTerminator());
          invoke && invoke->getUnwindDest() == end)
        changeToCall(invoke);
    if (procedure_.hasPersonalityFn())
      made->setPersonalityFn(cast<Constant>(mapping.lookup(procedure_.getPersonalityFn())));
    removeUnreachableBlocks(*made);
    return made;
  }

  std::vector<InspectorInput> inputs;

 private:
  /* Whether the local is used in the blocks only. */
  bool is_of_blocks(const AllocaInst& local) const {
    return all_of(local.users(), [&](const User* user) {
      const auto* instruction = cast<Instruction>(user);
      return instruction->isLifetimeStartOrEnd() ||
             blocks_.contains(const_cast<BasicBlock*>(instruction->getParent()));
    });
  }

  void add(Value& value) {
    known_[&value] = inputs.size();
    inputs.push_back({&value});
    types_.push_back(value.getType());
  }

  Function& procedure_;
  SetVector<BasicBlock*> blocks_;
  std::vector<Type*> types_;
  std::map<const Value*, size_t> known_;               /* the number of its (first) argument */
  std::vector<std::pair<AllocaInst*, size_t>> copied_; /* locals, and their number of parts */
};

/* The call of MPI_Init in the main program; or null. */
Instruction* start_of_mpi(Function& procedure) {
  if (!is_main_program(procedure.getName())) return nullptr;
  for (Instruction& instruction : instructions(procedure))
    if (const Function* callee = callee_of(instruction))
      for (const char* name : {"MPI_Init", "MPI_Init_thread", "mpi_init_", "mpi_init_thread_"})
        if (callee->getName() == name) return &instruction;
  return nullptr;
}

/* The phase that begins in the block. */
uint32_t phase_of(const BasicBlock& before) {
  uint32_t phase = HYBRID_NONE;
  for (const Instruction& instruction : before)
    if (is_call_of(instruction, HYBRID_MARKER_PHASE_READY)) phase = label(instruction, kDirective);
  return phase;
}

}  // namespace

void make_room(Function& procedure) {
  if (Instruction* init = start_of_mpi(procedure); init && !init->isTerminator())
    SplitBlock(init->getParent(), init->getNextNode());
  DominatorTree dominators(procedure);
  LoopInfo loops(dominators);
  for (Loop* loop : sending_loops(loops))
    if (!loop->getLoopPreheader()) InsertPreheaderForLoop(loop, &dominators, &loops, nullptr, false);
}

void make_room_at_directives(Module& module) {
  const Function* ready = module.getFunction(HYBRID_MARKER_PHASE_READY);
  if (!ready) return;
  std::vector<CallInst*> begins;
  for (const User* user : ready->users())
    if (const auto* call = dyn_cast<CallInst>(user)) begins.push_back(const_cast<CallInst*>(call));
  for (CallInst* begin : begins) SplitBlock(begin->getParent(), begin->getNextNode());
}

std::vector<Entry> add_entries(Function& procedure, const Directives& directives, Module& copy,
                               const ValueToValueMapTy& mapping) {
  DominatorTree dominators(procedure);
  const LoopInfo loops(dominators);
  std::vector<Entry> entries;
  const auto add = [&](ArrayRef<BasicBlock*> blocks, Instruction* before, uint32_t phase, bool is_loop) {
    Outlined outlined(procedure, blocks);
    if (Function* function =
            outlined.function(copy, mapping, procedure.getName() + ".part" + Twine(entries.size() + 1)))
      entries.push_back({function, before, std::move(outlined.inputs), phase, is_loop});
  };
  const auto add_from = [&](BasicBlock* first, uint32_t phase) {
    if (!first || !first->getSinglePredecessor()) return;
    SmallVector<BasicBlock*> blocks; /* every path to them leads through the first one */
    dominators.getDescendants(first, blocks);
    add(blocks, &*first->getFirstInsertionPt(), phase, false);
  };
  for (uint32_t phase = 0; phase < directives.phases.size(); ++phase) {
    const DirectivePhase& directive = directives.phases[phase];
    if (!directive.is_loop && directive.ready && directive.ready->getFunction() == &procedure)
      add_from(directive.ready->getParent()->getSingleSuccessor(), phase);
  }
  if (Instruction* init = start_of_mpi(procedure)) {
    auto* invoke = dyn_cast<InvokeInst>(init);
    add_from(invoke ? invoke->getNormalDest() : init->getParent()->getSingleSuccessor(), HYBRID_NONE);
  }
  for (Loop* loop : sending_loops(loops))
    if (BasicBlock* before = loop->getLoopPreheader())
      add(loop->getBlocks(), before->getTerminator(), phase_of(*before), true);
  return entries;
}

}  // namespace hybrid::pass
