/* Binary format of hints: the compiler's knowledge of a program's communication, stored in the program's
 * files. The plugin writes it, `hybrid hints` prints it, and the library evaluates it while the program runs
 * (D 2.1.1, 5.2). Plain C, fixed layout, little-endian, no pointers: the format is the same in a file and in
 * memory.
 *
 * A unit (one compiled file) has one ELF note with the name "hybrid" and the type HYBRID_NOTE_TYPE in the
 * section `.note.hybrid`. The descriptor of the note is
 *
 *     hybrid_unit, nodes[], loop variables[], loops[], sites[], phases[], strings
 *
 * in this order without gaps. A program or library has one note for each unit. A note is aligned to four
 * bytes only, so readers must copy it.
 *
 * All values are 64-bit integers. A truth value is 1 or 0. An expression is a tree of nodes. Node i refers
 * only to nodes before it, so that a reader can evaluate or print all nodes in one pass and no cycle is
 * possible. A site with an expression that the compiler does not understand is dynamic (HYBRID_DYNAMIC); the
 * compiler never guesses. (Inspectors do not change that: they are code, not expressions.)
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HYBRID_NOTE_SECTION ".note.hybrid"
#define HYBRID_NOTE_NAME "hybrid"
#define HYBRID_NOTE_TYPE 0x4859
#define HYBRID_NOTE_VERSION 6u
/* No node, loop, phase or string. */
#define HYBRID_NONE 0xFFFFFFFFu

/* The head of a descriptor. `version` and `size` have the same offsets in every version. */
struct hybrid_unit {
  uint32_t version; /* HYBRID_NOTE_VERSION */
  uint32_t size;    /* bytes of the descriptor, including this head */
  uint32_t id_low;  /* identity of the unit in the program: a hash of its file and content */
  uint32_t id_high;
  uint32_t node_count, variable_count, loop_count, site_count, phase_count;
  uint32_t string_bytes;
  uint32_t name; /* string: the file compiled */
};

/* The operation of a node. a, b, c are nodes unless stated otherwise; `value` is the 64-bit constant. */
enum hybrid_op {
  HYBRID_CONSTANT = 1, /* value */
  HYBRID_RANK,         /* the caller's rank in communicator a */
  HYBRID_SIZE,         /* the size of communicator a */
  HYBRID_VARIABLE,     /* the loop variable `value` (index into the variables) */
  HYBRID_ARGUMENT,     /* value number `value` that the mark of the directive's phase passes (hybrid_phase::
                          value_count); b: string, the name in the source */
  HYBRID_INPUT,        /* a value that is known at run time only; b: string, the name */
  HYBRID_PROC_NULL,    /* MPI_PROC_NULL */
  HYBRID_ANY_SOURCE,   /* MPI_ANY_SOURCE */

  /* Integers, modulo 2^64. Division and remainder truncate to zero; a division by zero is unknown. */
  HYBRID_ADD = 32,
  HYBRID_SUB,
  HYBRID_MUL,
  HYBRID_DIV,
  HYBRID_MOD,
  HYBRID_UDIV,
  HYBRID_UMOD,
  HYBRID_AND,
  HYBRID_OR,
  HYBRID_XOR,
  HYBRID_SHL,
  HYBRID_SHR,
  HYBRID_SAR,
  HYBRID_MIN,
  HYBRID_MAX,
  HYBRID_EQ,
  HYBRID_NE,
  HYBRID_LT,
  HYBRID_LE,
  HYBRID_ULT,
  HYBRID_ULE,
  HYBRID_SELECT, /* a ? b : c */
  HYBRID_TRUNC,  /* the lowest `value` bits of a, sign-extended */
  HYBRID_ZEXT,   /* the lowest `value` bits of a, zero-extended */

