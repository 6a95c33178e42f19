/* Table of the MPI calls that communicate, with the positions of their arguments. It is the same for C
 * (`MPI_Send`; `MPI_Send_c` has the same arguments, with 64-bit counts) and Fortran (`mpi_send_`: the same
 * arguments by reference, and an error code at the end). */
#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/hint_abi.h"

namespace hybrid::pass {

/* One communication of a call. Positions of arguments; -1: the call has no such argument. */
struct CallPart {
  hybrid_site_kind kind;
  int count, type, peer, tag, communicator;
  int request = -1; /* persistent requests, which have the peers: `count` of them, or one */
};

struct Call {
  std::string name; /* as in C: "MPI_Isend" */
  int arguments;    /* how many in C */
  uint32_t read;    /* bit i: argument i is a buffer or array that the call only reads */
  std::vector<CallPart> parts;
  bool sizes_are_data = false; /* for calls with an array of counts: the sizes are known only at run time */
};

/* What a call that is not in the table does with its arguments, each of which it may write. */
struct CallEffects {
  bool later = false;      /* begins an operation, which writes until it completes */
  bool any_time = false;   /* makes a window, which others write */
  int completed = -1;      /* argument with the handles of operations that it completes */
  int address_kept = -1;   /* argument of which it keeps the address */
  bool ends_epoch = false; /* transfers of a window are complete */
  bool receives = false;
};
/* `name` is in lower case and without prefix: "waitall". */
CallEffects effects_of(llvm::StringRef name);

/* Whether a call of the table begins an operation, which writes until it completes. */
bool writes_later(const Call& call);

/* Whether the program's memory may change behind a program that calls `name` (as effects_of()): others write
 * its windows, or MPI calls it back. */
bool exposes_memory(llvm::StringRef name);

/* Returns the call of that symbol, or null. Sets `fortran` for the Fortran form. */
const Call* find_call(llvm::StringRef symbol, bool& fortran);

/* Whether `symbol` is an MPI function, as in "MPI_Comm_rank", "PMPI_Comm_rank" and "mpi_comm_rank_". Sets
 * `fortran` for the Fortran form. */
bool is_mpi(llvm::StringRef symbol, bool& fortran);

}  // namespace hybrid::pass
