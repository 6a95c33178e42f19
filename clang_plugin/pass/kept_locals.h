/* Makes local variables of the main program readable for hints, if these need them. Such locals are set at
 * run time, as in `n = atoi(argv[1])` or MPI_Bcast(&n, ...), and hints can read only variables with a name
 * for the linker. A local gets an internal variable of the file (own_variables.h) with the same value at any
 * time:
 * - A number that only the main program and the languages' libraries write is also stored in the variable at
 *   each write; the optimiser still keeps the local in a register.
 * - A local whose address other code has, and which is in memory in any case, is replaced by the variable.
 * Only locals of the main program are kept, because it cannot be active twice. Before and after:
 *
 *     int n = atoi(argv[1]);        int n = atoi(argv[1]); main.n = n;
 *     int m; MPI_Bcast(&m, ...);    MPI_Bcast(&main.m, ...); */
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hybrid::pass {

class KeptLocals {
 public:
  explicit KeptLocals(llvm::Module& module);
  KeptLocals(const KeptLocals&) = delete;
  KeptLocals& operator=(const KeptLocals&) = delete;
  ~KeptLocals() { forget_numbers(); }

  /* Returns a copy of the module in which all locals that may be kept have a number. */
  std::unique_ptr<llvm::Module> numbered() const;

  /* Keeps the locals with these numbers, and those that values with these numbers are stored in. In the
   * resulting module for the hints, the variables replace the locals; their names are added to `names`.
   * Returns false if there was nothing to keep. May be called once. */
  bool keep(const std::set<uint32_t>& requested, std::set<std::string>& names);
  /* Restores the locals that can be in registers; the program now also stores them in their variables. */
  void give_back();

 private:
  struct Copied {
    llvm::AllocaInst* local;
    llvm::GlobalVariable* variable;
    std::vector<llvm::Instruction*> writers;
  };
  void forget_numbers();

  llvm::Module& module_;
  std::vector<llvm::Instruction*> numbered_; /* locals, and values known only at run time */
  std::vector<Copied> copied_;
};

/* Returns the number of a local, or of a value known only at run time, in a numbered copy, also after
 * transformations.
 */
std::optional<uint32_t> number_of_local(const llvm::Value& value);

/* Whether the variable replaces a local. Then it has no valid value before the first write. */
bool was_local(const llvm::GlobalVariable& variable);
/* Returns the local's name in the source; "" if the variable does not replace a local, or the name is
 * unknown. */
std::string name_of_local(const llvm::GlobalVariable& variable);

}  // namespace hybrid::pass
