/* Which writes may happen between two places of the prepared module, in which most of the program is one
 * function. */
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace hybrid::pass {

/* The writers of a value. */
struct Writers {
  const std::set<const llvm::Instruction*>& instructions;
  bool shared = false; /* code that is not visible may write it, too */
  bool late = false;   /* one of them writes when an MPI operation completes */
};

class Flow {
 public:
  explicit Flow(const llvm::Module& module);

  /* Whether the value of this number may be written after `read` and before `site`, with no other `read` in
   * between. True if that is unknown. */
  bool changed_between(const llvm::Instruction& read, uint32_t value, const Writers& writers,
                       const llvm::Instruction& site);

  /* Whether an iteration of `loop` may write it. */
  bool may_write_within(const llvm::Loop& loop, const Writers& writers);
  bool may_write_in(const llvm::BasicBlock& block, const Writers& writers);

 private:
  /* The calls in `function` that may reach `writer`. */
  const std::vector<const llvm::Instruction*>& calls_of(const llvm::Function& function,
                                                        const llvm::Function& writer);
  const std::set<const llvm::Function*>& reached_from(const llvm::Function& function);
  /* Whether the call reaches code that is not in the module, and not harmless. */
  bool leads_outside(const llvm::CallBase& call);

  llvm::TargetLibraryInfoImpl library_;
  std::set<const llvm::Function*> from_outside_; /* functions that code outside of the module may call */
  std::map<const llvm::Function*, std::set<const llvm::Function*>> reached_;
  std::map<const llvm::Function*, bool> outside_;
  std::map<std::pair<const llvm::Function*, const llvm::Function*>, std::vector<const llvm::Instruction*>>
      calls_;
  /* Places where a write may have happened after the read: after these instructions, and in these blocks. */
  struct Changed {
    std::vector<const llvm::Instruction*> behind;
    llvm::DenseSet<const llvm::BasicBlock*> blocks;
  };
  Changed changed(const llvm::Instruction& read, const Writers& writers);
  /* The instructions of `function` that may write a value of these writers. */
  std::set<const llvm::Instruction*> carriers(const llvm::Function& function, const Writers& writers);
  /* The calls in `function` that lead outside; those that may complete an MPI operation. */
  const std::vector<const llvm::Instruction*>& calls_outside(const llvm::Function& function);
  const std::vector<const llvm::Instruction*>& completions(const llvm::Function& function);
  std::map<const llvm::Function*, std::vector<const llvm::Instruction*>> calls_outside_, completions_;
  std::set<const llvm::Function*> completing_; /* functions with kComplete */
  std::map<std::tuple<const llvm::Instruction*, uint32_t, bool>, Changed> known_;
};

}  // namespace hybrid::pass
