/* Inspectors: functions that compute the peers of a procedure's sends before it sends (inspector/executor;
 * D 2.1.1: dynamically analysable). They serve the sends that have no expression (extraction.h): instead of
 * describing a value, the compiler keeps the code that computes it. An inspector is the slice of the
 * procedure that its sends depend on (slice.h), with calls of struct hybrid_inspection (core/hint_abi.h) in
 * place of its memory. It begins where the phase of its sends begins: a directive, a loop or the procedure;
 * for sends that are not known there, where a loop around them begins (entries.h). Before and after:
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
#include <memory>
#include <string>
#include <vector>

#include "clang_plugin/pass/entries.h"
#include "clang_plugin/pass/note.h"
#include "clang_plugin/pass/preparation.h"

namespace hybrid::pass {

struct Inspector {
  llvm::Function* code;               /* of type hybrid_inspector */
  llvm::Instruction* before;          /* where it is called; null: where the procedure begins */
  uint32_t phase;                     /* that its hints belong to */
  std::vector<InspectorInput> inputs; /* values there */
};

using Inspectors = std::map<std::string, std::vector<Inspector>>; /* of procedures, by symbol */

/* Makes the inspectors of a module, from a copy that is prepared (preparation.h). */
class InspectorMaker {
 public:
  /* Both must outlive this object. `in_registers`: as of prepare(). */
  InspectorMaker(llvm::Module& module, const Directives& directives, bool in_registers);
  ~InspectorMaker();

  /* The copy, for the extraction. Loops that send are functions in it, too (entries.h). */
  Prepared& prepared();
  /* Adds inspectors to the module for the sends that `note` calls dynamic, and changes their class to
   * HYBRID_INSPECTED or HYBRID_SPECULATIVE. Of the rest, sites whose loop may have no iteration become
   * speculative: their expression is the hint. `procedures`: as in Extraction. Destroys the copy. */
  Inspectors make(const std::map<std::string, uint32_t>& procedures, Note& note);

 private:
  class Maker;
  std::unique_ptr<Maker> maker_;
};

}  // namespace hybrid::pass
