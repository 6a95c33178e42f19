/* Identification of the current call path. The communication of a procedure may depend on its caller, through
 * variables that change between calls. Before each call that may communicate, the transformed function
 * therefore stores the number of the call in a variable, and hints can test which calls led to a phase.
 * Before and after:
 *
 *     by = 1; exchange();           by = 1; main.call = 1; exchange();
 *     by = 2; exchange();           by = 2; main.call = 2; exchange();
 *
 * The number is the line of the call if the lines of these calls are known and differ (main.line); otherwise
 * calls are counted from 1. */
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace hybrid::pass {

/* Returns the main function: for flang the Fortran program, not the `main` around it. Null if the module has
 * none, or one that may be active twice because the program calls it or takes its address. */
llvm::Function* main_program(llvm::Module& module);
bool is_main_program(llvm::StringRef name);

/* Inserts the stores: in the main program unless it may be active twice, and in functions with several such
 * calls. Returns the names of the variables. */
std::set<std::string> mark_call_places(llvm::Module& module);

/* In a module for the analysis, before inlining: inserts stores that reset the variable of a function to 0
 * when the function returns. */
void clear_call_places_behind(llvm::Module& module);

/* Values of the functions' variables, by their index in CallPlaces. */
using CallPath = std::map<size_t, uint32_t>;

class CallPlaces {
 public:
  explicit CallPlaces(const llvm::Module& module);

  /* In the module's order. */
  const std::vector<const llvm::GlobalVariable*>& variables() const { return variables_; }
  /* The calls that lead to `begin` in all cases. */
  CallPath path_to(const llvm::Instruction& begin) const;
  /* "main.line" or "main.call". */
  std::string name(size_t variable) const;
  /* Name of the function that writes it, from the time of preparation; "" if none does. */
  std::string function(size_t variable) const;

 private:
  std::vector<const llvm::GlobalVariable*> variables_;
};

}  // namespace hybrid::pass
