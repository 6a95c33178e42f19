/* Inspectors: functions that compute the peers of a procedure's sends when the procedure begins (inspector/
 * executor; D 2.1.1: dynamically analysable). They serve the sends that have no expression (extraction.h):
 * instead of describing a value, the compiler keeps the code that computes it. An inspector is the procedure
 * without everything that its sends do not depend on, and with calls of struct hybrid_inspection
 * (core/hint_abi.h) in place of its memory. Before and after:
 *
 *     void exchange(struct domain* d) {                    void exchange.inspect(inspection, inputs) {
 *       for (int i = 0; i < d->count; ++i) {                 d = inputs[0];
 *         pack(d, i, buffer);                                for (i = 0; i < load(&d->count, 4); ++i)
 *         MPI_Isend(buffer, ..., d->nbr[i], 0, comm);          send(load(&load(&d->nbr, 8)[i], 4), comm, 0);
 *       }                                                  }
 *     } */
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <string>
#include <vector>

#include "clang_plugin/pass/note.h"

namespace hybrid::pass {

struct Inspector {
  llvm::Function* code;         /* of type hybrid_inspector */
  std::vector<unsigned> inputs; /* the procedure's arguments that it uses */
};
/* A send that an inspector computes. */
struct InspectedSite {
  std::string function; /* as in the note */
  uint32_t line = 0, column = 0;
  bool speculative = false;
};
struct Inspectors {
  std::map<std::string, Inspector> procedures; /* by symbol */
  std::vector<InspectedSite> sites;
};

/* The value, a number or an address of at most 64 bits, as an input. */
llvm::Value* as_word(llvm::IRBuilder<>& build, llvm::Value* value);

/* Adds an inspector to `module` for every procedure with sends that `note` calls dynamic, and that can be
 * computed when it begins. `procedures`: as in Extraction. */
Inspectors make_inspectors(llvm::Module& module, const std::map<std::string, uint32_t>& procedures,
                           const Note& note);

/* Changes the class of these sends from HYBRID_DYNAMIC to HYBRID_INSPECTED or HYBRID_SPECULATIVE. */
void classify_inspected(Note& note, const std::vector<InspectedSite>& sites);

}  // namespace hybrid::pass
