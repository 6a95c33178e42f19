/* The MPI calls that communicate, and where their arguments stand. One table for C (`MPI_Send`) and Fortran
 * (`mpi_send_`, the same arguments by reference and an error code at the end). */
#ifndef HYBRID_CLANG_PLUGIN_PASS_CALL_TABLE_H
#define HYBRID_CLANG_PLUGIN_PASS_CALL_TABLE_H

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <vector>

#include "core/hint_abi.h"

namespace hybrid::pass {

/* One communication of a call. Positions of arguments; -1: the call has no such argument. */
struct CallPart {
  hybrid_site_kind kind;
  int count, type, peer, tag, communicator;
};

struct Call {
  const char* name; /* as in C: "MPI_Isend" */
  int arguments;    /* how many in C */
  uint32_t read;    /* bit i: argument i is a buffer or array that the call only reads */
  std::vector<CallPart> parts;
  bool sizes_are_data =
      false; /* of the calls with an array of counts: who sends how much, only a run knows */
};

/* The call of that symbol, or null. `fortran` tells which of the two forms it is. */
const Call* find_call(llvm::StringRef symbol, bool& fortran);

/* "MPI_Comm_rank" for "MPI_Comm_rank" and "mpi_comm_rank_" (`fortran` is set); empty for other symbols. Case
 * is that of the table of calls and queries; other MPI symbols come back as they are. */
bool is_mpi(llvm::StringRef symbol, bool& fortran);

}  // namespace hybrid::pass

#endif
