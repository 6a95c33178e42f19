/* Names for internal variables of a file (`static`, unnamed C++ namespaces, Fortran's saved variables). The
 * hints of the whole program are in another object and can read only variables with a name for the linker. A
 * unit therefore adds hidden symbols for variables that the hints may read:
 *
 *     @left = internal global i32   ->   @left = internal global i32
 *                                        @hybrid.variable.left.ID = weak hidden alias i32, ptr @left
 *
 * A name prevents the optimiser from removing the variable, so only these variables get one:
 * - Variables that the unit's sites depend on; the unit's note contains the addresses of most of them anyway.
 * - Variables that functions of other units get, as a value or by address, or return. In units that do not
 * call MPI, only variables of accessors: functions that do nothing but return a variable. */
#pragma once

#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <string>

#include "clang_plugin/pass/symbolic.h"

namespace hybrid::pass {

/* Whether the type contains integers that may determine ranks. */
bool has_numbers(const llvm::Type* type);

/* Whether the variable can get a name for the linker, and hints may read it. */
bool may_get_a_name(const llvm::GlobalVariable& variable);

/* Whether the unit calls any MPI function. */
bool calls_mpi(const llvm::Module& module);

/* Returns the variables of accessors for other units. */
std::set<std::string> read_by_accessors(const llvm::Module& module);

/* Returns the variables of the prepared module that its sites depend on, or that other units may use: those
 * that get or return their values or addresses. */
std::set<const llvm::GlobalVariable*> requested_variables(const llvm::Module& module, Symbolic& symbolic);

/* Records the future names of these variables as metadata, for readers of the embedded code. */
void note_names(llvm::Module& module, const std::set<std::string>& variables);
/* Creates the symbols that note_names recorded. */
void give_names(llvm::Module& module);

/* Returns the recorded names, by variable. */
std::map<std::string, std::string> noted_names(const llvm::Module& module);
/* Declares the variable of another object with that name. Its address is null at run time if it is not
 * linked. */
void declare_named(llvm::Module& module, const std::string& name);

}  // namespace hybrid::pass
