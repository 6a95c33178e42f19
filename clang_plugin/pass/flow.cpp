#include "clang_plugin/pass/flow.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>

#include "clang_plugin/pass/preparation.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

using Blocks = DenseSet<const BasicBlock*>;

/* Adds the blocks that are reachable from after `start` without passing through `barred`. */
void follow(const Instruction& start, const Instruction* barred, Blocks& reached) {
  const auto is_barred_from = [&](const Instruction* at) {
    return barred && barred->getParent() == at->getParent() && (at == barred || at->comesBefore(barred));
  };
  if (const Instruction* next = start.getNextNode(); next && is_barred_from(next)) return;
  std::vector<const BasicBlock*> pending{start.getParent()};
  while (!pending.empty()) {
    const BasicBlock* block = pending.back();
    pending.pop_back();
    for (const BasicBlock* next : successors(block))
      if (reached.insert(next).second && !is_barred_from(&next->front())) pending.push_back(next);
  }
}

}  // namespace

Flow::Flow(const Module& module) : library_(Triple(module.getTargetTriple())) {
  for (const Function& function : module)
    if (!function.isDeclaration() && (!function.hasLocalLinkage() || function.hasAddressTaken()))
      from_outside_.insert(&function);
  if (const Function* complete = module.getFunction(kComplete))
    for (const User* user : complete->users())
      if (const auto* call = dyn_cast<CallBase>(user)) completing_.insert(call->getFunction());
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
      } else if (!outside && (!callee || !is_harmless(*call, library))) {
        outside = true;
        pending.insert(pending.end(), from_outside_.begin(), from_outside_.end());
      }
    }
  }
  return reached;
}

const std::vector<const Instruction*>& Flow::calls_of(const Function& function, const Function& writer) {
  const auto [entry, fresh] = calls_.try_emplace({&function, &writer});
  if (!fresh) return entry->second;
  const TargetLibraryInfo library(library_);
  for (const Instruction& instruction : instructions(function)) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (!call) continue;
    const Function* callee = callee_of(*call);
    if (callee && !callee->isDeclaration()) {
      if (reached_from(*callee).contains(&writer)) entry->second.push_back(call);
    } else if (!callee || !is_harmless(*call, library)) {
      for (const Function* called : from_outside_)
        if (reached_from(*called).contains(&writer)) {
          entry->second.push_back(call);
          break;
        }
    }
  }
  return entry->second;
}

const std::vector<const Instruction*>& Flow::calls_outside(const Function& function) {
  const auto [entry, fresh] = calls_outside_.try_emplace(&function);
  if (fresh)
    for (const Instruction& instruction : instructions(function))
      if (const auto* call = dyn_cast<CallBase>(&instruction); call && leads_outside(*call))
        entry->second.push_back(call);
  return entry->second;
}

const std::vector<const Instruction*>& Flow::completions(const Function& function) {
  const auto [entry, fresh] = completions_.try_emplace(&function);
  if (!fresh) return entry->second;
  for (const Instruction& instruction : instructions(function)) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (!call) continue;
    const Function* callee = callee_of(*call);
    const bool here = callee && callee->getName() == kComplete;
    bool within = callee && !callee->isDeclaration() && !completing_.empty();
    if (within) {
      const std::set<const Function*>& reached = reached_from(*callee);
      within = std::any_of(completing_.begin(), completing_.end(),
                           [&](const Function* function) { return reached.contains(function); });
    }
    if (here || within || leads_outside(*call)) entry->second.push_back(call);
  }
  return entry->second;
}

std::set<const Instruction*> Flow::carriers(const Function& function, const Writers& writers) {
  std::set<const Instruction*> carriers;
  for (const Instruction* write : writers.instructions) {
    if (write->getFunction() == &function)
      carriers.insert(write);
    else if (const auto& calls = calls_of(function, *write->getFunction()); !calls.empty())
      carriers.insert(calls.begin(), calls.end());
  }
  if (writers.shared) {
    const auto& calls = calls_outside(function);
    carriers.insert(calls.begin(), calls.end());
  }
  if (writers.late) {
    const auto& calls = completions(function);
    carriers.insert(calls.begin(), calls.end());
  }
  return carriers;
}

Flow::Changed Flow::changed(const Instruction& read, const Writers& writers) {
  std::set<const Instruction*> carriers = this->carriers(*read.getFunction(), writers);
  Blocks after;
  follow(read, nullptr, after);
  Changed result;
  carriers.erase(&read); /* a store as the read: its own value is meant */
  for (const Instruction* carrier : carriers) {
    if (!after.contains(carrier->getParent()) &&
        (carrier->getParent() != read.getParent() || carrier->comesBefore(&read)))
      continue;
    result.behind.push_back(carrier);
    follow(*carrier, &read, result.blocks);
  }
  return result;
}

bool Flow::changed_between(const Instruction& read, uint32_t value, const Writers& writers,
                           const Instruction& site) {
  if (read.getFunction() != site.getFunction()) return writers.shared || !writers.instructions.empty();
  auto known = known_.find({&read, value, writers.shared});
  if (known == known_.end())
    known = known_.emplace(std::tuple(&read, value, writers.shared), changed(read, writers)).first;
  const BasicBlock* block = site.getParent();
  const bool read_anew = read.getParent() == block && read.comesBefore(&site);
  if (!read_anew && known->second.blocks.contains(block)) return true;
  for (const Instruction* write : known->second.behind)
    if (write->getParent() == block && write->comesBefore(&site) && !(read_anew && write->comesBefore(&read)))
      return true;
  return false;
}

bool Flow::may_write_within(const Loop& loop, const Writers& writers) {
  const std::set<const Instruction*> all = carriers(*loop.getHeader()->getParent(), writers);
  return std::any_of(all.begin(), all.end(),
                     [&](const Instruction* carrier) { return loop.contains(carrier); });
}

bool Flow::may_write_in(const BasicBlock& block, const Writers& writers) {
  const std::set<const Instruction*> all = carriers(*block.getParent(), writers);
  return std::any_of(all.begin(), all.end(),
                     [&](const Instruction* carrier) { return carrier->getParent() == &block; });
}

bool Flow::leads_outside(const CallBase& call) {
  const Function* callee = callee_of(call);
  if (!callee || callee->isDeclaration()) return !callee || !is_harmless(call, TargetLibraryInfo(library_));
  const auto [entry, fresh] = outside_.try_emplace(callee, false);
  if (!fresh) return entry->second;
  for (const Function* reached : reached_from(*callee))
    for (const Instruction& instruction : instructions(*reached))
      if (const auto* inner = dyn_cast<CallBase>(&instruction)) {
        const Function* to = callee_of(*inner);
        if (!to || (to->isDeclaration() && !is_harmless(*inner, TargetLibraryInfo(library_))))
          return outside_[callee] = true;
      }
  return false;
}

}  // namespace hybrid::pass
