/* Where a function ends other than by its return: functions that an exception or longjmp leaves while the
 * program continues, and blocks after which nothing happens, since they end the program. */
#pragma once

#include <llvm/IR/Module.h>

namespace hybrid::pass {

/* Attribute of functions that may be left before they return, while the program continues: by an exception
 * that the file throws, if it catches any, or by longjmp. */
inline constexpr char kLeftEarly[] = "hybrid.left_early";

/* Whether the file has a handler of exceptions. Without one, an exception ends the program; the handler that
 * ends it when a destructor throws does not count. */
bool catches_exceptions(const llvm::Module& module);

/* Gives the attribute to the functions that are left early, directly or by a function that they call. A call
 * through a pointer may be of any function whose address is used. `any_catches`: catches_exceptions(). */
void mark_left_early(llvm::Module& module, bool any_catches);

/* Removes the code of blocks that only end the program. `may_throw`: except those that throw an exception.
 * Requires: mark_left_early(). */
void forget_dead_ends(llvm::Function& function, bool may_throw);

}  // namespace hybrid::pass