  /* Communicators. They are not values for arithmetic. */
  HYBRID_WORLD = 128, /* MPI_COMM_WORLD */
  HYBRID_SELF,        /* MPI_COMM_SELF */
  HYBRID_DUP,         /* of a */
  HYBRID_SPLIT,       /* of a, by color b and key c, both evaluated for each rank of a */
  HYBRID_CART,     /* of a; b: list of the dimensions' sizes, c: list of truth values, which dimensions wrap;
                      value: reorder. A size of 0 is computed as by MPI_Dims_create */
  HYBRID_CART_SUB, /* of a Cartesian a; b: list of truth values, which dimensions remain */
  HYBRID_UNKNOWN_COMMUNICATOR,

  HYBRID_LIST = 144, /* a: an element, b: the rest of the list or HYBRID_NONE */

  /* Cartesian communicators. */
  HYBRID_COORDINATE, /* the caller's coordinate in a, in dimension `value` */
  HYBRID_CART_RANK,  /* in a, at the coordinates of list b */
  HYBRID_SHIFT,      /* MPI_Cart_shift in a along dimension b by c: `value` 0 the source, 1 the destination */
  HYBRID_MEMBER = 149 /* truth value: the caller is in a (a is not MPI_COMM_NULL) */
};

struct hybrid_node {
  uint32_t op;
  uint32_t a, b, c;
  int32_t value_low;
  int32_t value_high;
};

/* A loop variable: a value that changes from one turn of the loop to the next. */
struct hybrid_variable {
  uint32_t first; /* node: the value in the first turn, evaluated outside the loop */
  uint32_t next;  /* node: the value in the next turn, of the variables of this and enclosing loops */
  uint32_t name;  /* string or HYBRID_NONE */
};

/* A loop that contains sites. It turns while `condition` holds; after a turn all variables change at once. */
struct hybrid_loop {
  uint32_t parent;    /* the enclosing loop, with a smaller index, or HYBRID_NONE */
  uint32_t condition; /* node; HYBRID_NONE: not understood. Sites in the loop are then dynamic unless they do
                         not depend on the variables of this loop */
  uint32_t first_variable, variable_count;
};

enum hybrid_class {
  HYBRID_STATIC =
      1, /* depends on constants, rank, size and loops only: known with the number of ranks (D 2.1.1) */
  HYBRID_INSPECTED,   /* dynamically analysable (D 2.1.1): an inspector (below) computes it when its procedure
                         or loop begins, from memory that nothing writes between the inspection and the call */
  HYBRID_SPECULATIVE, /* the same, but something may write that memory in between, or an exception or longjmp
                         may leave the procedure before the call; or its expression is known, but not whether
                         the loops around it have an iteration */
  HYBRID_DYNAMIC      /* known when the message is sent */
};

enum hybrid_site_kind { HYBRID_SEND = 1, HYBRID_RECEIVE, HYBRID_COLLECTIVE, HYBRID_ONE_SIDED };

/* A call site that communicates. MPI_Sendrecv is two sites. */
struct hybrid_site {
  uint32_t file, line, column, function; /* strings file and function; 0 without debug information */
  uint32_t call;                         /* string: "MPI_Isend" */
  uint16_t kind, site_class;             /* enum hybrid_site_kind, enum hybrid_class */
  uint32_t communicator;                 /* node */
  uint32_t peer;      /* node: rank in the communicator; for a collective the root, or HYBRID_NONE */
  uint32_t tag;       /* node or HYBRID_NONE */
  uint32_t count;     /* node: elements sent, or HYBRID_NONE if not understood */
  uint32_t type_size; /* node: bytes of an element, or HYBRID_NONE */
  uint32_t guard;     /* node: the call is made only if this holds (for a collective, as far as
                         known); HYBRID_NONE: always */
  uint32_t loop;      /* the innermost loop around the site, or HYBRID_NONE */
  uint32_t phase;     /* the phase that the site belongs to, or HYBRID_NONE */
  uint32_t reason;    /* string: why the site is not static, and a remedy; or HYBRID_NONE */
};

