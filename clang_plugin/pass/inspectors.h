/* Inspectors: functions that compute the peers of a procedure's sends before it sends (inspector/executor;
 * D 2.1.1: dynamically analysable). They serve the sends that have no expression (extraction.h): instead of
 * describing a value, the compiler keeps the code that computes it. An inspector is the slice of the
 * procedure that its sends depend on (slice.h), with calls of struct hybrid_inspection (core/hint_abi.h) in
 * place of its memory. It begins where the procedure begins; for sends that are not known there, where the
 * outermost loop around them begins at which they are (loop_entries.h). Before and after:
 *
 *     void exchange(struct domain* d) {                    void exchange.inspect(inspection, inputs) {
 *       for (int i = 0; i < d->count; ++i) {                 d = inputs[0];
 *         pack(d, i, buffer);                                for (i = 0; i < load(&d->count, 4); ++i)
 *         MPI_Isend(buffer, ..., d->nbr[i], 0, comm);          send(load(&load(&d->nbr, 8)[i], 4), comm, 0);
 *       }                                                  }
 *     } */
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "clang_plugin/pass/loop_entries.h"
#include "clang_plugin/pass/note.h"

namespace hybrid::pass {

struct Inspector {
  llvm::Function* code;               /* of type hybrid_inspector */
  llvm::Instruction* before;          /* where it is called; null: where the procedure begins */
  std::vector<InspectorInput> inputs; /* values there */
};

/* Sends that an inspector computes. */
struct InspectedSite {
  std::string function;          /* as in the note */
  uint32_t line = 0, column = 0; /* 0: all sends of the function, whose places are not known */
  bool speculative = false;
};

struct Inspectors {
  std::map<std::string, std::vector<Inspector>> procedures; /* by symbol */
  std::vector<InspectedSite> sites;
};

/* Adds inspectors to `module` for the sends that `note` calls dynamic. `procedures`: as in Extraction. */
Inspectors make_inspectors(llvm::Module& module, const std::map<std::string, uint32_t>& procedures,
                           const Note& note);

/* Changes the class of these sends from HYBRID_DYNAMIC to HYBRID_INSPECTED or HYBRID_SPECULATIVE. */
void classify_inspected(Note& note, const std::vector<InspectedSite>& sites);

}  // namespace hybrid::pass
