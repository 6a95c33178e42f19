/* Replaces MPI calls by values, in the module for the analysis: every known call becomes calls of functions
 * without a definition ("hybrid.rank", "hybrid.site", ...). Their arguments are values where MPI's are
 * addresses (results, and all arguments in Fortran), so that LLVM's passes propagate them to their uses.
 * Before and after:
 *
 *     MPI_Comm_rank(comm, &rank);                      rank = hybrid.rank(comm);
 *     MPI_Send(b, 1, MPI_INT, rank + 1, 0, comm);      hybrid.site(0, 1, MPI_INT, rank + 1, 0, comm); */
#pragma once

#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "clang_plugin/pass/call_table.h"

namespace hybrid::pass {

/* The place of a communication in the program. Its index is the first argument of hybrid.site. */
struct SiteOrigin {
  const Call* call;
  const CallPart* part;
  std::string function; /* the symbol it is called in */
  uint32_t directive;   /* the innermost phase of Directives around it, or HYBRID_NONE */
  uint32_t number;      /* of the call (kCallNumber), or HYBRID_NONE */
};

/* Metadata of a call: its number in its function, where calls are numbered. */
inline constexpr char kCallNumber[] = "hybrid.number";

constexpr int64_t kWorldHandle = 0x44000000, kSelfHandle = 0x44000001, kNullHandle = 0x04000000; /* MPICH's */

/* What writes, and when: the call; the operation that it begins, until it completes; others, at any time. */
enum Clobber {
  kNow,
  kWhenComplete,
  kAnyTime,
  kHandle,     /* the call: a handle or a status */
  kCompletion, /* the call: the handle of an operation, which has written what it writes */
  kAnywhere    /* the call, at the addresses in a datatype (MPI_BOTTOM); its pointer is null */
};

enum Clause { kPattern = 1, kConnection, kCondition };

/* Arguments are 32-bit integers unless stated otherwise. `site` communicates; `clobber` writes to its pointer
 * (i64: number of bytes, -1 for all); all others read nothing and have no effect. */
inline constexpr char kSite[] = "hybrid.site"; /* (number, count, type, peer, tag, communicator) */
/* (phase, what: enum Clause, number of its first value in the directive, i64 values...) */
inline constexpr char kClause[] = "hybrid.clause";
/* (): the function named by its metadata kWrittenIn begins, also where it was inlined */
inline constexpr char kEnter[] = "hybrid.enter";
inline constexpr char kWrittenIn[] = "hybrid.in";
/* (phase): that phase of Directives begins */
inline constexpr char kBegin[] = "hybrid.begin";
/* (ptr, i64 bytes, when: enum Clobber) */
inline constexpr char kClobber[] = "hybrid.clobber";
inline constexpr char kRank[] = "hybrid.rank";         /* (communicator) */
inline constexpr char kSize[] = "hybrid.size";         /* (communicator) */
inline constexpr char kDup[] = "hybrid.dup";           /* (communicator) */
inline constexpr char kDegree[] = "hybrid.degree";     /* (communicator, which: 0 sources, 1 destinations) */
inline constexpr char kNeighbor[] = "hybrid.neighbor"; /* (communicator, which, number) */
inline constexpr char kSplit[] = "hybrid.split";       /* (communicator, color, key) */
inline constexpr char kCart[] = "hybrid.cart";         /* (communicator, reorder, sizes..., wraps...) */
inline constexpr char kCartSub[] = "hybrid.cart_sub";  /* (communicator, stays...) */
inline constexpr char kCoordinate[] = "hybrid.coordinate"; /* (communicator, rank, dimension) */
inline constexpr char kCartRank[] = "hybrid.cart_rank";    /* (communicator, coordinates...) */
inline constexpr char kShift[] = "hybrid.shift";           /* (communicator, dimension, by, which) */
inline constexpr char kDimension[] = "hybrid.dimension"; /* (ranks, dimension, wanted...): MPI_Dims_create */

/* The function that the instruction calls; null if it calls none, or one that is known only at run time. */
const llvm::Function* callee_of(const llvm::Instruction& instruction);

/* Whether it is a function of MPI that sends. */
bool is_send(const llvm::Function& callee);

/* Whether the program's memory may change without an instruction that shows it: other ranks write it
 * (windows, memory shared by processes), or MPI calls the program back (operations, error handlers,
 * attributes). */
bool exposes_memory(const llvm::Module& module);

/* Rewrites the module's MPI calls. Adds the sites to `origins`. */
void calls_to_values(llvm::Module& module, std::vector<SiteOrigin>& origins);

}  // namespace hybrid::pass
