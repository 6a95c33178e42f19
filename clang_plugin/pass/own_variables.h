/* Variables of a file's own (`static`, C++ namespaces without a name, what Fortran saves): the hints of the
 * whole program stand in another object, and can read only what the linker knows by name. A unit gives such
 * names to those that they may have to read: hidden symbols beside the variables' own.
 *
 * A name keeps the optimiser from doing away with the variable, so it is given sparingly:
 * - to what the unit's own sites depend on; the unit's note has the address of most of it anyway;
 * - to what goes, as a value or by address, to functions of other units, or is what their callers get back;
 *   asked of units that call MPI, in others only functions that do no more than tell a variable count. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_OWN_VARIABLES_H
#define HYBRID_CLANG_PLUGIN_PASS_OWN_VARIABLES_H

#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <string>

#include "clang_plugin/pass/symbolic.h"

namespace hybrid::pass {

/* Are there integers in it that ranks could be told by? */
bool has_numbers(const llvm::Type* type);

/* Can the variable have a name for the linker, and would hints read it? */
bool may_get_a_name(const llvm::GlobalVariable& variable);

/* Does the unit call MPI, if only for its rank? */
bool calls_mpi(const llvm::Module& module);

/* Variables that a function for other units does nothing but read and return. */
std::set<std::string> told_by_accessors(const llvm::Module& module);

/* Variables of the prepared module that its sites ask of, or that other units may: who gets or returns values
 * of them, or their addresses. */
std::set<const llvm::GlobalVariable*> asked_by_all(const llvm::Module& module, Symbolic& symbolic);

/* Notes the names that these variables will have, for whoever reads the module's code. */
void note_names(llvm::Module& module, const std::set<std::string>& variables);
/* Makes the symbols that note_names noted. */
void give_names(llvm::Module& module);

/* The names noted, by variable. */
std::map<std::string, std::string> noted_names(const llvm::Module& module);
/* The variable of another object that has that name; null when the program runs if it is not linked. */
void declare_named(llvm::Module& module, const std::string& name);

}  // namespace hybrid::pass

#endif
