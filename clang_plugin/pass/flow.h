/* What may happen between two places of the prepared module, in which most of the program is one function. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_FLOW_H
#define HYBRID_CLANG_PLUGIN_PASS_FLOW_H

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace hybrid::pass {

class Flow {
 public:
  explicit Flow(const llvm::Module& module);

  /* May `write` be carried out after `read` and before `site`, with no other `read` in between? True where
   * that is not known. */
  bool writes_between(const llvm::LoadInst& read, const llvm::Instruction& write,
                      const llvm::Instruction& site);

 private:
  /* The instructions of `function` with which `write` may be carried out: itself, or calls. */
  const std::vector<const llvm::Instruction*>& carriers(const llvm::Function& function,
                                                        const llvm::Instruction& write);
  const std::set<const llvm::Function*>& reached_from(const llvm::Function& function);

  llvm::TargetLibraryInfoImpl library_;
  std::set<const llvm::Function*> from_outside_; /* what code that is not in the module may call */
  std::map<const llvm::Function*, std::set<const llvm::Function*>> reached_;
  std::map<std::pair<const llvm::Function*, const llvm::Function*>, std::vector<const llvm::Instruction*>>
      calls_;
  std::vector<const llvm::Instruction*> itself_;
  std::map<std::tuple<const llvm::LoadInst*, const llvm::Instruction*, const llvm::BasicBlock*>, bool> known_;
};

}  // namespace hybrid::pass

#endif
