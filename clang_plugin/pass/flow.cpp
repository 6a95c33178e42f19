#include "clang_plugin/pass/flow.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

#include "clang_plugin/pass/preparation.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

const Function* callee_of(const CallBase& call) {
  return dyn_cast<Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
}

/* Is there a way from behind `start` to `end` that does not lead over `barred`? */
bool leads(const Instruction& start, const Instruction& end, const Instruction* barred) {
  std::set<const BasicBlock*> seen;
  std::vector<const BasicBlock*> pending;
  const Instruction* at = start.getNextNode();
  for (const BasicBlock* block = start.getParent();;) {
    for (; at && at != &end && at != barred; at = at->getNextNode()) continue;
    if (at == &end) return true;
    if (!at)
      for (const BasicBlock* next : successors(block))
        if (seen.insert(next).second) pending.push_back(next);
    if (pending.empty()) return false;
    block = pending.back();
    at = &block->front();
    pending.pop_back();
  }
}

}  // namespace

Flow::Flow(const Module& module) : library_(Triple(module.getTargetTriple())) {
  for (const Function& function : module)
    if (!function.isDeclaration() && (!function.hasLocalLinkage() || function.hasAddressTaken()))
      from_outside_.insert(&function);
}

const std::set<const Function*>& Flow::reached_from(const Function& function) {
  const auto [entry, fresh] = reached_.try_emplace(&function);
  std::set<const Function*>& reached = entry->second;
  if (!fresh) return reached;
  const TargetLibraryInfo library(library_);
  std::vector<const Function*> pending{&function};
  bool outside = false;
  while (!pending.empty()) {
    const Function* at = pending.back();
    pending.pop_back();
    if (!reached.insert(at).second) continue;
    for (const Instruction& instruction : instructions(*at)) {
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (!call) continue;
      const Function* callee = callee_of(*call);
      if (callee && !callee->isDeclaration()) {
        pending.push_back(callee);
      } else if (!outside && (!callee || !is_harmless(*callee, library))) {
        outside = true;
        pending.insert(pending.end(), from_outside_.begin(), from_outside_.end());
      }
    }
  }
  return reached;
}

const std::vector<const Instruction*>& Flow::carriers(const Function& function, const Instruction& write) {
  const Function* writer = write.getFunction();
  if (writer == &function) return itself_ = {&write};
  const auto [entry, fresh] = calls_.try_emplace({&function, writer});
  if (!fresh) return entry->second;
  const TargetLibraryInfo library(library_);
  for (const Instruction& instruction : instructions(function)) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (!call) continue;
    const Function* callee = callee_of(*call);
    if (callee && !callee->isDeclaration()) {
      if (reached_from(*callee).contains(writer)) entry->second.push_back(call);
    } else if (!callee || !is_harmless(*callee, library)) {
      for (const Function* called : from_outside_)
        if (reached_from(*called).contains(writer)) {
          entry->second.push_back(call);
          break;
        }
    }
  }
  return entry->second;
}

bool Flow::writes_between(const LoadInst& read, const Instruction& write, const Instruction& site) {
  if (read.getFunction() != site.getFunction()) return true;
  const auto [entry, fresh] = known_.try_emplace({&read, &write, site.getParent()}, false);
  if (fresh)
    for (const Instruction* carrier : carriers(*site.getFunction(), write))
      if (leads(read, *carrier, nullptr) && leads(*carrier, site, &read)) {
        entry->second = true;
        break;
      }
  return entry->second;
}

}  // namespace hybrid::pass