enum hybrid_phase_kind { HYBRID_PHASE_LOOP = 1, HYBRID_PHASE_PROCEDURE, HYBRID_PHASE_DIRECTIVE };
enum hybrid_phase_flag {
  HYBRID_PHASE_PRELOAD = 1, /* establish its connections before its first message */
  HYBRID_PHASE_FLUSH = 2,   /* release the connections of the previous phase at its begin */
  HYBRID_PHASE_MERGED = 4   /* a loop that sends nothing, or nothing but what the enclosing phase sends; the
                               sites belong to the enclosing phase, and the marks are ignored */
};

/* A communication phase: a part of the program with one working set. */
struct hybrid_phase {
  uint32_t name, file, line; /* strings name and file */
  uint16_t kind, flags;
  uint32_t parent;     /* the enclosing phase, or HYBRID_NONE */
  uint32_t condition;  /* node: the working set is used only if this holds (D 5.2.3), or HYBRID_NONE */
  uint32_t pattern;    /* string: from the directive or recognised, or HYBRID_NONE */
  uint32_t dimensions; /* list of nodes: the dimensions of the pattern, or HYBRID_NONE */
  uint32_t
      connections; /* list of alternating source and destination nodes in MPI_COMM_WORLD, or HYBRID_NONE */
  uint32_t slots;  /* number of slots; 0: as many as necessary */
  uint32_t value_count; /* of values that the mark of its begin passes (HYBRID_ARGUMENT) */
  /* Profile: connections in recorded runs of a phase with dynamic sends. A list of constants in groups of
   * three: the number of ranks of the run, source and destination in MPI_COMM_WORLD; or HYBRID_NONE. Valid
   * for jobs of exactly that number of ranks. */
  uint32_t profile;
};

/* Events that a compiled program reports to the library, if it is loaded (found by dlsym, as in hybrid.h). */
enum hybrid_mark {
  HYBRID_MARK_BEGIN = 1,
  HYBRID_MARK_END,
  HYBRID_MARK_FLUSH,
  HYBRID_MARK_OFF,
  HYBRID_MARK_ON
};

/* `unit`: the descriptor of the calling unit in memory; `phase`: index in it, or HYBRID_NONE; `holds`: the
 * directive's condition, evaluated at the mark (1 without a condition); `values`: of the directive's clauses,
 * hybrid_phase::value_count of them; null without any. */
typedef void hybrid_library_mark_function(const struct hybrid_unit* unit, uint32_t phase, uint32_t mark,
                                          int64_t holds, const int64_t* values);
#define HYBRID_LIBRARY_MARK "hybrid_library_compiled_mark"

/* Inspectors (inspector/executor). An inspector is a function of the program that the compiler makes of a
 * procedure: the part of it that computes the peers of its sends. The library calls it when the procedure
 * begins. An inspector has no effect of its own. It reads the program's memory with `load`, keeps what the
 * procedure would write in a log of the library, which `load` searches first, and calls nothing but the
 * functions below and functions of arithmetic. If it reads memory that does not exist, the inspection ends:
 * `steps` becomes negative, and later sends are ignored. Addresses may be those of `allocate`; only these
 * functions understand them. */
#define HYBRID_STARTED_REQUEST (-1)
struct hybrid_inspection {
  /* Reads 1, 2, 4 or 8 bytes, zero-extended. */
  uint64_t (*load)(struct hybrid_inspection*, const void* at, uint32_t bytes);
  void (*store)(struct hybrid_inspection*, void* at, uint32_t bytes, uint64_t value);
  void (*copy)(struct hybrid_inspection*, void* to, const void* from, uint64_t bytes);
  void (*fill)(struct hybrid_inspection*, void* to, uint32_t byte, uint64_t bytes);
  /* An address for so many bytes of memory of the inspector, in place of the procedure's own. */
  void* (*allocate)(struct hybrid_inspection*, uint64_t bytes);
  /* A result of MPI; what: enum hybrid_query. The first argument is a communicator. */
  int32_t (*query)(struct hybrid_inspection*, uint32_t what, const int32_t* arguments, uint32_t count);
  /* The procedure will send to this rank of the communicator. `peer` may be MPI_PROC_NULL. With the
   * communicator HYBRID_STARTED_REQUEST `peer` is a request that the procedure will start: a persistent one
   * sends to its destination if it is a send. */
  void (*send)(struct hybrid_inspection*, int32_t peer, int32_t communicator, uint32_t speculative);
  /* The inspector decrements it in every iteration of a loop, and returns when it is negative. */
  int64_t steps;
};

