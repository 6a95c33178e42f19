#include "clang_plugin/pass/loop_phases.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "clang_plugin/pass/directives.h"
#include "clang_plugin/pass/values.h"
#include "core/readable_name.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

/* Returns the functions of the module that may reach a call that sends, within the module. */
std::set<const Function*> leading_to_sends(const Module& module) {
  std::set<const Function*> leading;
  std::vector<const Function*> pending;
  for (const Function& function : module)
    if (is_send(function)) pending.push_back(&function);
  while (!pending.empty()) {
    const Function* callee = pending.back();
    pending.pop_back();
    for (const User* user : callee->users())
      if (const auto* call = dyn_cast<CallBase>(user); call && callee_of(*call) == callee)
        if (leading.insert(call->getFunction()).second) pending.push_back(call->getFunction());
  }
  return leading;
}

class LoopMarker {
 public:
  LoopMarker(Function& function, const std::set<const Function*>& leading)
      : function_(function), leading_(leading), dominators_(function), loops_(dominators_) {}

  void run() {
    std::map<std::string, unsigned> names;
    for (Loop* loop : loops_.getLoopsInPreorder())
      if (may_send(*loop) &&
          (loop->getLoopPreheader() || InsertPreheaderForLoop(loop, &dominators_, &loops_, nullptr, false)))
        marked_.push_back(loop);
    if (marked_.empty()) return;
    for (Loop* loop : marked_) begin(*loop, names);
    ends();
  }

 private:
  bool may_send(const Loop& loop) const {
    for (const BasicBlock* block : loop.blocks())
      for (const Instruction& instruction : *block) {
        const Function* callee = callee_of(instruction);
        if (!callee) continue;
        if (is_send(*callee) || leading_.contains(callee)) return true;
      }
    return false;
  }

  /* Inserts an end for each loop on each edge that leaves it. marks.h handles exits by exceptions. */
  void ends() {
    struct Exit {
      BasicBlock *from, *to;
      long loops;
    };
    std::vector<Exit> exits;
    for (BasicBlock& block : function_) {
      std::set<const BasicBlock*> seen;
      for (BasicBlock* next : successors(&block)) {
        const long left = std::count_if(marked_.begin(), marked_.end(), [&](const Loop* loop) {
          return loop->contains(&block) && !loop->contains(next);
        });
        if (left > 0 && !next->isEHPad() && seen.insert(next).second) exits.push_back({&block, next, left});
      }
    }
    for (const Exit& exit : exits) {
      if (isa<IndirectBrInst, CallBrInst>(exit.from->getTerminator())) continue;
      /* One block for all cases of a switch with this destination. */
      BasicBlock* between = BasicBlock::Create(function_.getContext(), "", &function_, exit.to);
      for (PHINode& phi : exit.to->phis()) {
        Value* value = phi.getIncomingValueForBlock(exit.from);
        while (phi.getBasicBlockIndex(exit.from) >= 0) phi.removeIncomingValue(exit.from, false);
        phi.addIncoming(value, between);
      }
      exit.from->getTerminator()->replaceSuccessorWith(exit.to, between);
      IRBuilder<> build(between);
      build.SetCurrentDebugLocation(exit.from->getTerminator()->getDebugLoc());
      for (long i = 0; i < exit.loops; ++i) marker(build, HYBRID_MARKER_PHASE_END, {});
      build.CreateBr(exit.to);
    }
  }

  void begin(Loop& loop, std::map<std::string, unsigned>& names) {
    IRBuilder<> build(loop.getLoopPreheader()->getTerminator());
    const DebugLoc at = loop.getStartLoc();
    build.SetCurrentDebugLocation(at);
    std::string name =
        readable_name(function_.getName()) + (at ? ":" + std::to_string(at.getLine()) : ":loop");
    if (const unsigned before = names[name]++; before > 0) name += "." + std::to_string(before + 1);
    marker(build, HYBRID_MARKER_PHASE_BEGIN,
           {build.CreateGlobalString(name), build.getInt32(kOfLoop), build.getInt64(0)});
    marker(build, HYBRID_MARKER_PHASE_READY, {Constant::getNullValue(build.getPtrTy())});
  }

  static void marker(IRBuilder<>& build, StringRef name, const std::vector<Value*>& arguments) {
    std::vector<Type*> types(arguments.size());
    std::transform(arguments.begin(), arguments.end(), types.begin(),
                   [](const Value* argument) { return argument->getType(); });
    Module& module = *build.GetInsertBlock()->getModule();
    FunctionCallee callee =
        module.getOrInsertFunction(name, FunctionType::get(build.getVoidTy(), types, false));
    build.CreateCall(callee, arguments)->setDoesNotThrow();
  }

  Function& function_;
  const std::set<const Function*>& leading_;
  DominatorTree dominators_;
  LoopInfo loops_;
  std::vector<Loop*> marked_; /* a loop before those in it */
};

}  // namespace

void mark_loops(Module& module) {
  const std::set<const Function*> leading = leading_to_sends(module);
  std::vector<Function*> functions;
  for (Function& function : module) {
    const auto begins = instructions(function);
    const bool own = std::any_of(begins.begin(), begins.end(), [](const Instruction& instruction) {
      const Function* callee = callee_of(instruction);
      return callee && is_marker(callee->getName());
    });
    if (!function.isDeclaration() && !own) functions.push_back(&function);
  }
  for (Function* function : functions)
    if (leading.contains(function)) LoopMarker(*function, leading).run();
}

}  // namespace hybrid::pass
