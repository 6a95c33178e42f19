/* Replaces the markers by marks: calls of the library's HYBRID_LIBRARY_MARK at the begin and end of phases,
 * which do nothing without the library. They do not change the program's behaviour. Phases that are left
 * early (return, break, goto, an exception) are ended on these paths. Before and after:
 *
 *     __hybrid_phase_ready(&s);     mark(unit, phase, HYBRID_MARK_BEGIN, 1, values);
 *     if (x) return;                if (x) { mark(unit, phase, HYBRID_MARK_END, ...); return; }
 *     __hybrid_phase_end();         mark(unit, phase, HYBRID_MARK_END, ...); */
#pragma once

#include <llvm/IR/Module.h>

#include <map>
#include <string>

#include "clang_plugin/pass/directives.h"
#include "clang_plugin/pass/inspectors.h"

namespace hybrid::pass {

/* Writes the marks and removes all markers. `procedures`: the phases of functions that communicate; the phase
 * of a directive has its index in `directives`. `unit`: the note's descriptor. Procedures with an inspector
 * have it called after their begin. */
void write_marks(llvm::Module& module, const Directives& directives,
                 const std::map<std::string, uint32_t>& procedures, const Inspectors& inspectors,
                 llvm::Constant* unit);

}  // namespace hybrid::pass