enum hybrid_query {
  HYBRID_QUERY_RANK,       /* (communicator) */
  HYBRID_QUERY_SIZE,       /* (communicator) */
  HYBRID_QUERY_COORDINATE, /* (communicator, rank, dimension) */
  HYBRID_QUERY_CART_RANK,  /* (communicator, coordinates...) */
  HYBRID_QUERY_SHIFT,      /* (communicator, dimension, by, which: 0 the source, 1 the destination) */
  HYBRID_QUERY_DIMENSION,  /* (ranks, dimension, wanted...): MPI_Dims_create */
  HYBRID_QUERY_DEGREE,     /* (communicator, which: 0 sources, 1 destinations) */
  HYBRID_QUERY_NEIGHBOR    /* (communicator, which, number) */
};

/* `inputs`: the procedure's arguments that the inspector uses, as 64-bit values. */
typedef void hybrid_inspector(struct hybrid_inspection*, const uint64_t* inputs);
/* Inspects a procedure, a phase of `unit`, that has just begun on this thread, or a loop of it. */
typedef void hybrid_library_inspect_function(const struct hybrid_unit* unit, uint32_t phase,
                                             hybrid_inspector* inspector, const uint64_t* inputs);
#define HYBRID_LIBRARY_INSPECT "hybrid_library_compiled_inspect"

/* Marker calls: the representation of directives between the front end and the pass of the plugin. The front
 * end inserts them, as functions that are local to the unit. Without the pass these functions do what is
 * possible without a note. The pass replaces them by phases of the note and calls of the function above.
 * Names and patterns are string constants; numbers are any integer expressions. A phase is open from `ready`
 * to the next `scope_end` with the same variable; the end of the block calls it. */
#define HYBRID_MARKER_PHASE_BEGIN                                                                      \
  "__hybrid_phase_begin"                             /* (const char* name, int flags, long long slots) \
                                                      */
#define HYBRID_MARKER_CONDITION "__hybrid_condition" /* long long (long long holds), its argument */
#define HYBRID_MARKER_PATTERN "__hybrid_pattern"     /* (const char* pattern, int count, long long dims...) */
#define HYBRID_MARKER_CONNECTION "__hybrid_connection" /* (long long from, long long to) */
#define HYBRID_MARKER_PHASE_READY                                                                         \
  "__hybrid_phase_ready"                             /* (int* scope) end of the clauses of the last begin \
                                                      */
#define HYBRID_MARKER_SCOPE_END "__hybrid_scope_end" /* (int* scope) */
#define HYBRID_MARKER_PHASE_END "__hybrid_phase_end" /* () ends the innermost phase */
#define HYBRID_MARKER_FLUSH "__hybrid_flush"         /* () */
#define HYBRID_MARKER_RANK "__hybrid_rank"           /* int () the caller's rank in MPI_COMM_WORLD */
#define HYBRID_MARKER_SIZE "__hybrid_size"           /* int () the size of MPI_COMM_WORLD */
#define HYBRID_MARKER_OFF "__hybrid_off"             /* () no extraction from here on ... */
#define HYBRID_MARKER_ON "__hybrid_on"               /* () ... to here */

#ifdef __cplusplus
}
#endif
