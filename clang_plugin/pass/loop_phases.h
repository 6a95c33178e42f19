/* Makes phases of loops that communicate: inserts the markers of a directive (core/hint_abi.h) before such a
 * loop and at its exits. marks.h later replaces them. All loops that may send get markers; phase_choice.h
 * then selects the phases. Before and after:
 *
 *     for (...)                     __hybrid_phase_begin("f:12", kOfLoop, 0); __hybrid_phase_ready(0);
 *       MPI_Send(...);              for (...) MPI_Send(...);
 *                                   __hybrid_phase_end(); */
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>

namespace hybrid::pass {

/* Flag of a phase's begin: the phase is a loop. */
inline constexpr uint32_t kOfLoop = 1u << 30;

/* Inserts the markers. A loop may send if it has a call that sends, or a call of a function of the module
 * that leads to one. Calls through pointers do not count. marks.h handles exits by computed jumps and
 * exceptions. Functions with directives are not changed: the programmer defined their phases. Precondition:
 * the markers of directives have no bodies any more. */
void mark_loops(llvm::Module& module);

}  // namespace hybrid::pass
