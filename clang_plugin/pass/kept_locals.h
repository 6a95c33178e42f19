/* Local variables of the main program that a run sets (`n = atoi(argv[1])`, MPI_Bcast(&n, ...)): hints can
 * read only what the linker knows by name. Those that the hints turn out to need get a variable of the file's
 * own (own_variables.h), which holds what the local holds at any time:
 * - a number that only the main program and the languages' libraries write is stored there too wherever it is
 *   written, and the optimiser keeps it in a register as before;
 * - what other code has the address of, and is in memory in any case, stands in that variable itself.
 * Only the main program's, as no second call of it can be under way. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_KEPT_LOCALS_H
#define HYBRID_CLANG_PLUGIN_PASS_KEPT_LOCALS_H

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

  /* A copy in which all that might be kept has a number. */
  std::unique_ptr<llvm::Module> numbered() const;

  /* Keeps the locals of these numbers, and those that values of these numbers go to. The module is then as
   * the hints are to see it: the variables stand for the locals, and their names are among `names`. False if
   * nothing was to be kept. To be called once. */
  bool keep(const std::set<uint32_t>& asked, std::set<std::string>& names);
  /* Gives those that can be in registers back to the program, which from now on tells their variables. */
  void give_back();

 private:
  struct Copied {
    llvm::AllocaInst* local;
    llvm::GlobalVariable* variable;
    std::vector<llvm::Instruction*> writers;
  };
  void forget_numbers();

  llvm::Module& module_;
  std::vector<llvm::Instruction*> numbered_; /* locals, and values that only a run tells */
  std::vector<Copied> copied_;
};

/* The number of a local, or of a value that only a run tells, in a numbered copy, also when it was changed.
 */
std::optional<uint32_t> number_of_local(const llvm::Value& value);

/* Does the variable stand for a local? What it holds before it is written is then nothing. */
bool was_local(const llvm::GlobalVariable& variable);
/* The local's name in the source; empty if the variable does not stand for one, or that is not known. */
std::string name_of_local(const llvm::GlobalVariable& variable);

}  // namespace hybrid::pass

#endif
