#include "clang_plugin/pass/endings.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <map>
#include <vector>

#include "clang_plugin/pass/values.h"

namespace hybrid::pass {
namespace {

using namespace llvm;

/* Functions that end their caller before it returns, while the program continues. `any_catches`: exceptions
 * do not end the program. */
bool leaves_early(StringRef name, bool any_catches) {
  static constexpr StringLiteral kJumps[] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk",
                                             "llvm.eh.sjlj.longjmp"};
  return is_contained(kJumps, name) || (any_catches && (name == "__cxa_throw" || name == "__cxa_rethrow"));
}

bool catches(const Function& function) {
  for (const Instruction& instruction : instructions(function))
    if (const auto* call = dyn_cast<CallBase>(&instruction))
      if (const Function* callee = callee_of(*call)) {
        if (callee->getName() != "__cxa_begin_catch") continue;
        if (function.getName() != "__clang_call_terminate") return true;
      }
  return false;
}

}  // namespace

bool catches_exceptions(const Module& module) { return any_of(module, catches); }

void mark_left_early(Module& module, bool any_catches) {
  std::map<const Function*, std::vector<Function*>> callers; /* of null: through pointers */
  for (Function& function : module)
    for (const Instruction& instruction : instructions(function))
      if (const auto* call = dyn_cast<CallBase>(&instruction); call && !call->isInlineAsm())
        callers[callee_of(*call)].push_back(&function);
  std::vector<const Function*> leaving;
  for (const Function& function : module)
    if (leaves_early(function.getName(), any_catches)) leaving.push_back(&function);
  for (size_t i = 0; i < leaving.size(); ++i)
    for (Function* caller : callers[leaving[i]]) {
      if (caller->hasFnAttribute(kLeftEarly)) continue;
      caller->addFnAttr(kLeftEarly);
      leaving.push_back(caller);
      if (caller->hasAddressTaken()) leaving.push_back(nullptr);
    }
}

void forget_dead_ends(Function& function, bool may_throw) {
  for (BasicBlock& block : function) {
    if (!isa<UnreachableInst>(block.getTerminator())) continue;
    bool matters = false;
    for (const Instruction& instruction : block)
      if (const auto* call = dyn_cast<CallBase>(&instruction)) {
        const Function* callee = callee_of(*call);
        matters |= (callee && (callee->getName() == kSite || callee->hasFnAttribute(kLeftEarly) ||
                               leaves_early(callee->getName(), may_throw))) ||
                   (may_throw && !call->doesNotThrow());
      }
    if (matters) continue;
    for (Instruction& instruction : make_early_inc_range(reverse(block)))
      if (!instruction.isTerminator() && !instruction.isEHPad() && !isa<PHINode>(instruction)) {
        if (!instruction.getType()->isVoidTy())
          instruction.replaceAllUsesWith(PoisonValue::get(instruction.getType()));
        instruction.eraseFromParent();
      }
  }
}

}  // namespace hybrid::pass
