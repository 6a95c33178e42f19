/* Directives in the program: the marker calls of core/hint_abi.h that the front end left in the code. Found
 * and labelled before the module is copied, so that what the analysis learns of the copy is known here; then
 * every marker is taken out again. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_DIRECTIVES_H
#define HYBRID_CLANG_PLUGIN_PASS_DIRECTIVES_H

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>
#include <vector>

#include "core/hint_abi.h"

namespace hybrid::pass {

/* Labels (metadata) of calls: a marker's phase, the phase around a communication, and those not to be seen.
 */
inline constexpr char kDirective[] = "hybrid.directive", kRegion[] = "hybrid.region", kOff[] = "hybrid.off";

/* Phases open at some point of a function, outermost first. */
using OpenPhases = std::vector<uint32_t>;

/* The phase of a unit's note that a phase of the whole program is. */
struct PhaseOrigin {
  uint32_t phase = HYBRID_NONE, id_low = 0, id_high = 0;
  std::string symbol; /* a procedure's, in its unit */
};

struct DirectivePhase {
  PhaseOrigin origin;
  std::string name, file, pattern;
  std::string function; /* the symbol of the function that it stands in */
  bool is_loop = false; /* not the programmer's: loop_phases.h */
  uint32_t line = 0, flags = 0, slots = 0;
  uint32_t parent = HYBRID_NONE;
  llvm::CallBase* begin = nullptr;
  llvm::CallBase* ready = nullptr;
  llvm::Value* scope = nullptr; /* the variable whose end ends it, or null */
  llvm::Value* holds = nullptr; /* the condition's value, or null */
};

struct Directives {
  std::vector<DirectivePhase> phases;
  std::map<llvm::CallBase*, uint32_t> ends; /* markers of ends, and the phase that each ends or HYBRID_NONE */
  std::map<const llvm::BasicBlock*, OpenPhases> open_at_begin, open_at_end;
  std::vector<llvm::CallBase*> markers;
};

/* Is `name` one of the markers' names? */
bool is_marker(llvm::StringRef name);

/* The front end's markers do by themselves what can be done without a note; from here on they only stand for
 * directives. */
void forget_bodies_of_markers(llvm::Module& module);

Directives find_directives(llvm::Module& module);

/* Adds `by` to the numbers of all labels of directives and regions: several units become one module. */
void shift_labels(llvm::Module& module, uint32_t by);

/* The number of that label, or HYBRID_NONE. */
uint32_t label(const llvm::Instruction& instruction, const char* kind);

}  // namespace hybrid::pass

#endif
