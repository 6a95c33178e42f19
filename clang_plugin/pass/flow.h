/* What may happen between two places of the prepared module, in which most of the program is one function. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_FLOW_H
#define HYBRID_CLANG_PLUGIN_PASS_FLOW_H

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

class Flow {
 public:
  explicit Flow(const llvm::Module& module);

  /* May one of `writes` be carried out after `read` and before `site`, with no other `read` in between? True
   * where that is not known. The writes are those of the value with this number; if it is `shared`, code that
   * is not in sight writes it too. */
  bool changed_between(const llvm::Instruction& read, uint32_t value,
                       const std::set<const llvm::Instruction*>& writes, bool shared,
                       const llvm::Instruction& site);

  /* May a turn of `loop` carry out one of `writes`, or, if what is written is `shared`, call code that does
   * and is not in sight? */
  bool may_write_within(const llvm::Loop& loop, const std::set<const llvm::Instruction*>& writes,
                        bool shared);

 private:
  /* The calls in `function` that may come to run `writer`. */
  const std::vector<const llvm::Instruction*>& calls_of(const llvm::Function& function,
                                                        const llvm::Function& writer);
  const std::set<const llvm::Function*>& reached_from(const llvm::Function& function);
  /* To code that is not in the module, and not harmless? */
  bool leads_outside(const llvm::CallBase& call);

  llvm::TargetLibraryInfoImpl library_;
  std::set<const llvm::Function*> from_outside_; /* what code that is not in the module may call */
  std::map<const llvm::Function*, std::set<const llvm::Function*>> reached_;
  std::map<const llvm::Function*, bool> outside_;
  std::map<std::pair<const llvm::Function*, const llvm::Function*>, std::vector<const llvm::Instruction*>>
      calls_;
  /* Where a write may have come after the read: behind these instructions, and in these blocks. */
  struct Changed {
    std::vector<const llvm::Instruction*> behind;
    std::set<const llvm::BasicBlock*> blocks;
  };
  Changed changed(const llvm::Instruction& read, const std::set<const llvm::Instruction*>& writes,
                  bool shared);
  /* The calls in `function` that lead outside. */
  const std::vector<const llvm::Instruction*>& calls_outside(const llvm::Function& function);
  std::map<const llvm::Function*, std::vector<const llvm::Instruction*>> calls_outside_;
  std::map<std::tuple<const llvm::Instruction*, uint32_t, bool>, Changed> known_;
};

}  // namespace hybrid::pass

#endif
