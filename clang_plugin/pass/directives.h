/* Directives in the program: the marker calls of core/hint_abi.h that the front end inserted. They are found
 * and labelled (metadata) before the module is copied, so that results of the analysis of the copy can be
 * assigned to the module; finally all markers are removed (marks.h). */
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>
#include <vector>

#include "core/hint_abi.h"

namespace hybrid::pass {

/* Labels (metadata) of calls: the phase of a marker, the number of a clause's first value in its directive,
 * the phase around a communication, and calls to be ignored. */
inline constexpr char kDirective[] = "hybrid.directive", kFirstValue[] = "hybrid.value",
                      kRegion[] = "hybrid.region", kOff[] = "hybrid.off";

/* Phases open at some point of a function, outermost first. */
using OpenPhases = std::vector<uint32_t>;

struct DirectivePhase {
  std::string name, file, pattern;
  std::string function; /* the symbol of the function that contains it */
  bool is_loop = false; /* inserted by loop_phases.h, not by the programmer */
  uint32_t line = 0, flags = 0, slots = 0;
  uint32_t parent = HYBRID_NONE;
  llvm::CallBase* begin = nullptr;
  llvm::CallBase* ready = nullptr;
  llvm::Value* scope = nullptr;         /* the variable that ends it when it goes out of scope, or null */
  llvm::Value* holds = nullptr;         /* the condition's value, or null */
  std::vector<llvm::CallBase*> clauses; /* patterns and connections, in source order */
  uint32_t value_count = 0;             /* of these */
};

struct Directives {
  std::vector<DirectivePhase> phases;
  std::map<llvm::CallBase*, uint32_t> ends; /* markers of ends, and the phase that each ends or HYBRID_NONE */
  std::map<const llvm::BasicBlock*, OpenPhases> open_at_begin, open_at_end;
  std::vector<llvm::CallBase*> markers;
};

/* Whether `name` is the name of a marker. */
bool is_marker(llvm::StringRef name);

/* Deletes the bodies of the markers. The bodies from the front end work without a note; from here on the
 * markers only represent directives. */
void forget_bodies_of_markers(llvm::Module& module);

/* Finds and labels the directives. */
Directives find_directives(llvm::Module& module);

/* The values of the clause that a marker represents: dimensions of a pattern, the ends of a connection, or a
 * condition. */
std::vector<llvm::Value*> clause_values(const llvm::CallBase& marker);

/* Returns the number of that label, or HYBRID_NONE. */
uint32_t label(const llvm::Instruction& instruction, const char* kind);

}  // namespace hybrid::pass
