/* The slice of a procedure that its sends depend on (Weiser): instructions, the branches that decide whether
 * they run, and the writes to memory that they read, backwards from peer and communicator of every send. What
 * the slice must not do decides whether a send can be computed before the procedure runs: results of
 * functions that are not visible, and received data, are not known then. */
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Dominators.h>

#include <optional>
#include <string>
#include <vector>

#include "clang_plugin/pass/values.h"

namespace hybrid::pass {

/* The positions of hybrid.site's arguments. */
enum SiteArgument { kSiteNumber = 0, kSitePeer = 3, kSiteCommunicator = 5 };

/* Whether the instruction calls the function of that name. */
bool is_call_of(const llvm::Instruction& instruction, llvm::StringRef name);
/* The query (enum hybrid_query) that computes this function of values.h at run time. */
std::optional<uint32_t> query_of(const llvm::Function& function);
/* Whether it is the type of an address, or of a number that fills 1, 2, 4 or 8 bytes (or is a truth value).
 */
bool is_word(const llvm::Type* type);
/* Whether it allocates memory that is then the caller's own: malloc, new. */
bool is_allocation(const llvm::Instruction& instruction);

/* Whether the function handles exceptions, which a slice does not contain. */
bool handles_exceptions(const llvm::Function& function);

/* Simplifies a function of the prepared module (preparation.h) for a slice: it cannot fail or throw. */
void make_sliceable(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

class Slice {
 public:
  /* Precondition: make_sliceable(). The sends of `procedure` in `function`: those with this origin.
   * `exposed`: the program's memory may change at any time (exposes_memory()).
   * `may_be_exact`: otherwise all is speculative. */
  Slice(llvm::Function& function, const std::vector<SiteOrigin>& origins, const std::string& procedure,
        bool exposed, bool may_be_exact, llvm::FunctionAnalysisManager& analyses);

  struct Site {
    llvm::CallBase* call;
    uint32_t number; /* of the program's call, and its directive's phase (SiteOrigin) */
    uint32_t directive;
    bool speculative; /* something that the slice does not contain may write memory that it reads */
  };
  /* The sends that can be computed. */
  std::vector<Site> computed() const;
  /* Calls of functions of the module that must be inlined, because other sends depend on them. */
  std::vector<llvm::CallBase*> unfollowed() const;
  /* Removes everything that these sends do not depend on, and returns the rest. */
  llvm::SetVector<llvm::Instruction*> reduce(const std::vector<Site>& sites);

 private:
  struct Needs {
    std::vector<llvm::Instruction*> always; /* the instruction cannot be computed without these */
    std::vector<llvm::Instruction*>
        writes;               /* to memory that it reads; without them its value is speculative */
    bool speculative = false; /* writes that cannot be followed at all */
  };

  const SiteOrigin& origin_of(const llvm::Instruction& site) const;
  void find_deciding_branches();
  void add_control(llvm::BasicBlock* block, std::vector<llvm::Instruction*>& to) const;
  bool is_possible(const llvm::Instruction& instruction) const;
  bool is_arithmetic(const llvm::Function& callee) const;
  bool is_own(const llvm::Value* address) const;
  llvm::MemoryLocation location(const llvm::Value* address, llvm::LocationSize size,
                                const llvm::AAMDNodes& types) const;
  llvm::LocationSize size_of(llvm::Type* type) const;
  std::optional<llvm::MemoryLocation> written(const llvm::Instruction& writer) const;
  bool writes_argument(const llvm::CallBase& call, const llvm::MemoryLocation& read) const;
  void add_writers(const llvm::MemoryLocation& read, const llvm::Instruction& reader, Needs& needs) const;
  const Needs& needs(llvm::Instruction* instruction);
  void discover();
  llvm::SetVector<llvm::Instruction*> closure(llvm::ArrayRef<llvm::Instruction*> roots) const;
  bool is_speculative(llvm::Instruction& site) const;

  llvm::Function& function_;
  const std::vector<SiteOrigin>& origins_;
  const bool exposed_, may_be_exact_;
  const llvm::DataLayout& layout_;
  const llvm::TargetLibraryInfo& library_;
  llvm::AAResults& aliases_;
  llvm::LoopInfo& loops_;
  llvm::DominatorTree& dominators_;
  llvm::PostDominatorTree& post_dominators_;
  std::vector<llvm::Instruction*> sites_, writers_;
  /* The branches that decide whether a block runs. */
  llvm::DenseMap<llvm::BasicBlock*, llvm::SetVector<llvm::Instruction*>> deciding_;
  llvm::DenseMap<llvm::Instruction*, Needs> needs_;
  llvm::SetVector<llvm::Instruction*> blamed_; /* instructions that cannot be computed themselves */
  llvm::DenseSet<llvm::Instruction*> bad_;     /* the same, and all that depend on them */
};

}  // namespace hybrid::pass
