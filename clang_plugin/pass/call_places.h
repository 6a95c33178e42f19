/* Which calls are under way: what a procedure communicates may depend on who called it, by variables that
 * change between its callers. Before each call that may come to communicate a function writes the call's
 * number to a variable of its own, and hints can ask by which calls a phase was come to.
 *
 * The number is the call's line, if the lines of these calls are known and differ, or counts them from 1. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_CALL_PLACES_H
#define HYBRID_CLANG_PLUGIN_PASS_CALL_PLACES_H

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace hybrid::pass {

/* The program's main function: the Fortran program itself where flang has made a `main` around it. Null where
 * the module has none, or one that may be under way twice, as the program calls it or takes its address. */
llvm::Function* main_program(llvm::Module& module);
bool is_main_program(llvm::StringRef name);

/* Writes the numbers: in the main program if it is never under way twice, and in functions with several such
 * calls. The names of the variables. */
std::set<std::string> mark_call_places(llvm::Module& module);

/* In a module to be analysed, and before anything is inlined: a function's variable is 0 again when the
 * function returns. */
void clear_call_places_behind(llvm::Module& module);

/* What functions' variables hold, by their index in CallPlaces. */
using CallPath = std::map<size_t, uint32_t>;

class CallPlaces {
 public:
  explicit CallPlaces(const llvm::Module& module);

  /* In the module's order. */
  const std::vector<const llvm::GlobalVariable*>& variables() const { return variables_; }
  /* The calls that `begin` is in whoever called its function. */
  CallPath path_to(const llvm::Instruction& begin) const;
  /* "main.line" or "main.call". */
  std::string name(size_t variable) const;
  /* The function's, as it was named when its module was prepared; "" if it is never written. */
  std::string function(size_t variable) const;

 private:
  std::vector<const llvm::GlobalVariable*> variables_;
};

}  // namespace hybrid::pass

#endif
